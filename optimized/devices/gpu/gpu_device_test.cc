// Sessions over a GPU, or over a fake of one (fake_cuda.h).
// Tests: cuda_api.cc, cuda_memory.cc, cuda_program.cc, cuda_status.cc, cuda_stream.cc
// Tests: cuda_code.cc, gpu_element_kernel.cc, open_gpus.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/cuda_code.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/native/element_text.h"
#include "optimized/native/native_library.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

constexpr char kGpu[] = "/device:GPU:0";

Tensor Vector(size_t size, float value) { return Tensor::Vector(std::vector<float>(size, value)); }

// sum = (x + x) * x + 1, with the first two operations on a GPU.
std::unique_ptr<Session> Open(const GpuOptions& options = {},
                              ExecutorChoice executor = ExecutorChoice::kAuto,
                              NativeChoice native = NativeChoice::kAuto) {
  TestGraph graph(R"(
    x = Placeholder() dtype=float
    one = Const() dtype=float value=1
    twice = AddV2(x, x) T=float
    square = Mul(twice, x) T=float
    sum = AddV2(square, one) T=float
  )",
                  OpRegistry::Standard());
  for (const char* name : {"twice", "square"}) {
    graph.mutable_graph().mutable_node(graph.id(name)).device = kGpu;
  }
  SessionOptions session;
  session.devices = {"/device:CPU:0", kGpu};
  session.device_kinds = {GpuDevices(options)};
  session.executor = executor;
  session.native.choice = native;
  auto opened = Session::Create(graph.Take(), session);
  EXPECT_TRUE(opened.ok()) << opened.status().ToString();
  return opened.ok() ? *std::move(opened) : nullptr;
}

TEST(GpuDevice, RunsKernelsAndCopies) {
  const auto session = Open();
  for (int i = 0; i < 100; ++i) {
    const auto values = session->Run({{"x", Vector(1000, static_cast<float>(i))}}, {"sum"}, {}, {});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ((*values)[0].data<float>()[999], static_cast<float>(2 * i * i + 1));
  }
}

TEST(GpuDevice, KeepsWhatIsFetchedOfIt) {
  const auto session = Open();
  RunOptions options;
  DeviceReport report;
  options.device_report = &report;
  const auto values = session->Run({{"x", Vector(300, 2)}}, {"twice", "square"}, {}, options);
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ((*values)[0].data<float>()[299], 4);
  EXPECT_EQ((*values)[1].data<float>()[299], 8);
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].kernels, 2);
  EXPECT_EQ(report.devices[0].device, kGpu);
}

// Also of what a copy to the GPU has kept while it was enqueued.
TEST(GpuDevice, HasNoMemoryTakenAfterAStep) {
  const auto session = Open({}, ExecutorChoice::kTokens);
  for (int i = 0; i < 2000; ++i) {
    RunOptions options;
    DeviceReport report;
    options.device_report = &report;
    ASSERT_TRUE(session->Run({{"x", Vector(1000, 2)}}, {"sum"}, {}, options).ok());
    ASSERT_EQ(report.devices[0].memory.bytes_resident, 0) << "after step " << i;
  }
}

TEST(GpuDevice, IsUsableAfterMemoryWasShort) {
  const auto session = Open({.memory_bytes = 4096});
  const auto large = session->Run({{"x", Vector(10'000, 1)}}, {"sum"}, {}, {});
  EXPECT_EQ(large.status().code(), Code::kResourceExhausted);
  EXPECT_THAT(large.status().ToString(), HasSubstr(kGpu));
  EXPECT_TRUE(session->Run({{"x", Vector(100, 1)}}, {"sum"}, {}, {}).ok());
  const auto unlimited = Open();
  fake_cuda::LetMallocsFail(2);
  EXPECT_EQ(unlimited->Run({{"x", Vector(100, 1)}}, {"sum"}, {}, {}).status().code(),
            Code::kResourceExhausted);
  fake_cuda::LetMallocsFail(0);
  EXPECT_TRUE(unlimited->Run({{"x", Vector(100, 1)}}, {"sum"}, {}, {}).ok());
}

// Steps that are alike are a program (straight/step_program.h), which is given other values each
// time.
TEST(GpuDevice, RunsProgramsAndSessionsBesideEachOther) {
  const auto one = Open(), other = Open();
  for (int i = 0; i < 5; ++i) {
    const auto f = static_cast<float>(i);
    for (Session* const session : {one.get(), other.get()}) {
      const auto values = session->Run({{"x", Vector(300, f)}}, {"sum"}, {}, {});
      ASSERT_TRUE(values.ok()) << values.status().ToString();
      EXPECT_EQ((*values)[0].data<float>()[299], 2 * f * f + 1);
    }
  }
}

// The two operations on it are one kernel, where there is a library that makes it.
TEST(GpuDevice, RunsKernelsOfSeveralNodes) {
  const auto session = Open({}, ExecutorChoice::kAuto, NativeChoice::kAlways);
  for (const float f : {1.f, 2.f, 3.f, 4.f}) {
    const auto values = session->Run({{"x", Vector(300, f)}}, {"sum"}, {}, {});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ((*values)[0].data<float>()[299], 2 * f * f + 1);
  }
}

// CUDA itself, which has no GPU where there is no driver: that is an error and no crash.
TEST(GpuDevice, CudaTakesKernels) {
  if (CodeOfCuda() == nullptr) GTEST_SKIP() << "a CUDA before version 13";
  if (NativeLibrary::Get() == nullptr) GTEST_SKIP() << NativeLibrary::WhyNot();
  const ElementInput input = {{DType::kInt32, {4}}, false};
  const ScalarCall add = {.input = DType::kInt32,
                          .output = DType::kInt32,
                          .body = "Add_i32",
                          .computes = DType::kInt32,
                          .result = DType::kInt32};
  const ElementProgram program = {{input}, {{.call = add, .inputs = {0, 0}}}};
  const auto made = CodeOfCuda()->make(ElementText(program, *TypesOfValues(program), {1}));
  EXPECT_THAT(made.status().message(), HasSubstr(made.ok() ? "" : "loading a kernel"));
}

TEST(GpuDevice, SaysThatItIsLost) {
  for (const NativeChoice native : {NativeChoice::kOff, NativeChoice::kAlways}) {
    const auto session = Open({}, ExecutorChoice::kAuto, native);
    fake_cuda::LoseGpu();
    for (int i = 0; i < 2; ++i) {
      const Status status = session->Run({{"x", Vector(100, 1)}}, {"sum"}, {}, {}).status();
      EXPECT_EQ(status.code(), Code::kUnavailable);
      EXPECT_THAT(status.message(), HasSubstr("start it anew"));
    }
    fake_cuda::FindGpuAgain();
  }
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
