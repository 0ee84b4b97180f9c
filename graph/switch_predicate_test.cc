#include "graph/switch_predicate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

constexpr char kGraph[] = R"(
  x = Placeholder() dtype=float
  p = Placeholder() dtype=bool
  i = Placeholder() dtype=int32
  same = Identity(p) T=bool
  cond = LoopCond(same)
  not_p = LogicalNot(cond)
  v = VariableV2() dtype=bool shape=[]
  read = Identity(v) T=bool
  again = Identity(read) T=bool
  two = Switch(x, cond)
  three = _SwitchN(x, i) num_outs=3
)";

class SwitchPredicate : public testing::Test {
 protected:
  // The name of the node that makes the tensor which a Switch with this predicate asks.
  std::string Asked(const std::string& predicate, const std::vector<std::string>& feeds = {}) {
    return g.graph().node(Find(predicate, feeds).node).name;
  }
  bool MayChange(const std::string& predicate, const std::vector<std::string>& feeds = {}) {
    return MayChangeBetween(g.graph(), Fed(feeds), Find(predicate, feeds));
  }
  OutputRef Find(const std::string& predicate, const std::vector<std::string>& feeds) {
    return AskedTensor(g.graph(), Fed(feeds), {g.id(predicate), 0});
  }
  FeedSet Fed(const std::vector<std::string>& feeds) {
    return FeedSet(g.graph(), g.Call(feeds, {}).feeds);
  }

  const TestGraph g{kGraph, OpRegistry::Standard()};
};

TEST_F(SwitchPredicate, IdentityAndLoopCondHandOn) {
  EXPECT_EQ(Asked("cond"), "p");
  EXPECT_EQ(Asked("not_p"), "not_p");
  EXPECT_FALSE(MayChange("cond"));
}

TEST_F(SwitchPredicate, AFeedIsNotLookedThrough) { EXPECT_EQ(Asked("cond", {"same"}), "same"); }

TEST_F(SwitchPredicate, AVariableMayChangeAndAReadOfItDoesNot) {
  EXPECT_EQ(Asked("v"), "v");
  EXPECT_TRUE(MayChange("v"));
  EXPECT_EQ(Asked("again"), "read");
  EXPECT_FALSE(MayChange("again"));
  EXPECT_FALSE(MayChange("v", {"v"}));
}

TEST_F(SwitchPredicate, WaysAreOutputs) {
  EXPECT_EQ(NumWays(g.node("two")), 2);
  EXPECT_EQ(NumWays(g.node("three")), 3);
}

}  // namespace
}  // namespace tagflow
