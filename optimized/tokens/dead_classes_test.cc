#include "optimized/tokens/dead_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "optimized/tokens/test_run.h"

namespace tagflow::optimized::tokens {
namespace {

using testing::HasSubstr;

// `name`0 = first + step, and so on: `count` sums, each of the one before and `step`.
std::string Chain(const std::string& name, const std::string& first, const std::string& step,
                  int count) {
  std::string text, last = first;
  for (int i = 0; i < count; ++i) {
    const std::string next = name + std::to_string(i);
    text += next + " = AddV2(" + last + ", " + step + ") T=int32\n";
    last = next;
  }
  return text;
}

// cond(p, a + count x, a)
std::string Branch(int count) {
  return R"(
    p = Placeholder() dtype=bool
    a = Placeholder() dtype=int32
    x = Placeholder() dtype=int32
    a_way = Switch(a, p) T=int32
    x_way = Switch(x, p) T=int32
    no = Identity(a_way:0) T=int32
  )" + Chain("s", "a_way:1", "x_way:1", count) +
         "joined = Merge(no, s" + std::to_string(count - 1) + ") T=int32\n";
}

class Plans {
 public:
  Plans(const std::string& text, const std::vector<std::string>& feeds,
        const std::vector<std::string>& fetches, const std::vector<std::string>& targets = {})
      : graph_(text, OpRegistry::Standard()) {
    call_ = graph_.Call(feeds, fetches, targets);
    valid_ = *ValidateCall(graph_.graph(), call_);
    plan = *MakeTokenPlan({graph_.graph(), call_, valid_, KernelRegistry::Standard(), 1});
  }
  // The class of a node; null where it has none.
  const PlanNode* ClassOf(const std::string& name) const {
    const auto index = static_cast<size_t>(plan.index[Index(graph_.id(name))]);
    const uint32_t dead_class = plan.infos[index].dead_class;
    return dead_class == NodeInfo::kNoClass ? nullptr : &plan.nodes[dead_class];
  }

 private:
  TestGraph graph_;
  CallSpec call_;
  ValidatedCall valid_;

 public:
  TokenPlan plan;
};

TEST(DeadClasses, ABranchIsOneWithAFrontierOfOneEdge) {
  const Plans plans(Branch(20), {"p", "a", "x"}, {"joined"});
  const PlanNode* const branch = plans.ClassOf("s0");
  ASSERT_NE(branch, nullptr);
  for (int i = 1; i < 20; ++i) EXPECT_EQ(plans.ClassOf("s" + std::to_string(i)), branch);
  ASSERT_EQ(branch->num_edges, 1u);
  EXPECT_EQ(branch->edges->kind, EdgeKind::kMergeData);
  EXPECT_EQ(plans.ClassOf("joined"), nullptr);
  EXPECT_EQ(plans.ClassOf("a_way"), nullptr);
}

TEST(DeadClasses, SmallBranchesHaveNone) {
  const Plans plans(Branch(3), {"p", "a", "x"}, {"joined"});
  EXPECT_EQ(plans.ClassOf("s0"), nullptr);
  EXPECT_TRUE(plans.plan.frames[0].classes.empty());
}

TEST(DeadClasses, WhatAlsoHangsOnOthersIsInNone) {
  const std::string text = Branch(20) + "other = AddV2(s5, a) T=int32\n";
  const Plans plans(text, {"p", "a", "x"}, {"joined", "other"});
  EXPECT_EQ(plans.ClassOf("other"), nullptr);
  EXPECT_EQ(plans.ClassOf("s0")->num_edges, 2u);
  const Plans fed(Branch(20), {"p", "a", "x", "x_way:1"}, {"joined"});
  EXPECT_EQ(fed.ClassOf("s0"), nullptr);
}

TEST(DeadClasses, TargetsAreInNone) {
  const Plans plans(Branch(20), {"p", "a", "x"}, {"joined"}, {"s10"});
  EXPECT_EQ(plans.ClassOf("s10"), nullptr);
  EXPECT_NE(plans.ClassOf("s9"), nullptr);
  EXPECT_EQ(plans.ClassOf("s11"), nullptr);
}

TEST(DeadClasses, ADeadBranchTakesAFewFiringsWhateverItsSize) {
  for (const int count : {20, 2000}) {
    TestRun run(Branch(count));
    run.control.max_firings = 10;
    EXPECT_EQ(run.Text({{"p", Bool(false)}, {"a", Int(3)}, {"x", Int(1)}}, {"joined"}),
              "int32[] 3");
    EXPECT_THAT(run.Text({{"p", Bool(true)}, {"a", Int(3)}, {"x", Int(1)}}, {"joined"}),
                HasSubstr("step.3"));
  }
}

// ---- What they give, in every mode ----

class DeadClassSteps : public testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(Modes, DeadClassSteps, testing::ValuesIn(AllModes()),
                         [](const auto& info) {
                           return "threads" + std::to_string(info.param.threads) + "_seed" +
                                  std::to_string(info.param.seed);
                         });

TEST_P(DeadClassSteps, TakenAndNotTaken) {
  for (const bool p : {false, true}) {
    TestRun run(Branch(30), GetParam());
    EXPECT_EQ(run.Text({{"p", Bool(p)},
                        {"a", Tensor::Vector<int32_t>({1, 2})},
                        {"x", Tensor::Vector<int32_t>({10, 20})}},
                       {"joined", "joined:1"}),
              p ? "int32[2] [301, 602]; int32[] 1" : "int32[2] [1, 2]; int32[] 0");
  }
}

// Two predicates: one entry is live and the other dead.
TEST_P(DeadClassSteps, WhereOneEntryOfTwoIsDead) {
  const std::string text = R"(
    p = Placeholder() dtype=bool
    q = Placeholder() dtype=bool
    a = Placeholder() dtype=int32
    a_way = Switch(a, p) T=int32
    x_way = Switch(a, q) T=int32
  )" + Chain("only", "a_way:1", "a_way:1", 10) +
                           Chain("s", "only9", "x_way:1", 20) + R"(
    told = ControlTrigger(^s19)
    after = Const(^told) dtype=int32 value=7
    live = ControlTrigger(^only9)
    other = Const(^live) dtype=int32 value=8
  )";
  const Tensor a = Tensor::Vector<int32_t>({1, 2});
  for (const bool p : {false, true}) {
    for (const bool q : {false, true}) {
      const Feeds feeds = {{"p", Bool(p)}, {"q", Bool(q)}, {"a", a}};
      TestRun run(text, GetParam());
      EXPECT_EQ(run.Text(feeds, {"after", "other"}), "int32[] 7; int32[] 8") << p << q;
      const std::string only = run.Text(feeds, {"only9"});
      const std::string sum = run.Text(feeds, {"s19"});
      if (p) {
        EXPECT_EQ(only, "int32[2] [11, 22]");
      } else {
        EXPECT_THAT(only, HasSubstr("Switch 'a_way' sent its value the other way"));
      }
      if (p && q) {
        EXPECT_EQ(sum, "int32[2] [31, 62]");
      } else {
        EXPECT_THAT(sum, HasSubstr("sent its value the other way (predicate false); path: "));
        EXPECT_THAT(sum, HasSubstr(" -> s18 -> s19"));
      }
    }
  }
}

