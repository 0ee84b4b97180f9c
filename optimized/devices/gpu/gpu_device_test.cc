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
#include "optimized/devices/gpu/cuda_memory.h"
#include "optimized/devices/gpu/cuda_stream.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/native/element_text.h"
#include "optimized/native/native_library.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

constexpr char kGpu[] = "/device:GPU:0", kOther[] = "/device:GPU:1";

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

TEST(GpuDevice, AStreamThatWaitsForAnEventIsToldOfItsError) {
  cudaStream_t handles[2] = {};
  ASSERT_EQ(Cuda().set_device(0), cudaSuccess);
  for (cudaStream_t& handle : handles) {
    ASSERT_EQ(Cuda().stream_create(&handle, cudaStreamNonBlocking), cudaSuccess);
  }
  {
    CudaMemory memory(0, 0, 0, handles[0]);
    const CudaMemory not_its(1, 1, 0, handles[0]);
    CudaStream first(memory, handles[0]), second(memory, handles[1]);
    const Tensor x = *Tensor::AllocateUninitialized(DType::kFloat, Dims{4}, memory);
    const Tensor y = *Tensor::AllocateUninitialized(DType::kFloat, Dims{4}, memory);
    first.CopyAcross(x, not_its, y);  // which CUDA refuses
    second.Wait(first.Record());
    EXPECT_FALSE(second.Record()->Await().ok());
    EXPECT_TRUE(second.Record()->Await().ok()) << "told once";
    first.Settle();
  }
  for (const cudaStream_t handle : handles) (void)Cuda().stream_destroy(handle);
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

// ---- Two GPUs ----

class TwoGpus : public testing::TestWithParam<ExecutorChoice> {
 protected:
  ~TwoGpus() override { fake_cuda::LetGpusReach(0, 1, true); }

  // there: nodes and devices that they ask for
  static std::unique_ptr<Session> OpenTwo(
      const std::string& text, const std::vector<std::pair<std::string, std::string>>& there,
      const GpuOptions& options = {}) {
    TestGraph graph(text, OpRegistry::Standard());
    for (const auto& [node, device] : there) {
      graph.mutable_graph().mutable_node(graph.id(node)).device = device;
    }
    SessionOptions session;
    session.devices = {"/device:CPU:0", kGpu, kOther};
    session.device_kinds = {GpuDevices(options)};
    session.executor = GetParam();
    auto opened = Session::Create(graph.Take(), session);
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return opened.ok() ? *std::move(opened) : nullptr;
  }
  // ((x + x) * x) * x, between the two and back.
  static std::unique_ptr<Session> OpenSquares() {
    return OpenTwo(R"(
      x = Placeholder() dtype=float
      twice = AddV2(x, x) T=float
      square = Mul(twice, x) T=float
      cube = Mul(square, twice) T=float
    )",
                   {{"twice", kGpu}, {"square", kOther}, {"cube", kGpu}});
  }
  static void ExpectCubes(Session& session) {
    for (int i = 0; i < 100; ++i) {
      const auto f = static_cast<float>(i);
      const auto values = session.Run({{"x", Vector(1000, f)}}, {"cube"}, {}, {});
      ASSERT_TRUE(values.ok()) << values.status().ToString();
      EXPECT_EQ((*values)[0].data<float>()[999], 4 * f * f * f);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Executors, TwoGpus,
                         testing::Values(ExecutorChoice::kAuto, ExecutorChoice::kTokens,
                                         ExecutorChoice::kSharedTokens));

TEST_P(TwoGpus, CopyStraightWhereTheyReachEachOther) {
  const fake_cuda::PeerCopies before = fake_cuda::CountPeerCopies();
  const auto session = OpenSquares(), another = OpenSquares();  // what is enabled stays so
  ExpectCubes(*session);
  ExpectCubes(*another);
  EXPECT_GE(fake_cuda::CountPeerCopies().straight, before.straight + 400);
  EXPECT_EQ(fake_cuda::CountPeerCopies().staged, before.staged);
}

TEST_P(TwoGpus, CopyByTheWayThereIsWhereTheyDoNot) {
  fake_cuda::LetGpusReach(0, 1, false);
  const fake_cuda::PeerCopies before = fake_cuda::CountPeerCopies();
  ExpectCubes(*OpenSquares());
  EXPECT_EQ(fake_cuda::CountPeerCopies().straight, before.straight);
  EXPECT_GE(fake_cuda::CountPeerCopies().staged, before.staged + 200);
}

TEST_P(TwoGpus, LeaveNothingBehind) {
  const auto session = OpenSquares();
  for (int i = 0; i < 500; ++i) {
    RunOptions options;
    DeviceReport report;
    options.device_report = &report;
    ASSERT_TRUE(session->Run({{"x", Vector(1000, 2)}}, {"cube"}, {}, options).ok());
    ASSERT_EQ(report.devices.size(), 2u);
    for (const DeviceStats& gpu : report.devices) {
      ASSERT_EQ(gpu.memory.bytes_resident, 0) << gpu.device << " after step " << i;
    }
  }
}

// The host is ahead of both GPUs, with more tensors on their way than fit into their memory.
TEST_P(TwoGpus, WaitForCopiesWhereMemoryIsShort) {
  const auto session =
      OpenTwo(R"(
      n = Placeholder() dtype=int32
      x = Placeholder() dtype=float
      zero = Const() dtype=int32 value=0
      one = Const() dtype=int32 value=1
      i_in = Enter(zero) T=int32 frame_name=f
      y_in = Enter(x) T=float frame_name=f
      s_in = Enter(x) T=float frame_name=f
      n_in = Enter(n) T=int32 frame_name=f is_constant=true
      one_in = Enter(one) T=int32 frame_name=f is_constant=true
      i = Merge(i_in, i_next) T=int32
      y = Merge(y_in, y_next) T=float
      s = Merge(s_in, s_next) T=float
      less = Less(i, n_in) T=int32
      again = LoopCond(less)
      i_way = Switch(i, again) T=int32
      y_way = Switch(y, again) T=float
      s_way = Switch(s, again) T=float
      i_sum = AddV2(i_way:1, one_in) T=int32
      y_turned = Neg(y_way:1) T=float
      s_sum = AddV2(s_way:1, y_turned) T=float
      i_next = NextIteration(i_sum) T=int32
      y_next = NextIteration(y_turned) T=float
      s_next = NextIteration(s_sum) T=float
      s_out = Exit(s_way:0) T=float
    )",
              {{"y_turned", kGpu}, {"s_sum", kOther}}, {.memory_bytes = 100'000, .swaps = false});
  for (int i = 0; i < 3; ++i) {
    const auto values = session->Run({{"x", Vector(1000, 3)}, {"n", Tensor::Scalar<int32_t>(501)}},
                                     {"s_out"}, {}, {});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ((*values)[0].data<float>()[999], 0);
  }
}

// The fault of one is that of the step, whatever the other makes of what is not there.
TEST_P(TwoGpus, EndWithTheFirstFault) {
  const auto session = OpenTwo(R"(
      x = Placeholder() dtype=int32
      y = Placeholder() dtype=int32
      v = VarHandleOp() dtype=int32 shape=[] shared_name=v
      first = FloorDiv(x, y) T=int32
      second = FloorDiv(y, first) T=int32
      write = AssignVariableOp(v, second) dtype=int32
      read = ReadVariableOp(v) dtype=int32
    )",
                               {{"first", kOther}, {"second", kGpu}});
  const Tensor one = Tensor::Vector<int32_t>({1, 1}), zero = Tensor::Vector<int32_t>({1, 0});
  EXPECT_TRUE(session->Run({{"x", one}, {"y", one}}, {}, {"write"}, {}).ok());
  const Status status = session->Run({{"x", one}, {"y", zero}}, {}, {"write"}, {}).status();
  EXPECT_THAT(status.ToString(), HasSubstr("[node first"));
  const auto kept = session->Run({}, {"read"}, {}, {});
  ASSERT_TRUE(kept.ok()) << kept.status().ToString();
  EXPECT_EQ((*kept)[0].DebugString(), "int32[2] [1, 1]");
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
