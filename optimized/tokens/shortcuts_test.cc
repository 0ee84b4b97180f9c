#include "optimized/tokens/shortcuts.h"

#include <gtest/gtest.h>

#include "optimized/tokens/test_run.h"

namespace tagflow::optimized::tokens {
namespace {

class Plans {
 public:
  explicit Plans(const std::string& text) : graph_(text, OpRegistry::Standard()) {
    call_ = graph_.Call({"n"}, {"i_exit"});
    valid_ = *ValidateCall(graph_.graph(), call_);
    plan = *MakeTokenPlan({graph_.graph(), call_, valid_, KernelRegistry::Standard(), 1});
  }
  const PlanNode& Node(const std::string& name) const {
    return plan.nodes[static_cast<size_t>(plan.index[Index(graph_.id(name))])];
  }
  const FramePlan& loop() const { return plan.frames[1]; }

 private:
  TestGraph graph_;
  CallSpec call_;
  ValidatedCall valid_;

 public:
  TokenPlan plan;
};

TEST(Shortcuts, ADeadExitIsAMarkAndADeadNextIterationNothing) {
  const Plans plans(CountingLoop());
  const PlanNode& way = plans.Node("i_switch");
  ASSERT_EQ(way.num_edges, 2u);
  EXPECT_EQ(way.edges[0].kind, EdgeKind::kExit);
  EXPECT_EQ(plans.Node("sum").edges->kind, EdgeKind::kNext);
}

TEST(Shortcuts, ANextIterationIsTheMergeThatItLeadsTo) {
  const Plans plans(CountingLoop());
  const PlanNode& head = plans.plan.nodes[plans.loop().first_node + plans.Node("i_next").detail];
  EXPECT_EQ(&head, &plans.Node("i"));
}

TEST(Shortcuts, UnlessSomebodySeesWhichInputTheMergeTook) {
  const Plans seen(R"(
    n = Placeholder() dtype=int32
    enter = Enter(n) T=int32 frame_name=loop
    head = Merge(enter, next) T=int32
    way = AddV2(head, head:1) T=int32
    less = Less(way, way) T=int32
    again = LoopCond(less)
    turn = Switch(way, again) T=int32
    next = NextIteration(turn:1) T=int32
    i_exit = Exit(turn:0) T=int32
  )");
  EXPECT_EQ(seen.Node("next").detail, PlanNode::kNoPlace);
}

TEST(Shortcuts, ConstantsAreCountedIn) {
  const Plans plans(CountingLoop());
  const uint32_t less = static_cast<uint32_t>(&plans.Node("less") - plans.plan.nodes.data()) -
                        plans.loop().first_node;
  EXPECT_TRUE(plans.loop().has_simple_constants);
  EXPECT_EQ(plans.loop().counts[0][less], Arrivals::Initial(2));
  EXPECT_EQ(plans.loop().counts[1][less], Arrivals::Initial(1));
  EXPECT_TRUE(plans.loop().due_by_constants.empty());
}

// What hangs on constants alone is due as an iteration begins.
TEST(Shortcuts, AnIterationBeginsWithWhatConstantsMakeDue) {
  std::string text = CountingLoop();
  text.replace(text.find("AddV2(body, one)"), 16, "AddV2(body, half)");
  const Plans plans(text + "    half = Sub(n_enter, n_enter) T=int32\n");
  ASSERT_EQ(plans.loop().due_by_constants.size(), 1u);
  EXPECT_EQ(
      plans.plan.nodes[plans.loop().first_node + plans.loop().due_by_constants[0].target].role,
      Role::kKernel);
}

// Such an iteration, in every mode: the effect of a block used again is that of a new one.
class Runs : public testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(Modes, Runs, testing::ValuesIn(AllModes()), [](const auto& info) {
  return "threads" + std::to_string(info.param.threads) + "_seed" + std::to_string(info.param.seed);
});

TEST_P(Runs, ALoopOverConstantsThatHoldMemory) {
  TestRun run(R"(
    n = Placeholder() dtype=int32
    v = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    i_in = Enter(zero) T=int32 frame_name=loop parallel_iterations=3
    s_in = Enter(v) T=int32 frame_name=loop parallel_iterations=3
    n_in = Enter(n) T=int32 frame_name=loop is_constant=true parallel_iterations=3
    v_in = Enter(v) T=int32 frame_name=loop is_constant=true parallel_iterations=3
    i = Merge(i_in, i_next) T=int32
    s = Merge(s_in, s_next) T=int32
    again = Less(i, n_in) T=int32
    i_way = Switch(i, again) T=int32
    s_way = Switch(s, again) T=int32
    one = Const(^i_way) dtype=int32 value=1
    i_sum = AddV2(i_way:1, one) T=int32
    twice = AddV2(v_in, v_in) T=int32
    s_sum = AddV2(s_way:1, twice) T=int32
    i_next = NextIteration(i_sum) T=int32
    s_next = NextIteration(s_sum) T=int32
    i_exit = Exit(i_way:0) T=int32
    s_exit = Exit(s_way:0) T=int32
  )",
              GetParam());
  const Feeds feeds = {{"n", Int(7)}, {"v", Tensor::Vector<int32_t>({1, 2})}};
  const auto made = run.Make(feeds, {"i_exit", "s_exit"});
  ASSERT_TRUE(made.ok());
  for (int step = 0; step < 3; ++step) {
    const auto values = run.Run(**made, feeds);
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ((*values)[1].DebugString(), "int32[2] [15, 30]");
  }
}

}  // namespace
}  // namespace tagflow::optimized::tokens
