// Which calls come behind each other, over a fake of CUDA.
// Tests: element_calls.cc

#include "optimized/straight/gather_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/native/native_library.h"
#include "optimized/session.h"
#include "optimized/straight/test_step.h"

namespace tagflow::optimized {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr DType kFloat = DType::kFloat;

class GatherCalls : public testing::Test {
 protected:
  GatherCalls() { SetCuda(fake_cuda::Api()); }
  void SetUp() override {
    if (NativeLibrary::Get() == nullptr) GTEST_SKIP() << NativeLibrary::WhyNot();
  }

  // How the graph of x and y, two matrices, runs; its values are those without chains.
  static std::vector<std::string> NotesOf(const std::string& text, const std::string& fetch) {
    std::string values[2];
    std::vector<std::string> notes;
    for (const NativeChoice choice : {NativeChoice::kOff, NativeChoice::kAlways}) {
      TestGraph graph("x = Placeholder() dtype=float\ny = Placeholder() dtype=float\n" + text,
                      OpRegistry::Standard());
      SessionOptions options;
      options.devices = {"/device:GPU:0", "/device:CPU:0"};
      options.device_kinds = {GpuDevices()};
      options.native.choice = choice;
      const auto session = *Session::Create(graph.Take(), options);
      const auto callable = session->MakeCallable({"x", "y"}, {fetch});
      EXPECT_TRUE(callable.ok()) << callable.status().ToString();
      const std::vector<Tensor> feeds = {TestNumbers(kFloat, Dims{3, 3}, 1),
                                         TestNumbers(kFloat, Dims{3, 3}, 2)};
      const auto results = (*callable)->Run(feeds);
      EXPECT_TRUE(results.ok()) << results.status().ToString();
      if (results.ok()) values[choice == NativeChoice::kOff] = (*results)[0].DebugString();
      notes = (*callable)->Notes();
    }
    EXPECT_EQ(values[0], values[1]) << text;
    return notes;
  }
};

TEST_F(GatherCalls, OthersThatDependOnNoneComeFirst) {
  const auto notes = NotesOf(R"(
      a = Neg(x) T=float
      p = MatMul(x, y) T=float
      b = Mul(a, p) T=float
      q = MatMul(y, x) T=float
      c = Mul(b, q) T=float
  )",
                             "c");
  EXPECT_THAT(notes, Contains("up to 'c': 3 calls as 1 kernel"));
}

TEST_F(GatherCalls, OthersThatDependOnSomeDivideThem) {
  const auto notes = NotesOf(R"(
      a = Neg(x) T=float
      b = Mul(a, y) T=float
      p = MatMul(b, y) T=float
      c = Mul(p, p) T=float
      d = Tanh(c) T=float
  )",
                             "d");
  EXPECT_THAT(notes, Contains("up to 'b': 2 calls as 1 kernel"));
  EXPECT_THAT(notes, Contains("up to 'd': 2 calls as 1 kernel"));
}

// Its counter is the host's, and no step of a chain.
TEST_F(GatherCalls, CountersAreNoSteps) {
  const auto notes = NotesOf(R"(
      n = Const() dtype=int32 value=3
      zero = Const() dtype=int32 value=0
      one = Const() dtype=int32 value=1
      i_in = Enter(zero) T=int32 frame_name=f
      z_in = Enter(x) T=float frame_name=f
      n_in = Enter(n) T=int32 frame_name=f is_constant=true
      one_in = Enter(one) T=int32 frame_name=f is_constant=true
      y_in = Enter(y) T=float frame_name=f is_constant=true
      i = Merge(i_in, i_next) T=int32
      z = Merge(z_in, z_next) T=float
      less = Less(i, n_in) T=int32
      again = LoopCond(less)
      i_way = Switch(i, again) T=int32
      z_way = Switch(z, again) T=float
      i_sum = AddV2(i_way:1, one_in) T=int32
      i_square = Square(i_sum) T=int32
      turned = Neg(z_way:1) T=float
      i_back = Sub(i_square, i_square) T=int32
      i_more = AddV2(i_sum, i_back) T=int32
      moved = AddV2(turned, y_in) T=float
      i_next = NextIteration(i_more) T=int32
      z_next = NextIteration(moved) T=float
      out = Exit(z_way:0) T=float
  )",
                             "out");
  EXPECT_THAT(notes, Contains(HasSubstr("2 calls as 1 kernel")));
}

}  // namespace
}  // namespace tagflow::optimized
