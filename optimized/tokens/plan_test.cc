// Tests: plan.cc draft.cc draft_nodes.cc draft_values.cc draft_edges.cc roles.cc

#include "optimized/tokens/plan.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"
#include "optimized/tokens/test_run.h"

namespace tagflow::optimized::tokens {
namespace {

class Plans {
 public:
  explicit Plans(std::string_view text) : graph_(text, OpRegistry::Standard()) {}

  Result<TokenPlan> Make(const std::vector<std::string>& feeds,
                         const std::vector<std::string>& fetches) {
    call_ = graph_.Call(feeds, fetches);
    TAGFLOW_ASSIGN_OR_RETURN(valid_, ValidateCall(graph_.graph(), call_));
    return MakeTokenPlan({graph_.graph(), call_, valid_, kernels, 1});
  }
  const PlanNode& Node(const TokenPlan& plan, const std::string& name) const {
    return plan.nodes[static_cast<size_t>(plan.index[Index(graph_.id(name))])];
  }

  KernelRegistry kernels;

 private:
  TestGraph graph_;
  CallSpec call_;
  ValidatedCall valid_;
};

Result<BoundKernel> BindNothing(const Binding&) {
  return BoundKernel([](KernelContext&) { return Status(); });
}

TEST(TokenPlan, GivesEachOutputASlotAndSharedOnesACounter) {
  Plans plans(R"(
    x = Placeholder() dtype=int32
    a = Neg(x) T=int32
    b = AddV2(a, a) T=int32
    c = Neg(b) T=int32
  )");
  ASSERT_TRUE(plans.kernels.Register("Neg", BindNothing).ok());
  ASSERT_TRUE(plans.kernels.Register("AddV2", BindNothing).ok());
  const Result<TokenPlan> plan = plans.Make({"x"}, {"c"});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->frames[0].num_slots, 4u);  // a, b, c and the feed
  // A word for each of the three nodes, and the readers of a.
  EXPECT_EQ(plan->frames[0].counts[0].size(), 4u);
  EXPECT_EQ(plan->frames[0].counts[0].back(), 2u);
  const PlanNode& sum = plans.Node(*plan, "b");
  EXPECT_EQ(sum.args[0].slot, sum.args[1].slot);
  EXPECT_FALSE(sum.args[0].is_last);
  EXPECT_TRUE(plans.Node(*plan, "c").args[0].is_last);
  ASSERT_EQ(plans.Node(*plan, "a").num_edges, 1u);
  EXPECT_EQ(plans.Node(*plan, "a").edges->kind, EdgeKind::kOnly);
  EXPECT_EQ(plans.Node(*plan, "c").edges->kind, EdgeKind::kFetch);
}

TEST(TokenPlan, PutsValuesWhereTheirConsumersRun) {
  Plans plans(CountingLoop());
  for (const char* op : {"Const", "Less", "Identity", "AddV2"}) {
    ASSERT_TRUE(plans.kernels.Register(op, BindNothing).ok());
  }
  const Result<TokenPlan> plan = plans.Make({"n"}, {"i_exit"});
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->frames.size(), 2u);
  EXPECT_EQ(plan->frames[1].num_enters, 2);
  EXPECT_EQ(plan->frames[0].num_slots, 3u);   // zero, the Exit's, the feed
  EXPECT_EQ(plan->frames[1].num_slots, 12u);  // of two Enters; Merge and Switch have two each
  EXPECT_EQ(plan->frames[0].num_children, 1u);
  EXPECT_EQ(plan->frames[1].merges[0][0], MergeArrivals::Initial(1, 0));
}

TEST(TokenPlan, NamesWhatIsMissing) {
  Plans plans(R"(
    x = Placeholder() dtype=int32
    a = Neg(x) T=int32
  )");
  EXPECT_EQ(plans.Make({"x"}, {"a"}).status().ToString(),
            "UNIMPLEMENTED: op Neg of node 'a' has no CPU kernel [node a]");
  ASSERT_TRUE(plans.kernels.Register("Neg", BindNothing).ok());
  const Status unfed = plans.Make({}, {"a"}).status();
  EXPECT_EQ(unfed.code(), Code::kInvalidArgument);
  EXPECT_EQ(unfed.node(), "x");
}

}  // namespace
}  // namespace tagflow::optimized::tokens
