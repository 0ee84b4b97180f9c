// Ops of the GPU that read and change rows of variables, by the fake of CUDA: inputs as they come,
// what else holds the value, errors. What they compute is tested by
// conformance/gpu/host_row_updates_test.cc and host_row_training_test.cc.
// Tests: link_room.h, row_training.cu, row_training_kernels.cc, row_update_kernels.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::optimized {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Variables v and w, with nodes set_v, read_v, …, and the other nodes of the text; all on the GPU.
class GpuVariableTest : public testing::TestWithParam<ExecutorChoice> {
 protected:
  void Open(const std::string& text, const std::string& dtype = "float") {
    std::string all = text;
    for (const std::string v : {"v", "w"}) {
      const std::string type = " dtype=" + dtype + "\n";
      all += "\n" + v + " = VarHandleOp() shared_name=" + v + type;
      all += "value_" + v + " = Placeholder()" + type;
      all += "set_" + v + " = AssignVariableOp(" + v + ", value_" + v + ")" + type;
      all += "read_" + v + " = ReadVariableOp(" + v + ")" + type;
    }
    TestGraph graph(all, OpRegistry::Standard());
    for (const NodeId id : graph.graph().NodeIds()) {
      graph.mutable_graph().mutable_node(id).device = "/device:GPU:0";
    }
    SessionOptions options;
    options.devices = {"/device:CPU:0", "/device:GPU:0"};
    options.device_kinds = {GpuDevices()};
    options.executor = GetParam();
    session_ = *Session::Create(graph.Take(), options);
  }
  void Set(const std::string& v, const Tensor& value) {
    EXPECT_EQ(Run({{"value_" + v, value}}, {}, {"set_" + v}), "");
  }
  // The error, or what is fetched.
  std::string Run(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                  const std::vector<std::string>& targets = {}) {
    const auto values = session_->Run(feeds, fetches, targets);
    if (!values.ok()) return values.status().ToString();
    std::string text;
    for (const Tensor& value : *values) text += (text.empty() ? "" : "; ") + value.DebugString();
    return text;
  }
  std::string Value(const std::string& v) { return Run({}, {"read_" + v}); }

  std::unique_ptr<Session> session_;
};
INSTANTIATE_TEST_SUITE_P(Executors, GpuVariableTest,
                         testing::Values(ExecutorChoice::kAuto, ExecutorChoice::kTokens));

Tensor Floats(const std::vector<float>& values) { return Tensor::Vector(values); }
Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Column(const std::vector<int32_t>& values) {
  return Ints(values).Reshaped(Dims{static_cast<int64_t>(values.size()), 1});
}

constexpr char kUpdates[] = R"(
    at = Placeholder() dtype=int32
    by = Placeholder() dtype=float
    add = ResourceScatterAdd(v, at, by) dtype=float Tindices=int32
    div = ResourceScatterDiv(v, at, by) dtype=float Tindices=int32
    put = ResourceScatterNdUpdate(v, at, by) T=float Tindices=int32
    take = ResourceGatherNd(v, at) dtype=float Tindices=int32
    before = ReadVariableOp(v) dtype=float
    add_behind = ResourceScatterAdd(v, at, by, ^before) dtype=float Tindices=int32
    after = ReadVariableOp(v, ^add_behind) dtype=float
)";

TEST_P(GpuVariableTest, RowsAreUpdatedAndTaken) {
  Open(kUpdates);
  Set("v", Floats({1, 2, 3}));
  EXPECT_EQ(Run({{"at", Ints({2, 0, 2})}, {"by", Floats({10, 20, 30})}}, {}, {"add"}), "");
  EXPECT_EQ(Value("v"), "float[3] [21, 2, 43]");
  EXPECT_EQ(
      Run({{"at", Tensor::Scalar<int32_t>(1)}, {"by", Tensor::Scalar<float>(4)}}, {}, {"div"}), "");
  EXPECT_EQ(Value("v"), "float[3] [21, 0.5, 43]");
  EXPECT_EQ(Run({{"at", Column({1, 1})}, {"by", Floats({7, 8})}}, {}, {"put"}), "");
  EXPECT_EQ(Run({{"at", Column({1, 0})}}, {"take"}), "float[2] [8, 21]");
}

TEST_P(GpuVariableTest, ChangesAreNotSeenByWhoHasReadBefore) {
  Open(kUpdates);
  Set("v", Floats({1, 2}));
  EXPECT_EQ(Run({{"at", Ints({1})}, {"by", Floats({5})}}, {"before", "after"}, {"add_behind"}),
            "float[2] [1, 2]; float[2] [1, 7]");
}

TEST_P(GpuVariableTest, RefusedUpdatesWriteNothingAndAreToldAsOnTheHost) {
  Open(kUpdates);
  EXPECT_THAT(Run({{"at", Ints({0})}, {"by", Floats({5})}}, {}, {"add"}), HasSubstr("NOT_FOUND"));
  Set("v", Floats({1, 2, 3}));
  EXPECT_THAT(Run({{"at", Ints({0, 3})}, {"by", Floats({5, 6})}}, {}, {"add"}),
              HasSubstr("indices[1] = 3 is not in [0, 3)"));
  EXPECT_THAT(Run({{"at", Ints({0, 3})}, {"by", Floats({0, 6})}}, {}, {"div"}),
              HasSubstr("updates must not hold 0"));
  EXPECT_THAT(Run({{"at", Ints({})}, {"by", Tensor::Scalar<float>(0)}}, {}, {"div"}),
              HasSubstr("updates must not hold 0"));
  EXPECT_THAT(Run({{"at", Column({0, -1})}, {"by", Floats({5, 6})}}, {}, {"put"}),
              HasSubstr("row 1 of the indices is outside"));
  EXPECT_THAT(Run({{"at", Ints({0})}, {"by", Floats({5, 6})}}, {}, {"add"}),
              HasSubstr("Must have updates.shape"));
  EXPECT_THAT(Run({{"at", Column({0, 3})}}, {"take"}), HasSubstr("indices[1] = [3]"));
  EXPECT_EQ(Value("v"), "float[3] [1, 2, 3]");
}

