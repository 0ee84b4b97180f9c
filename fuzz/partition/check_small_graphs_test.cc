// All small graphs on all placements in all orders of messages; and TensorFlow's two faults, which
// the same search must find.

#include "fuzz/partition/check_small_graphs.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <vector>

#include "fuzz/mutants/mutants.h"

namespace tagflow::fuzz {
namespace {

Coverage Check(const Space& space) {
  const Coverage coverage = CheckSmallGraphs(space);
  std::printf("%s\n", coverage.ToString().c_str());
  EXPECT_FALSE(coverage.problem.has_value()) << *coverage.problem;
  return coverage;
}

// How many there are is pinned: a search that silently became smaller would still pass.
TEST(CheckSmallGraphs, CondsOfUpToFourOps) {
  Coverage all;
  for (int body = 1; body <= 4; ++body) {
    all.Add(Check({.surroundings = Surroundings::kCond, .body = body}));
  }
  EXPECT_EQ(all.ToString(),
            "7243 graphs, 112310 placements (73090 stood for by others), 117660 calls, 1122401 "
            "states, 690816 runs");
}

TEST(CheckSmallGraphs, CondsOfUpToThreeOpsOnThreeDevices) {
  Coverage all;
  for (int body = 1; body <= 3; ++body) {
    all.Add(Check({.surroundings = Surroundings::kCond, .body = body, .devices = 3}));
  }
  EXPECT_EQ(all.ToString(),
            "430 graphs, 5714 placements (2372 stood for by others), 10026 calls, 92462 states, "
            "50199 runs");
}

TEST(CheckSmallGraphs, LoopsOfOneOp) {
  Coverage all = Check({});
  all.Add(Check({.parallel_iterations = 2}));
  all.Add(Check({.devices = 3, .parallel_iterations = 1}));
  EXPECT_EQ(
      all.ToString(),
      "9 graphs, 558 placements (186 stood for by others), 1488 calls, 27330 states, 16744 runs");
}

TEST(CheckSmallGraphs, LoopsOfTwoOps) {
  Coverage all = Check({.body = 2, .parallel_iterations = 1});
  all.Add(Check({.body = 2, .orders = Orders::kEveryPair}));
  EXPECT_EQ(all.ToString(),
            "60 graphs, 3840 placements (1840 stood for by others), 8000 calls, 545043 states, "
            "96587 runs");
}

TEST(CheckSmallGraphs, LoopsWhoseMergeWaits) {
  Coverage all = Check({.surroundings = Surroundings::kWaiting});
  all.Add(Check({.surroundings = Surroundings::kWaiting, .parallel_iterations = 1}));
  EXPECT_EQ(
      all.ToString(),
      "6 graphs, 384 placements (128 stood for by others), 1024 calls, 21262 states, 17443 runs");
}

TEST(CheckSmallGraphs, LoopsInLoopsInEveryPairOfOrders) {
  const Coverage all = Check({.surroundings = Surroundings::kNested,
                              .parallel_iterations = 1,
                              .orders = Orders::kEveryPair});
  EXPECT_EQ(all.ToString(),
            "3 graphs, 1536 placements (512 stood for by others), 7168 calls, 2912430 states, "
            "127052 runs");
}

// All orders of all messages together, without stand-ins: the search that needs no argument.
Space Full(Space space) {
  space.orders = Orders::kAll;
  space.stand_ins = false;
  return space;
}

TEST(CheckSmallGraphs, InFull) {
  Coverage all = Check(Full({}));
  all.Add(Check(Full({.devices = 3, .parallel_iterations = 1})));
  all.Add(Check(Full({.body = 2, .parallel_iterations = 1})));
  all.Add(Check(Full({.surroundings = Surroundings::kWaiting})));
  for (int body = 1; body <= 3; ++body) {
    all.Add(Check(Full({.surroundings = Surroundings::kCond, .body = body})));
  }
  EXPECT_EQ(all.ToString(),
            "469 graphs, 5876 placements (0 stood for by others), 20202 calls, 316385 states, "
            "264413 runs");
}

// Whether the interpreter itself is wrong, and not what it is given or what is made of its results.
bool BreaksRules(const Mutant& mutant) {
  return mutant.kernels.empty() && !mutant.rewrite && !mutant.options && !mutant.report &&
         !mutant.after_step && !mutant.history;
}

bool Finds(Space space, const Mutant& mutant, Orders orders) {
  space.rules = &mutant.rules;
  space.orders = orders;
  return CheckSmallGraphs(space).problem.has_value();
}

// What orders at each device and stand-ins leave out is nothing that a broken rule would show in.
TEST(CheckSmallGraphs, ARuleThatIsBrokenIsFoundInFullAndInPartOrInNeither) {
  int found = 0;
  int passed = 0;
  const Space space{.parallel_iterations = 2};
  for (const Mutant& mutant : Mutants()) {
    if (!BreaksRules(mutant)) continue;
    const bool in_full = Finds(Full(space), mutant, Orders::kAll);
    EXPECT_EQ(Finds(space, mutant, Orders::kAtEachDevice), in_full) << mutant.name;
    EXPECT_EQ(Finds(space, mutant, Orders::kEveryPair), in_full) << mutant.name;
    ++(in_full ? found : passed);
  }
  EXPECT_GE(found, 35);
  EXPECT_GE(passed, 50);
}

// Every way to search, each of which must find TensorFlow's faults.
std::vector<Space> Searches(Space space) {
  std::vector<Space> all = {Full(space)};
  for (const Orders orders : {Orders::kAll, Orders::kAtEachDevice, Orders::kEveryPair}) {
    space.orders = orders;
    all.push_back(space);
  }
  return all;
}

TEST(CheckSmallGraphs, FindsThatADeviceWhichOnlySendsNeedsALoop) {
  Space space{.surroundings = Surroundings::kWaiting, .parallel_iterations = 1};
  space.messages_too = false;
  space.options.fault = PartitionFault::kLoopsOnlyWhereReceived;
  for (const Space& search : Searches(space)) {
    const Coverage coverage = CheckSmallGraphs(search);
    ASSERT_TRUE(coverage.problem.has_value());
    EXPECT_NE(coverage.problem->find("1 trips, placed ready=b"), std::string::npos)
        << *coverage.problem;
    EXPECT_NE(coverage.problem->find("starved"), std::string::npos) << *coverage.problem;
  }
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
  for (const Space& search : Searches(space)) {
    const Coverage coverage = CheckSmallGraphs(search);
    ASSERT_TRUE(coverage.problem.has_value());
    EXPECT_NE(coverage.problem->find("left out"), std::string::npos) << *coverage.problem;
    EXPECT_NE(coverage.problem->find("starved"), std::string::npos) << *coverage.problem;
  }
}

}  // namespace
}  // namespace tagflow::fuzz
