// Tests: shrink.cc, cost.cc, tree_edits.cc, number_edits.cc

#include "fuzz/shrink/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/direct/direct.h"
#include "fuzz/generate/generate.h"
#include "fuzz/program/check.h"
#include "fuzz/program/test_program.h"
#include "fuzz/program/text.h"
#include "fuzz/program/walk.h"
#include "fuzz/shrink/cost.h"

namespace tagflow::fuzz {
namespace {

using Fails = std::function<bool(const Program&)>;

// Shrinks, and holds the shrinker to what it promises.
Program Shrunk(const Program& program, const Fails& fails, ShrinkActivity* activity = nullptr,
               const ShrinkOptions& options = {}) {
  const bool evaluates = Evaluate(program).ok();
  int asked = 0;
  const Fails watched = [&](const Program& candidate) {
    ++asked;
    EXPECT_TRUE(Check(candidate).ok()) << Check(candidate).ToString() << "\n" << ToText(candidate);
    EXPECT_TRUE(!evaluates || Evaluate(candidate).ok()) << ToText(candidate);
    return fails(candidate);
  };
  ShrinkActivity own;
  const Program smallest = Shrink(program, watched, options, &own);
  EXPECT_EQ(own.tests, asked);
  EXPECT_TRUE(fails(smallest)) << ToText(smallest);
  EXPECT_LE(Cost(smallest), Cost(program));
  if (activity != nullptr) *activity = own;
  return smallest;
}

bool Has(const Block& block, Op op) {
  bool found = false;
  ForEachStatement(block, [&](const Statement& statement) { found = found || statement.op == op; });
  return found;
}

// A statement of kind `outer` with one of kind `inner` in a block of it.
bool HasWithin(const Program& program, Op outer, Op inner) {
  bool found = false;
  ForEachStatement(program.body, [&](const Statement& statement) {
    if (statement.op != outer) return;
    for (const Block& block : statement.blocks) found = found || Has(block, inner);
  });
  return found;
}

TEST(ShrinkTest, ALoopInACondIsAllThatIsLeft) {
  const Program smallest = Shrunk(ProgramOf(CorpusText("dead_loop.txt")), [](const Program& p) {
    return HasWithin(p, Op::kCond, Op::kWhile);
  });
  EXPECT_EQ(ToText(smallest), R"(v0: int32 = Const 0
v1: bool = Const false
v2: int32 = Cond(v1) {
then:
  return v0
else:
  v3: int32 = While(v0) from 0 step 1 Less most 0 {
  test(v4: int32):
  body(v5: int32):
  }
  return v3
}
return v2
)");
}

TEST(ShrinkTest, AThirdNestedLoopIsLeftInItsTwo) {
  const Program smallest = Shrunk(ProgramOf(CorpusText("nested_loops.txt")),
                                  [](const Program& p) { return Depth(p) >= 3; });
  EXPECT_LE(Size(smallest), 4) << ToText(smallest);
  EXPECT_EQ(Depth(smallest), 3);
}

TEST(ShrinkTest, AValueOfTheResultIsKeptWhileItsMakingGoes) {
  const auto gives_seven = [](const Program& program) {
    const auto results = Evaluate(program);
    if (!results.ok()) return false;
    return std::ranges::any_of((*results)[0].values, [](const Tensor& value) {
      return BitwiseEqual(value, Tensor::Scalar<int32_t>(7));
    });
  };
  const Program smallest = Shrunk(ProgramOf(R"(
    runs 2
    input n: int32 = 3; 5
    input x: float[2] = [1, 2]; [3, 4]
    one: int32 = Const 1
    i: int32, s: int32, y: float[2] = While(n, one, x) from 0 step 1 Less most 10 {
    test(i0: int32, s0: int32, y0: float[2]):
    body(i1: int32, s1: int32, y1: float[2]):
      two: int32 = Const 2
      t: int32 = Add(s1, two)
      z: float[2] = Neg(y1)
      return t, z
    }
    return y, s, i)"),
                                  gives_seven);
  EXPECT_EQ(ToText(smallest), "v0: int32 = Const 7\nreturn v0\n");
}

TEST(ShrinkTest, TheOrderOfAssignmentsIsKept) {
  // The last value of the variable is 2: by way of a read and an addition.
  const Program smallest = Shrunk(ProgramOf(CorpusText("effects.txt")), [](const Program& p) {
    return Has(p.body, Op::kAssignAdd) && Has(p.body, Op::kRead);
  });
  EXPECT_LE(Size(smallest), 3) << ToText(smallest);
  EXPECT_EQ(smallest.variables.size(), 1u);
  EXPECT_EQ(smallest.runs, 1);
}

TEST(ShrinkTest, LoopsStayLongEnoughToFail) {
  // As with a fault that shows when a loop runs more than parallel_iterations times.
  const auto runs_on = [](const Program& program) {
    Activity activity;
    DirectOptions options;
    options.activity = &activity;
    return Evaluate(program, options).ok() &&
           std::ranges::any_of(activity.trips, [](int64_t trips) { return trips > 2; });
  };
  for (const char* name : {"nested_loops.txt", "stack.txt", "array.txt", "doubles.txt"}) {
    const Program smallest = Shrunk(ProgramOf(CorpusText(name)), runs_on);
    EXPECT_EQ(Size(smallest), 2) << ToText(smallest);
    const Loop& loop = smallest.body.statements[1].loop;
    EXPECT_EQ(loop.most, 3) << ToText(smallest);
    EXPECT_EQ(loop.step, 1) << ToText(smallest);
  }
}

TEST(ShrinkTest, WhatFailsOnlyWithWhatNothingNeedsKeepsIt) {
  const Program smallest =
      Shrunk(ProgramOf("x: float = Const 4 y: float[2] = Const [1, 2] z: float = Exp(x) "
                       "w: float[2] = Neg(y) return w"),
             [](const Program& p) { return Has(p.body, Op::kExp) && Has(p.body, Op::kNeg); });
  EXPECT_EQ(Size(smallest), 3) << ToText(smallest);
}

TEST(ShrinkTest, StopsAtItsLimits) {
  const Program program = ProgramOf(CorpusText("case.txt"));
  ShrinkActivity activity;
  ShrinkOptions options;
  options.max_tests = 3;
  Shrunk(
      program, [](const Program&) { return true; }, &activity, options);
  EXPECT_LE(activity.tests, 3);
  options.max_tests = 1000;
  options.deadline = std::chrono::steady_clock::now();
  const Program same = Shrunk(
      program, [](const Program&) { return true; }, &activity, options);
  EXPECT_EQ(activity.tests, 0);
  EXPECT_EQ(ToText(same), ToText(program));
}

TEST(ShrinkTest, WhatDoesNotFailWhenSmallerStaysAsItIs) {
  for (const std::string& name : CorpusNames()) {
    const Program program = ProgramOf(CorpusText(name));
    const std::string text = ToText(program);
    const Program same = Shrunk(program, [&](const Program& p) { return ToText(p) == text; });
    EXPECT_EQ(ToText(same), text);
  }
}

TEST(ShrinkTest, TheCorpusShrinksToNothing) {
  for (const std::string& name : CorpusNames()) {
    ShrinkActivity activity;
    const Program smallest = Shrunk(
        ProgramOf(CorpusText(name)), [](const Program&) { return true; }, &activity);
    EXPECT_EQ(ToText(smallest), "") << name;
    EXPECT_LE(activity.tests, 8) << name;
  }
}

// Sizes that generated programs shrink to while `fails` holds of them, sorted.
std::vector<int64_t> SizesOfGenerated(int wanted, const Fails& fails, int64_t& tests) {
  std::vector<int64_t> sizes;
  Profile profile = Profiles()[0];
  profile.effects = kNever;  // an effect keeps what nothing else needs
  for (uint64_t seed = 1; sizes.size() < static_cast<size_t>(wanted) && seed < 2000; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Program program = GenerateProgram(choices, profile);
    if (!Check(program).ok() || !Evaluate(program).ok() || !fails(program)) continue;
    ShrinkActivity activity;
    const Program smallest = Shrunk(program, fails, &activity);
    sizes.push_back(Size(smallest));
    tests += activity.tests;
    if (sizes.back() > 12) ADD_FAILURE() << "seed " << seed << "\n" << ToText(smallest);
  }
  std::ranges::sort(sizes);
  return sizes;
}

TEST(ShrinkTest, GeneratedProgramsShrinkToWhatTheFailureNeeds) {
  int64_t tests = 0;
  const std::vector<int64_t> loops_in_loops = SizesOfGenerated(
      20, [](const Program& p) { return HasWithin(p, Op::kWhile, Op::kWhile); }, tests);
  ASSERT_EQ(loops_in_loops.size(), 20u);
  EXPECT_LE(loops_in_loops[10], 4);
  EXPECT_LE(loops_in_loops.back(), 8);
  const std::vector<int64_t> loops_in_conds = SizesOfGenerated(
      20, [](const Program& p) { return HasWithin(p, Op::kCond, Op::kWhile); }, tests);
  ASSERT_EQ(loops_in_conds.size(), 20u);
  EXPECT_LE(loops_in_conds[10], 5);
  EXPECT_LE(tests / 40, 200);
}

TEST(ShrinkTest, GeneratedProgramsShrinkWhileTheirLoopsRun) {
  int64_t tests = 0;
  const std::vector<int64_t> sizes = SizesOfGenerated(
      20,
      [](const Program& program) {
        Activity activity;
        DirectOptions options;
        options.activity = &activity;
        return Evaluate(program, options).ok() && activity.deepest >= 2 &&
               std::ranges::any_of(activity.trips, [](int64_t trips) { return trips >= 4; });
      },
      tests);
  ASSERT_EQ(sizes.size(), 20u);
  EXPECT_LE(sizes[10], 6);
  EXPECT_LE(tests / 20, 300);
}

}  // namespace
}  // namespace tagflow::fuzz
