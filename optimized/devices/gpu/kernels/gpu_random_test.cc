// Random numbers of the GPU by the fake of CUDA: a node draws what it would draw on the host, in
// all of its firings. Which numbers these are is tested by conformance/gpu/host_random_test.cc.
// Tests: random.cu, random_kernels.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::optimized {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

// What a node of that op gives on the GPU; it gives the same on the host, an error too.
std::string Give(const std::string& op, const std::string& attrs,
                 const std::vector<Tensor>& inputs) {
  const auto on = [&](const char* device) {
    const Result<Tensor> value = RunOpOn(device, op, attrs, inputs);
    return value.ok() ? value->DebugString() : value.status().ToString();
  };
  const std::string given = on(kGpu);
  EXPECT_EQ(given, on(kCpu));
  return given;
}

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Int(int32_t value) { return Tensor::Scalar(value); }

TEST(GpuRandom, DrawsWhatTheHostDraws) {
  const Tensor seed = Tensor::Vector<int64_t>({1, 2});
  const std::string by_seed = "dtype=float T=int32 Tseed=int64";
  EXPECT_EQ(Give("StatelessRandomUniform", by_seed, {Ints({5}), seed}),
            "float[5] [0.8440604, 0.19204533, 0.9962232, 0.1603874, 0.27199018]");
  Give("StatelessRandomNormal", by_seed, {Ints({3, 7}), seed});
  const Tensor key = Tensor::Vector<uint64_t>({3}), counter = Tensor::Vector<uint64_t>({0, 1});
  Give("StatelessTruncatedNormalV2", "dtype=double Tshape=int32",
       {Ints({101}), key, counter, Int(1)});
  Give("RandomUniformInt", "Tout=int32 T=int32 seed=3", {Ints({9}), Int(-2), Int(5)});
}

TEST(GpuRandom, LeavesSingleNumbersToTheHost) {
  Give("RandomUniform", "dtype=float T=int32 seed=3", {Ints({})});
  Give("RandomUniform", "dtype=float T=int32 seed=3", {Ints({1})});
}

TEST(GpuRandom, DrawsNothing) {
  EXPECT_EQ(Give("RandomStandardNormal", "dtype=double T=int32", {Ints({0, 2})}), "double[0,2] []");
  EXPECT_EQ(Give("RandomUniformInt", "Tout=int64 T=int32",
                 {Ints({0}), Tensor::Scalar<int64_t>(5), Tensor::Scalar<int64_t>(2)}),
            "int64[0] []");
}

TEST(GpuRandom, RefusesWhatTheHostRefuses) {
  EXPECT_THAT(Give("RandomUniform", "dtype=float T=int32", {Ints({-1})}), HasSubstr("negative"));
  EXPECT_THAT(Give("RandomUniformInt", "Tout=int32 T=int32", {Ints({2}), Int(5), Int(5)}),
              HasSubstr("minval must be less than maxval"));
  const Tensor key = Tensor::Vector<uint64_t>({3}), counter = Tensor::Vector<uint64_t>({0, 1});
  EXPECT_THAT(Give("StatelessRandomUniformV2", "dtype=float Tshape=int32",
                   {Ints({2}), key, counter, Int(2)}),
              HasSubstr("no random algorithm 2"));
}

TEST(GpuRandom, MakesKeysOnTheHost) {
  EXPECT_EQ(Give("StatelessRandomGetKeyCounter", "Tseed=int64", {Tensor::Vector<int64_t>({1, 2})}),
            "uint64[1] [10413732777507651514]");
  EXPECT_EQ(Give("StatelessRandomGetAlg", "", {}), "int32[] 1");
}

// ---- Streams of nodes ----

std::unique_ptr<Session> Open(const char* device, const std::string& text,
                              ExecutorChoice executor = ExecutorChoice::kAuto) {
  TestGraph graph(text, OpRegistry::Standard());
  SessionOptions options;
  options.devices = {device};
  if (device == std::string(kGpu)) options.devices.push_back(kCpu);
  options.device_kinds = {GpuDevices()};
  options.executor = executor;
  auto opened = Session::Create(graph.Take(), options);
  EXPECT_TRUE(opened.ok()) << opened.status().ToString();
  return *std::move(opened);
}

