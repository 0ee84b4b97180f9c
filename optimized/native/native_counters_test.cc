// Tests: loop_counters.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>

#include "graph/builder/builder.h"
#include "optimized/native/test_program.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;
using testing::Not;

using NativeCountersTest = NativeTest;
using Test = std::function<Output(const Scope&, const OutputList&)>;
using Step = std::function<Output(const Scope&, const Output&)>;

constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();

// i = start; while test(i, n, …): what divisions by numbers of both signs make of i; i = step(i).
// At most nine times.
Program Divisions(const Test& test, const Step& step) {
  return Program([&](const Scope& scope) -> OutputList {
    const Output start = FedInt(scope, "start"), n = FedInt(scope, "n");
    return WhileLoop(
        scope, {start, n, Const(scope, 0), Const(scope, 0), Const(scope, 0)},
        [&](const Scope& s, const OutputList& v) {
          return LogicalAnd(s, test(s, v), Less(s, v[2], 9));
        },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output i = v[0];
          const Output rest = Add(s, FloorMod(s, i, 15), FloorMod(s, i, -7));
          const Output quotient = Add(s, FloorDiv(s, i, 3), FloorDiv(s, i, -2));
          return {step(s, i), v[1], Add(s, v[2], 1), Add(s, Mul(s, v[3], 31), rest),
                  Add(s, Mul(s, v[4], 31), quotient)};
        },
        {.back_prop = false});
  });
}
Output IsBelow(const Scope& s, const OutputList& v) { return Less(s, v[0], v[1]); }
Step Adding(int32_t number) {
  return [number](const Scope& s, const Output& i) { return Add(s, i, number); };
}
NamedTensors From(int32_t start, int32_t n) { return {{"start", Int(start)}, {"n", Int(n)}}; }

// Whether machine code for start = 0 relies upon i >= 0, beside the count of iterations.
bool IsCounter(const Test& test, const Step& step) {
  const std::string listing = ListingOf(Divisions(test, step), From(0, 5));
  EXPECT_THAT(listing, HasSubstr("; while/Enter_2:int32 >= 0"));
  return listing.find("; while/Enter:int32 >= 0") != std::string::npos;
}

TEST_F(NativeCountersTest, WhatIsKnown) {
  EXPECT_TRUE(IsCounter(IsBelow, Adding(1)));
  EXPECT_TRUE(IsCounter([](const Scope& s, const OutputList& v) { return Greater(s, v[1], v[0]); },
                        [](const Scope& s, const Output& i) { return Add(s, Const(s, 1), i); }));
  // What may overflow, or is not tested.
  EXPECT_FALSE(IsCounter(IsBelow, Adding(2)));
  EXPECT_FALSE(IsCounter(IsBelow, Adding(-1)));
  EXPECT_FALSE(IsCounter(
      [](const Scope& s, const OutputList& v) { return LessEqual(s, v[0], v[1]); }, Adding(1)));
  EXPECT_FALSE(
      IsCounter([](const Scope& s, const OutputList& v) { return Less(s, -1, v[0]); }, Adding(1)));
  EXPECT_FALSE(IsCounter(
      [](const Scope& s, const OutputList& v) { return NotEqual(s, v[0], v[1]); }, Adding(1)));
  EXPECT_FALSE(IsCounter(IsBelow, [](const Scope& s, const Output& i) { return Mul(s, i, 1); }));
}

TEST_F(NativeCountersTest, StartsOfAnySign) {
  const Program program = Divisions(IsBelow, Adding(1));
  for (const int32_t start : {-20, -4, -1, 0, 1, 11, kLargest - 4}) {
    ExpectSame(program, From(start, 11));
    ExpectSame(program, From(start, kLargest));
  }
  const Program in_threes = Divisions(IsBelow, Adding(3));
  for (const int32_t start : {-4, 0, kLargest - 4}) ExpectSame(in_threes, From(start, kLargest));
}

TEST_F(NativeCountersTest, OneSessionHasStartsOfBothSigns) {
  const Program program = Divisions(IsBelow, Adding(1));
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
  for (const int32_t start : {3, -5, 0, -1, 7}) {
    EXPECT_EQ(Outcome(session->Run(From(start, 9), program.fetches)),
              OutcomeOf(program, From(start, 9), kInterpreted))
        << start;
  }
}

// for i in [0, 4): for j in [from, n), where `from` is what is fed or comes from i.
Program InnerLoop(bool comes_from_outer) {
  return Program([&](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), fed = FedInt(scope, "start");
    const auto inner = [&](const Scope& s, const Output& i, const std::vector<Output>& sums) {
      const Output from = comes_from_outer ? Sub(s, i, 2) : fed;
      return WhileLoop(
          s, {from, sums[0]}, [&](const Scope& t, const OutputList& v) { return Less(t, v[0], n); },
          [&](const Scope& t, const OutputList& v) -> OutputList {
            return {Add(t, v[0], 1), Add(t, Mul(t, v[1], 3), FloorMod(t, v[0], 5))};
          },
          {.back_prop = false});
    };
    return ForEach(
        scope, Const(scope, 4), {Const(scope, 0)},
        [&](const Scope& s, const Output& i, const std::vector<Output>& sums) -> OutputList {
          return {inner(s, i, sums)[1]};
        });
  });
}

TEST_F(NativeCountersTest, LoopsInLoops) {
  for (const bool comes_from_outer : {false, true}) {
    const Program program = InnerLoop(comes_from_outer);
    for (const int32_t start : {-3, 0, 2}) ExpectSame(program, From(start, 6));
  }
  EXPECT_THAT(ListingOf(InnerLoop(false), From(0, 6)), HasSubstr("; while/while/Enter:int32 >= 0"));
  EXPECT_THAT(ListingOf(InnerLoop(false), From(-1, 6)),
              Not(HasSubstr("; while/while/Enter:int32 >= 0")));
  EXPECT_THAT(ListingOf(InnerLoop(true), From(0, 6)),
              Not(HasSubstr("; while/while/Enter:int32 >= 0")));
}

}  // namespace
}  // namespace tagflow::optimized