TEST_P(DeadClassSteps, ABranchInABranch) {
  const std::string text = R"(
    p = Placeholder() dtype=bool
    q = Placeholder() dtype=bool
    a = Placeholder() dtype=int32
    a_way = Switch(a, p) T=int32
    q_way = Switch(q, p) T=bool
  )" + Chain("outer", "a_way:1", "a_way:1", 10) +
                           R"(
    inner_way = Switch(outer9, q_way:1) T=int32
  )" + Chain("inner", "inner_way:1", "inner_way:1", 10) +
                           R"(
    inner_no = Identity(inner_way:0) T=int32
    inner_joined = Merge(inner_no, inner9) T=int32
    no = Identity(a_way:0) T=int32
    joined = Merge(no, inner_joined) T=int32
  )";
  const auto run = [&](bool p, bool q) {
    TestRun made(text, GetParam());
    return made.Text({{"p", Bool(p)}, {"q", Bool(q)}, {"a", Int(1)}}, {"joined"});
  };
  EXPECT_EQ(run(false, false), "int32[] 1");
  EXPECT_EQ(run(false, true), "int32[] 1");
  EXPECT_EQ(run(true, false), "int32[] 11");
  EXPECT_EQ(run(true, true), "int32[] 121");
}

// A constant of the loop is live in the last iteration too, where the variable is dead.
TEST_P(DeadClassSteps, ABranchInALoopOnAConstantOfIt) {
  const std::string text = CountingLoop("parallel_iterations=3") + R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=int32
    p_in = Enter(p) T=bool frame_name=loop is_constant=true parallel_iterations=3
    x_in = Enter(x) T=int32 frame_name=loop is_constant=true parallel_iterations=3
    s_in = Enter(x) T=int32 frame_name=loop parallel_iterations=3
    s = Merge(s_in, s_next) T=int32
    s_way = Switch(s, again) T=int32
    x_way = Switch(x_in, p_in) T=int32
    a_way = Switch(s_way:1, p_in) T=int32
  )" + Chain("sum", "a_way:1", "x_way:1", 12) +
                           R"(
    no = Identity(a_way:0) T=int32
    joined = Merge(no, sum11) T=int32
    s_next = NextIteration(joined) T=int32
    s_exit = Exit(s_way:0) T=int32
  )";
  for (const bool p : {false, true}) {
    TestRun run(text, GetParam());
    const Feeds feeds = {{"n", Int(5)}, {"p", Bool(p)}, {"x", Tensor::Vector<int32_t>({1, 2, 3})}};
    const auto made = run.Make(feeds, {"s_exit", "i_exit"});
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    for (int step = 0; step < 3; ++step) {
      const auto values = run.Run(**made, feeds);
      ASSERT_TRUE(values.ok()) << values.status().ToString();
      EXPECT_EQ((*values)[0].DebugString(), p ? "int32[3] [61, 122, 183]" : "int32[3] [1, 2, 3]");
    }
  }
}

TEST_P(DeadClassSteps, WhatWaitsForAnEntryThatDoesNotComeStarves) {
  const std::string text = R"(
    p = Placeholder() dtype=bool
    a = Placeholder() dtype=int32
    r = _Recv() tensor_type=int32 tensor_name=none send_device=d recv_device=d send_device_incarnation=1
    a_way = Switch(a, p) T=int32
    x_way = Switch(r, p) T=int32
  )" + Chain("s", "a_way:1", "x_way:1", 10);
  TestRun run(text, GetParam());
  const auto result = run.Run({{"p", Bool(false)}, {"a", Int(1)}}, {"s9"});
  EXPECT_EQ(result.status().code(), Code::kFailedPrecondition) << result.status().ToString();
  EXPECT_THAT(result.status().ToString(), HasSubstr("'s0' waits for"));
}

}  // namespace
}  // namespace tagflow::optimized::tokens
