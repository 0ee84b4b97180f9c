#include "reference/death.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow::reference {
namespace {

class DeathTest : public testing::Test {
 protected:
  // A death of a node; the root's tag.
  DeathPtr Die(const std::string& name, std::vector<std::pair<int, DeathPtr>> because = {}) {
    auto death = std::make_shared<Death>();
    death->node = &graph_.node(name);
    death->because = std::move(because);
    return death;
  }
  DeathPtr Sent(const std::string& name, int way) {
    DeathPtr death = Die(name);
    death->way = way;
    death->reason = way == 1 ? "predicate true" : "predicate false";
    return death;
  }
  std::string Why(const std::string& fetch, const Death& death) {
    return Explain(graph_.graph(), {graph_.id(fetch), 0}, death);
  }

  const TestGraph graph_{R"(
    x = Placeholder() dtype=float
    p = Placeholder() dtype=bool
    q = Placeholder() dtype=bool
    s = Switch(x, p) T=float
    t = Switch(x, q) T=float
    a = Neg(s:1) T=float
    b = Neg(t:1) T=float
    c = Neg(s:0) T=float
    both = Merge(a, b) T=float N=2
    join = Merge(c, a) T=float N=2
    after = Neg(both) T=float
  )",
                         OpRegistry::Standard()};
};

TEST_F(DeathTest, NamesTheSwitchThePathAndTheMergeThatJoins) {
  EXPECT_EQ(Why("a", *Die("a", {{0, Sent("s", 0)}})),
            ": Switch 's' sent its value the other way (predicate false); path: s -> a. Fetch "
            "'join', which joins the branches, instead");
}

TEST_F(DeathTest, AMergeIsDeadBecauseAllItsInputsAre) {
  const DeathPtr merge =
      Die("both", {{0, Die("a", {{0, Sent("s", 0)}})}, {1, Die("b", {{0, Sent("t", 0)}})}});
  EXPECT_EQ(Why("after", *Die("after", {{0, merge}})),
            ": all inputs of Merge 'both' are dead; path: both -> after; 'a': Switch 's' sent its "
            "value the other way (predicate false); path: s -> a; 'b': Switch 't' sent its value "
            "the other way (predicate false); path: t -> b");
}

TEST_F(DeathTest, AMergeThatIsDeadForOneReasonIsOnThePath) {
  const DeathPtr origin = Sent("s", 0);
  const DeathPtr merge = Die("both", {{0, Die("a", {{0, origin}})}, {1, Die("b", {{0, origin}})}});
  EXPECT_EQ(Why("after", *merge),
            ": Switch 's' sent its value the other way (predicate false); path: s -> a -> both");
}

TEST_F(DeathTest, ALongChainIsShortened) {
  DeathPtr death = Sent("s", 0);
  for (int i = 0; i < 20; ++i) death = Die("a", {{0, death}});
  EXPECT_NE(Why("a", *death).find("path: s -> a -> a -> a -> ... -> a -> a -> a -> a"),
            std::string::npos);
}

TEST_F(DeathTest, AChainMayBeLongerThanAStackIsDeep) {
  DeathPtr death = Sent("s", 0);
  for (int i = 0; i < 1000000; ++i) death = Die("a", {{0, death}, {0, death}});
  EXPECT_EQ(OriginOf(*death).node->name, "s");
}

}  // namespace
}  // namespace tagflow::reference
