// Training steps as they are launched, by the fake of CUDA. What they compute is tested by
// conformance/gpu/host_training_test.cc.
// Tests: training.cu

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "graph/op_def.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::optimized {
namespace {

const TrainingLaunch& LaunchOf(const std::string& name, DType dtype) {
  return *std::ranges::find_if(Cuda().training_launches(), [&](const TrainingLaunch& launch) {
    return launch.name == name && launch.dtype == dtype;
  });
}

TEST(GpuTraining, HasTheFormsOfTheOps) {
  for (const TrainingLaunch& launch : Cuda().training_launches()) {
    SCOPED_TRACE(launch.name);
    const OpDef* const op = OpRegistry::Standard().Find("ResourceApply" + launch.name);
    ASSERT_NE(op, nullptr);
    const std::string gradient = op->inputs[static_cast<size_t>(launch.form.gradient)].name;
    EXPECT_TRUE(gradient == "grad" || gradient == "delta") << gradient;
    EXPECT_EQ(*launch.form.flag != '\0', op->FindAttr(launch.form.flag) != nullptr);
    EXPECT_EQ(launch.refuses_scalars, launch.name == "ProximalAdagrad");
  }
}

TEST(GpuTraining, ChangesTheVariablesInTheOrderOfTheStream) {
  double variable[] = {1, 2};
  const double rate = 0.5, gradient[] = {2, 8};
  TrainingArgs args = {};
  args.slots[0] = variable;
  args.scalars[1] = &rate;
  args.gradient = gradient;
  args.count = 2;
  const TrainingLaunch& step = LaunchOf("GradientDescent", DType::kDouble);
  EXPECT_EQ(step.refusal(args), nullptr);
  cudaStream_t stream;
  ASSERT_EQ(Cuda().stream_create(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(step.launch(args, stream), cudaSuccess);
  EXPECT_EQ(Cuda().stream_synchronize(stream), cudaSuccess);
  EXPECT_EQ(Cuda().stream_destroy(stream), cudaSuccess);
  EXPECT_EQ(variable[0], -1);
  EXPECT_EQ(variable[1], -6);
}

// As ResourceApplyProximalAdagrad(var, accum, lr, l1, l2, grad).
TEST(GpuTraining, RefusesScalarsThatTheHostHas) {
  const TrainingLaunch& step = LaunchOf("ProximalAdagrad", DType::kFloat);
  TrainingArgs args = {};
  EXPECT_STREQ(step.refusal(args), "lr must be positive");
  const float rate = 0;
  args.scalars[2] = &rate;
  EXPECT_EQ(step.refusal(args), nullptr) << "of what is on the GPU, the kernel notes it";
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
