#include "cli/observed_tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fuzz/harness/token_diff.h"
#include "graph/test_graph.h"

namespace tagflow::cli {
namespace {

// i = 0; while i < n: i = -(-i - 1)
constexpr char kLoop[] = R"(
  n = Placeholder() dtype=int32
  zero = Const() dtype=int32 value=0
  one = Const() dtype=int32 value=1
  e = Enter(zero) T=int32 frame_name=loop
  k = Enter(n) T=int32 frame_name=loop is_constant=true
  o = Enter(one) T=int32 frame_name=loop is_constant=true
  i = Merge(e, next) T=int32
  less = Less(i, k) T=int32
  go = LoopCond(less)
  s = Switch(i, go) T=int32
  minus = Neg(s:1) T=int32
  lower = Sub(minus, o) T=int32
  up = Neg(lower) T=int32
  next = NextIteration(up) T=int32
  out = Exit(s:0) T=int32
)";

class ObservedTokensTest : public ::testing::Test {
 protected:
  ObservedTokensTest() : calls_{TestGraph(kLoop, OpRegistry::Standard()).Take(), {}} {
    calls_.calls.push_back({{{"n", Tensor::Scalar<int32_t>(2)}}, {"out"}, {}});
    guide_ = *fuzz::TraceReference(calls_, 10);
  }

  fuzz::TokenTrace Trace(const std::string& engine, const OpLibrary& library = {}) {
    return *TraceObserved(engine, library, 10, calls_, guide_);
  }
  static std::string Of(const fuzz::TokenTrace& trace, const std::string& name,
                        const std::string& tag) {
    for (const fuzz::TokenEvent& event : trace.events) {
      if (event.name == name && event.tag == tag) return event.outputs[0].value.DebugString();
    }
    return "none";
  }

  fuzz::CallSequence calls_;
  fuzz::TokenTrace guide_;
};

TEST_F(ObservedTokensTest, HasWhatKernelsGiveInLoopsAndWhatIsFetched) {
  for (const char* engine : {"optimized-straight", "optimized-tokens", "optimized-tokens:2"}) {
    const fuzz::TokenTrace trace = Trace(engine);
    EXPECT_TRUE(trace.partial);
    EXPECT_EQ(Of(trace, "lower (Sub)", "loop[0]"), "int32[] -1");
    EXPECT_EQ(Of(trace, "lower (Sub)", "loop[1]"), "int32[] -2");
    EXPECT_EQ(Of(trace, "lower (Sub)", "loop[2]"), "none");
    EXPECT_EQ(Of(trace, "out (Exit)", "loop[2]"), "int32[] 2");
    EXPECT_FALSE(fuzz::FirstDifference(calls_, trace, guide_).has_value());
  }
}

TEST_F(ObservedTokensTest, AWrongKernelInALoopIsFoundWhereItRan) {
  optimized::KernelRegistry kernels;
  const optimized::KernelRegistry& standard = optimized::KernelRegistry::Standard();
  for (const std::string& op : standard.Ops()) {
    const optimized::Binder wrong =
        [](const optimized::Binding&) -> Result<optimized::BoundKernel> {
      return optimized::BoundKernel([](optimized::KernelContext& context) {
        const int32_t a = context.input(0).scalar<int32_t>();
        // Wrong from -1 on.
        context.output(0) = Tensor::Scalar<int32_t>(a < 0 ? a - 2 : a - 1);
        return Status();
      });
    };
    ASSERT_TRUE(kernels.Register(op, op == "Sub" ? wrong : standard.Find(op)->bind).ok());
  }
  const fuzz::TokenTrace trace = Trace("optimized", {.kernels = &kernels});
  const auto difference = fuzz::FirstDifference(calls_, trace, guide_);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->node, "lower (Sub)");
  EXPECT_EQ(difference->tag, "loop[1]");
  EXPECT_EQ(difference->actual, "int32[] -3");
  EXPECT_EQ(difference->expected, "int32[] -2");
}

TEST_F(ObservedTokensTest, OtherEnginesHaveNoKernelsToObserve) {
  for (const char* engine : {"reference", "python3 engine.py"}) {
    EXPECT_EQ(TraceObserved(engine, {}, 10, calls_, guide_).status().code(),
              Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tagflow::cli