TEST_P(GpuVariableTest, OtherDTypesAreLeftToTheHost) {
  Open(R"(
      at = Placeholder() dtype=int32
      by = Placeholder() dtype=half
      add = ResourceScatterAdd(v, at, by) dtype=half Tindices=int32
  )",
       "half");
  Set("v", Tensor::Vector<Half>({HalfFromFloat(1), HalfFromFloat(2)}));
  EXPECT_EQ(Run({{"at", Ints({1})}, {"by", Tensor::Vector<Half>({HalfFromFloat(3)})}}, {}, {"add"}),
            "");
  EXPECT_EQ(Value("v"), "half[2] [1, 5]");
}

// The rate is a scalar that the GPU makes.
constexpr char kTraining[] = R"(
    rates = Placeholder() dtype=float
    zero = Placeholder() dtype=int32
    rate = Max(rates, zero) T=float Tidx=int32
    grad = Placeholder() dtype=float
    at = Placeholder() dtype=int32
    half = Placeholder() dtype=float
    momentum = ResourceSparseApplyMomentum(v, w, rate, grad, at, half) Tindices=int32
    same = ResourceSparseApplyMomentum(v, v, rate, grad, at, half) Tindices=int32
    proximal = ResourceSparseApplyProximalAdagrad(v, w, rate, half, half, grad, at) Tindices=int32
)";

NamedTensors Feeds(float rate, const Tensor& at, const Tensor& grad) {
  return {{"rates", Floats({rate, -2})},
          {"zero", Tensor::Scalar<int32_t>(0)},
          {"grad", grad},
          {"at", at},
          {"half", Tensor::Scalar<float>(0.5F)}};
}

TEST_P(GpuVariableTest, RowsAreTrainedAgainForEachTimeTheyComeUp) {
  Open(kTraining);
  Set("v", Floats({1, 2}));
  Set("w", Floats({0, 4}));
  EXPECT_EQ(Run(Feeds(1, Ints({0, 0}), Floats({1, 1})), {}, {"momentum"}), "");
  EXPECT_EQ(Value("v"), "float[2] [-1.5, 2]");
  EXPECT_EQ(Value("w"), "float[2] [1.5, 4]");
}

TEST_P(GpuVariableTest, OfTwoInputsThatAreOneVariableTheLaterStays) {
  Open(kTraining);
  Set("v", Floats({8, 8}));
  EXPECT_EQ(Run(Feeds(1, Ints({1, 1}), Floats({1, 1})), {}, {"same"}), "");
  EXPECT_EQ(Value("v"), "float[2] [8, 3.5]");
}

TEST_P(GpuVariableTest, RefusedTrainingWritesNothing) {
  Open(kTraining);
  Set("v", Floats({1, 2}));
  EXPECT_THAT(Run(Feeds(1, Ints({0}), Floats({1})), {}, {"momentum"}), HasSubstr("INTERNAL"));
  Set("w", Floats({3, 4}));
  EXPECT_THAT(Run(Feeds(1, Ints({0, 2}), Floats({1, 1})), {}, {"momentum"}),
              HasSubstr("Index 2 at offset 1 in indices is out of range"));
  EXPECT_THAT(Run(Feeds(-1, Ints({0, 1}), Floats({1, 1})), {}, {"proximal"}),
              HasSubstr("lr must be positive"));
  EXPECT_THAT(Run(Feeds(-1, Ints({0, 2}), Floats({1, 1})), {}, {"proximal"}),
              HasSubstr("Index 2 at offset 1 in indices is out of range"));
  EXPECT_THAT(Run(Feeds(1, Ints({0}), Floats({1, 1})), {}, {"momentum"}),
              HasSubstr("grad must be the same size as indices"));
  EXPECT_EQ(Value("v"), "float[2] [1, 2]");
  EXPECT_EQ(Value("w"), "float[2] [3, 4]");
}

TEST(GpuRowTraining, HasTheFormsOfTheOps) {
  std::vector<std::string> refusing;
  for (const RowTrainingLaunch& launch : Cuda().row_training_launches()) {
    SCOPED_TRACE(launch.name);
    const OpDef* const op = OpRegistry::Standard().Find("ResourceSparseApply" + launch.name);
    ASSERT_NE(op, nullptr);
    const auto gradient = static_cast<size_t>(launch.form.gradient);
    EXPECT_EQ(op->inputs[gradient].name, "grad");
    EXPECT_EQ(op->inputs[gradient + 1].name, "indices");
    EXPECT_EQ(*launch.form.flag != '\0', op->FindAttr(launch.form.flag) != nullptr);
    if (launch.refuses_scalars && launch.dtype == DType::kFloat) refusing.push_back(launch.name);
  }
  EXPECT_THAT(refusing, ElementsAre("Ftrl", "FtrlV2", "ProximalAdagrad"));
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
