// Tests: enumerate_check.cc

#include "fuzz/graphs/enumerate.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "fuzz/graphs/observe.h"

namespace tagflow::fuzz {
namespace {

int64_t CheckAll(const EnumerateOptions& options) {
  int failures = 0;
  return Enumerate(options, [&](const GraphSample& sample) {
    const auto problem = EnumeratedAgrees(sample);
    EXPECT_FALSE(problem) << *problem << "\n" << ToText(sample);
    failures += problem ? 1 : 0;
    return failures < 3;
  });
}

TEST(Enumerate, TheGraphsOfOneNode) {
  std::set<std::string> texts;
  const int64_t count = Enumerate({.nodes = 1}, [&](const GraphSample& sample) {
    EXPECT_TRUE(texts.insert(ToText(sample)).second);
    return true;
  });
  // Of two values: LogicalNot, Enter and constant Enter of each, Switch of each pair, Merge of each
  // unordered pair.
  EXPECT_EQ(count, 2 + 2 + 2 + 4 + 3);
}

TEST(Enumerate, NoGraphComesTwiceAndAllAreValid) {
  std::set<std::string> texts;
  Enumerate({.nodes = 2, .control_edges = 1, .in_frame = true}, [&](const GraphSample& sample) {
    EXPECT_TRUE(texts.insert(ToText(sample)).second);
    const Status status =
        Observer(sample).session().Check(sample.runs[0], sample.fetches, sample.targets);
    EXPECT_TRUE(status.ok()) << status.ToString() << ToText(sample);
    return true;
  });
  EXPECT_GT(texts.size(), 1000u);
}

TEST(Enumerate, StopsWhenTold) {
  int seen = 0;
  Enumerate({.nodes = 3}, [&](const GraphSample&) { return ++seen < 5; });
  EXPECT_EQ(seen, 5);
}

TEST(Enumerate, AllGraphsOfTwoNodesAgreeWithSmallSteps) { CheckAll({.nodes = 2}); }

TEST(Enumerate, AllGraphsOfTwoNodesInAFrameAgreeWithSmallSteps) {
  CheckAll({.nodes = 2, .in_frame = true});
}

TEST(Enumerate, AllGraphsOfOneNodeAndAControlEdgeAgreeWithSmallSteps) {
  CheckAll({.nodes = 2, .control_edges = 1});
}

TEST(Enumerate, TheyKillMutants) {
  reference::Rules rules = reference::StandardRules();
  rules.exit_owes_dead = [](const reference::ExitState&) { return false; };
  int64_t until = 0;
  bool killed = false;
  Enumerate({.nodes = 2, .in_frame = true}, [&](const GraphSample& sample) {
    ++until;
    killed = EnumeratedAgrees(sample, rules).has_value();
    return !killed;
  });
  EXPECT_TRUE(killed) << until;
}

}  // namespace
}  // namespace tagflow::fuzz
