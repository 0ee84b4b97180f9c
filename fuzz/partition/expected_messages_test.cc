#include "fuzz/partition/expected_messages.h"

#include <gtest/gtest.h>

#include "fuzz/partition/placed_session.h"
#include "graph/test_graph.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }

// Of a loop on a, with c squared on b and what comes out taken on b.
TEST(ExpectedMessages, AreTheTokensOfWhatIsCut) {
  const TestGraph test(R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    c = Const(^n) dtype=int32 value=5
    enter = Enter(zero) T=int32 frame_name=loop
    n_enter = Enter(n) T=int32 frame_name=loop is_constant=true
    c_enter = Enter(c) T=int32 frame_name=loop is_constant=true
    i = Merge(enter, next) T=int32
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    switch = Switch(i, again) T=int32
    square = Square(c_enter, ^switch) T=int32
    sum = AddV2(switch:1, square) T=int32
    next = NextIteration(sum) T=int32
    exit = Exit(switch) T=int32
    out = Neg(exit) T=int32
  )",
                       OpRegistry::Standard());
  const Graph& graph = test.graph();
  const Placement placement =
      PlacementOf(graph, {"a", "b"}, {{"square", "b"}, {"out", "b"}, {"n", "b"}});
  auto session = reference::Session::Create(graph.Clone());
  std::vector<reference::TraceEvent> events;
  reference::RunOptions options;
  options.trace = [&](const reference::TraceEvent& event) { events.push_back(event); };
  ASSERT_TRUE((*session)->Run({{"n", Int(5)}}, {"out"}, {}, options).ok());
  const ExpectedMessages expected(graph, test.Call({"n"}, {"out"}), placement);
  EXPECT_EQ(expected.After(events),
            "a;b;^switch;loop[0]\n"
            "a;b;^switch;loop[1]\n"
            "a;b;again:0;loop[0]\n"
            "a;b;again:0;loop[1]\n"
            "a;b;c:0;\n"
            "a;b;exit:0;\n"
            "b;a;^n;\n"
            "b;a;n:0;\n"
            "b;a;square:0;loop[0]\n"
            "b;a;square:0;loop[1]\n");
  PlacedSession placed(graph.Clone(), placement);
  ASSERT_TRUE(placed.Run({{"n", Int(5)}}, {"out"}).ok());
  EXPECT_EQ(TextOf(placed.last().sent()), expected.After(events));
}

TEST(ExpectedMessages, DeadOnesAreMarked) {
  EXPECT_EQ(TextOf({{"b;a;x:0;", true}, {"a;b;y:0;f[0]", false}}), "a;b;y:0;f[0]\nb;a;x:0; dead\n");
}

}  // namespace
}  // namespace tagflow::fuzz
