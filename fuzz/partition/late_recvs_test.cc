// All small graphs with Recvs that begin late: nobody can tell. Messages take no time here, so that
// a Recv waits for the last node that it may wait for. That depends on the nodes around, so that no
// graph stands for another.

#include <gtest/gtest.h>

#include <cstdio>

#include "fuzz/partition/check_small_graphs.h"

namespace tagflow::fuzz {
namespace {

Coverage Check(Space space, RecvStart recvs) {
  space.options.recvs = recvs;
  space.stand_ins = false;
  space.options.times.message = [](OutputRef, int, int) { return 0.0; };
  const Coverage coverage = CheckSmallGraphs(space);
  std::printf("%s\n", coverage.ToString().c_str());
  EXPECT_FALSE(coverage.problem.has_value()) << *coverage.problem;
  return coverage;
}

// Late ones are there: then fewer sets of messages can have arrived at a time, or others.
void CheckBoth(const Space& space) {
  const Coverage late = Check(space, RecvStart::kLate);
  const Coverage at_once = Check(space, RecvStart::kAtOnce);
  EXPECT_EQ(late.calls, at_once.calls);
  EXPECT_NE(late.states, at_once.states);
}

TEST(LateRecvs, InConds) {
  for (int body = 1; body <= 3; ++body) {
    CheckBoth({.surroundings = Surroundings::kCond, .body = body});
  }
  CheckBoth({.surroundings = Surroundings::kCond, .body = 2, .devices = 3});
}

TEST(LateRecvs, InLoops) {
  CheckBoth({});
  CheckBoth({.parallel_iterations = 2});
  CheckBoth({.body = 2, .parallel_iterations = 1});
}

TEST(LateRecvs, InLoopsWhoseMergeWaits) { CheckBoth({.surroundings = Surroundings::kWaiting}); }

TEST(LateRecvs, InLoopsInLoops) {
  Check({.surroundings = Surroundings::kNested,
         .parallel_iterations = 1,
         .orders = Orders::kEveryPair},
        RecvStart::kLate);
}

}  // namespace
}  // namespace tagflow::fuzz