std::string Step(const Callable& callable, const std::vector<Tensor>& feeds) {
  const auto values = callable.Run(feeds);
  return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
}

TEST(GpuRandom, GoesOnWhereTheLastStepEnded) {
  const std::string text = R"(
    shape = Placeholder() dtype=int32
    out = TruncatedNormal(shape) dtype=float T=int32 seed=3 seed2=4
  )";
  for (const ExecutorChoice executor : {ExecutorChoice::kAuto, ExecutorChoice::kTokens}) {
    const auto on_gpu = Open(kGpu, text, executor), on_host = Open(kCpu, text);
    const auto gpu = on_gpu->MakeCallable({"shape"}, {"out"});
    const auto host = on_host->MakeCallable({"shape"}, {"out"});
    for (const Tensor& shape : {Ints({5}), Ints({5}), Ints({5}), Ints({}), Ints({5})}) {
      EXPECT_EQ(Step(**gpu, {shape}), Step(**host, {shape}));
    }
  }
}

TEST(GpuRandom, DrawsAnewInEachIterationOfALoopThatTheGpuDecides) {
  const std::string text = R"(
    x = Placeholder() dtype=float
    limit = Placeholder() dtype=float
    axes = Placeholder() dtype=int32
    shape = Placeholder() dtype=int32
    x_in = Enter(x) T=float frame_name=f
    limit_in = Enter(limit) T=float frame_name=f is_constant=true
    axes_in = Enter(axes) T=int32 frame_name=f is_constant=true
    shape_in = Enter(shape) T=int32 frame_name=f is_constant=true
    y = Merge(x_in, y_next) T=float
    sum = Sum(y, axes_in) T=float Tidx=int32
    below = Less(sum, limit_in) T=float
    again = LoopCond(below)
    way = Switch(y, again) T=float
    shape_way = Switch(shape_in, again) T=int32
    drawn = RandomUniform(shape_way:1) dtype=float T=int32 seed=3 seed2=4
    more = AddV2(way:1, drawn) T=float
    y_next = NextIteration(more) T=float
    out = Exit(way:0) T=float
  )";
  const std::vector<std::string> feeds = {"x", "limit", "axes", "shape"};
  const auto on_gpu = Open(kGpu, text), on_host = Open(kCpu, text);
  const auto gpu = on_gpu->MakeCallable(feeds, {"out"});
  const auto host = on_host->MakeCallable(feeds, {"out"});
  for (int i = 0; i < 3; ++i) {
    const std::vector<Tensor> values = {Tensor::Vector<float>({0, 0}), Tensor::Scalar<float>(10),
                                        Ints({0}), Ints({2})};
    EXPECT_EQ(Step(**gpu, values), Step(**host, values));
  }
  EXPECT_THAT((*gpu)->Notes(), Contains(HasSubstr("'again' runs by the host")));
}

// [device.1]
TEST(GpuRandom, DrawsNothingBehindAKernelThatFailed) {
  const std::string text = R"(
    x = Placeholder() dtype=float
    at = Placeholder() dtype=int32
    shape = Placeholder() dtype=int32
    taken = Gather(x, at) Tparams=float Tindices=int32
    out = RandomUniform(shape, ^taken) dtype=float T=int32 seed=3 seed2=4
  )";
  for (const ExecutorChoice executor : {ExecutorChoice::kAuto, ExecutorChoice::kTokens}) {
    const auto on_gpu = Open(kGpu, text, executor), on_host = Open(kCpu, text);
    const auto gpu = on_gpu->MakeCallable({"x", "at", "shape"}, {"out"});
    const auto host = on_host->MakeCallable({"x", "at", "shape"}, {"out"});
    for (const int32_t at : {0, 2, 1}) {  // 2 is outside
      const std::vector<Tensor> values = {Tensor::Vector<float>({0, 1}), Ints({at, 0}), Ints({2})};
      EXPECT_EQ(Step(**gpu, values), Step(**host, values));
    }
  }
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
