// All small graphs on all placements in all orders of messages; and TensorFlow's two faults, which
// the same search must find.

#include "fuzz/partition/check_small_graphs.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace tagflow::fuzz {
namespace {

Coverage Check(const Space& space) {
  const Coverage coverage = CheckSmallGraphs(space);
  std::printf("%s\n", coverage.ToString().c_str());
  EXPECT_FALSE(coverage.problem.has_value()) << *coverage.problem;
  return coverage;
}

// How many there are is pinned: a search that silently became smaller would still pass.
TEST(CheckSmallGraphs, CondsOfUpToThreeOps) {
  Coverage all;
  for (int body = 1; body <= 3; ++body) {
    all.Add(Check({.surroundings = Surroundings::kCond, .body = body}));
  }
  all.Add(Check({.surroundings = Surroundings::kCond, .body = 2, .devices = 3}));
  EXPECT_EQ(all.ToString(), "524 graphs, 3943 placements, 11829 calls, 67972 states, 35534 runs");
}

TEST(CheckSmallGraphs, LoopsOfOneOp) {
  Coverage all = Check({});
  all.Add(Check({.parallel_iterations = 2}));
  all.Add(Check({.devices = 3, .parallel_iterations = 1}));
  EXPECT_EQ(all.ToString(), "9 graphs, 558 placements, 2232 calls, 71548 states, 73572 runs");
}

TEST(CheckSmallGraphs, LoopsOfTwoOps) {
  const Coverage all = Check({.body = 2, .parallel_iterations = 1});
  EXPECT_EQ(all.ToString(), "33 graphs, 2112 placements, 8448 calls, 188983 states, 153031 runs");
}

TEST(CheckSmallGraphs, LoopsWhoseMergeWaits) {
  Coverage all = Check({.surroundings = Surroundings::kWaiting});
  all.Add(Check({.surroundings = Surroundings::kWaiting, .parallel_iterations = 1}));
  EXPECT_EQ(all.ToString(), "6 graphs, 384 placements, 1536 calls, 42153 states, 43744 runs");
}

TEST(CheckSmallGraphs, LoopsInLoopsInTwoOrders) {
  const Coverage all = Check({.surroundings = Surroundings::kNested, .all_orders = false});
  EXPECT_EQ(all.ToString(), "3 graphs, 1536 placements, 10752 calls, 382948 states, 21504 runs");
}

TEST(CheckSmallGraphs, FindsThatADeviceWhichOnlySendsNeedsALoop) {
  Space space{.surroundings = Surroundings::kWaiting, .parallel_iterations = 1};
  space.messages_too = false;
  space.options.fault = PartitionFault::kLoopsOnlyWhereReceived;
  const Coverage coverage = CheckSmallGraphs(space);
  ASSERT_TRUE(coverage.problem.has_value());
  EXPECT_NE(coverage.problem->find("1 trips, placed ready=b"), std::string::npos)
      << *coverage.problem;
  EXPECT_NE(coverage.problem->find("starved"), std::string::npos) << *coverage.problem;
}

// As TensorFlow's Merge of a loop: when a dead token from its Enter has come and then its last
// control input, nobody looks again.
bool ForgetsDeadEnter(const reference::Needs& needs, const reference::Arrivals& arrived) {
  static std::map<const reference::Arrivals*, int> controls_seen;
  int& seen = controls_seen[&arrived];
  const bool control_came = arrived.control() > seen && arrived.control() == needs.control;
  seen = arrived.control() == needs.control ? 0 : arrived.control();
  if (needs.data == 1 && control_came && needs.control > 0) return false;
  return reference::StandardRules().merge_dead(needs, arrived);
}

TEST(CheckSmallGraphs, FindsThatADeadEnterMustNotBeForgotten) {
  reference::Rules rules = reference::StandardRules();
  rules.merge_dead = ForgetsDeadEnter;
  Space space{.surroundings = Surroundings::kWaiting};
  space.messages_too = false;
  space.rules = &rules;
  const Coverage coverage = CheckSmallGraphs(space);
  ASSERT_TRUE(coverage.problem.has_value());
  EXPECT_NE(coverage.problem->find("left out"), std::string::npos) << *coverage.problem;
  EXPECT_NE(coverage.problem->find("starved"), std::string::npos) << *coverage.problem;
}

}  // namespace
}  // namespace tagflow::fuzz
