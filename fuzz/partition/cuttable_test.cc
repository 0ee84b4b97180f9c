#include "fuzz/partition/cuttable.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/test_graph.h"

namespace tagflow::fuzz {
namespace {

bool CanBeCut(const std::string& next) {
  const TestGraph test(R"(
    zero = Const() dtype=int32 value=0
    enter = Enter(zero) T=int32 frame_name=f
    merge = Merge(enter, next) T=int32 N=2
    limit = Const(^merge) dtype=int32 value=3
    less = Less(merge, limit) T=int32
    cond = LoopCond(less)
    switch = Switch(merge, cond) T=int32
    go = Identity(switch:1) T=int32
    free = Identity(merge) T=int32
    trigger = ControlTrigger(^go)
    any = Const(^trigger) dtype=int32 value=1
    exit = Exit(switch) T=int32
    next = NextIteration()" +
                           next + ") T=int32",
                       OpRegistry::Standard());
  CallSpec call;
  call.fetches = {{test.id("exit"), 0}};
  const Result<ValidatedCall> valid = ValidateCall(test.graph(), call);
  return valid.ok() && CanSurelyBeCut(test.graph(), call, *valid);
}

TEST(Cuttable, WhereALoopEndsWithItsCondition) {
  EXPECT_TRUE(CanBeCut("go"));
  EXPECT_TRUE(CanBeCut("switch:1"));
  EXPECT_TRUE(CanBeCut("free, ^go"));
}

TEST(Cuttable, NotWhereItMayGoOn) {
  EXPECT_FALSE(CanBeCut("free"));
  EXPECT_FALSE(CanBeCut("switch"));
  EXPECT_FALSE(CanBeCut("any"));
  EXPECT_FALSE(CanBeCut("free, ^trigger"));
}

}  // namespace
}  // namespace tagflow::fuzz
