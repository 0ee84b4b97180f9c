// What each change does to a small program, and how often it finds a place in a random one.
// Tests: metamorphic_loops.cc, metamorphic_values.cc, edit.cc

#include "fuzz/properties/metamorphic.h"

#include <gtest/gtest.h>

#include "fuzz/direct/direct.h"
#include "fuzz/generate/generate.h"
#include "fuzz/lower/program_maker.h"
#include "fuzz/program/check.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

Tensor Int(int32_t value) { return Tensor::Scalar(value); }

int Count(const Program& program, Op op) {
  int count = 0;
  ForEachStatement(program.body, [&](const Statement& s) { count += s.op == op; });
  return count;
}

// The change, which must apply, make a program, and leave the values as they are.
Program Apply(Change change, const Program& program, uint64_t seed = 1) {
  Choices choices = Choices::FromSeed(seed);
  std::optional<Changed> changed = change(program, choices);
  EXPECT_TRUE(changed);
  if (!changed) return program;
  const Status status = Check(changed->program);
  EXPECT_TRUE(status.ok()) << status.ToString();
  if (!status.ok()) return program;
  const auto before = Evaluate(program);
  const auto after = Evaluate(changed->program);
  EXPECT_TRUE(before.ok() && after.ok());
  for (size_t run = 0; run < before->size(); ++run) {
    for (size_t i = 0; i < (*before)[run].values.size(); ++i) {
      EXPECT_TRUE(BitwiseEqual((*before)[run].values[i], (*after)[run].values[i]));
    }
  }
  return changed->program;
}

// Fibonacci numbers while they are below 50, with a count of the tests in a variable.
Program Fibonacci(const Loop& loop) {
  ProgramMaker m;
  const ValueId n = m.Input({Int(20), Int(3), Int(0)});
  const ValueId bound = m.Do(Op::kCast, {Kind::kTensor, loop.counter, {}}, {n});
  const int tests = m.Variable(Int(0));
  const Values r = m.While(
      loop, bound, {m.Int(1), m.Int(1)},
      [&](const Values& v) {
        m.Assign(tests, m.Int(1), Op::kAssignAdd);
        return Values{m.Compare(Op::kLess, v[2], m.Int(50))};
      },
      [&](const Values& v) {
        return Values{v[2], m.Plus(v[1], v[2])};
      });
  return m.Finish(r);
}

const Loop kLoops[] = {
    {.most = 12},
    {.start = 1, .step = 2, .compare = Op::kLessEqual, .most = 12},
    {.start = 9, .step = -1, .compare = Op::kNotEqual, .most = 7},
    {.counter = DType::kDouble, .start = 0.5, .step = 0.75, .most = 12},
    {.most = 12, .maximum_iterations = 5},
    {.most = 12, .maximum_iterations = 1},
    {.counter = DType::kInt64, .start = 4, .step = -3, .compare = Op::kGreaterEqual, .most = 9},
};

TEST(MetamorphicTest, PeelPutsTheFirstIterationBeforeTheLoop) {
  for (const Loop& loop : kLoops) {
    const Program peeled = Apply(Peel, Fibonacci(loop));
    EXPECT_EQ(Count(peeled, Op::kCond), 1);
    EXPECT_EQ(peeled.body.statements.back().op, Op::kCond);
  }
}

TEST(MetamorphicTest, RotateTestsAtTheEnd) {
  for (const Loop& loop : kLoops) {
    const Program rotated = Apply(Rotate, Fibonacci(loop));
    const Statement& made = rotated.body.statements.back();
    ASSERT_EQ(made.op, Op::kWhile);
    EXPECT_TRUE(made.blocks[0].statements.empty());
    EXPECT_EQ(Count(rotated, Op::kCond), 0);
  }
}

TEST(MetamorphicTest, UnrollGoesRoundSeveralTimesInOne) {
  for (const Loop& loop : kLoops) {
    if (loop.maximum_iterations >= 0) continue;
    for (uint64_t seed = 1; seed < 5; ++seed) {
      const Program unrolled = Apply(Unroll, Fibonacci(loop), seed);
      EXPECT_GE(Count(unrolled, Op::kCond), 1);
      EXPECT_EQ(Count(unrolled, Op::kWhile), 1);
    }
  }
}

TEST(MetamorphicTest, PermuteAndSplitKeepTheLoop) {
  const Program program = Fibonacci(kLoops[0]);
  bool permuted = false;
  for (uint64_t seed = 1; seed < 8; ++seed) {
    const Program other = Apply(PermuteVariables, program, seed);
    permuted |= other.body.results[1] != other.body.statements.back().outputs[1];
    EXPECT_EQ(Apply(SplitVariable, program, seed).body.statements.back().outputs.size(), 4u);
  }
  EXPECT_TRUE(permuted);
}

TEST(MetamorphicTest, APureCondBecomesSelectsAndBack) {
  ProgramMaker m;
  const ValueId x = m.Input({Int(2), Int(-2)});
  const ValueId p = m.Compare(Op::kLess, x, m.Int(0));
  const Values r = m.Cond(
      p, [&](const Values&) { return Values{m.Like(Op::kNeg, {x})}; },
      [&](const Values&) { return Values{x}; });
  const Program selected = Apply(CondAgainstSelect, m.Finish(r));
  EXPECT_EQ(Count(selected, Op::kCond), 0);
  EXPECT_EQ(Count(selected, Op::kSelect), 1);
  EXPECT_EQ(Count(Apply(CondAgainstSelect, selected), Op::kCond), 1);
}

TEST(MetamorphicTest, ACondThatMayFailStaysOne) {
  ProgramMaker m;
  const ValueId x = m.Input({Int(2), Int(0)});
  const ValueId zero = m.Compare(Op::kEqual, x, m.Int(0));
  const Values r = m.Cond(
      zero, [&](const Values&) { return Values{x}; },
      [&](const Values&) {
        return Values{m.Like(Op::kFloorDiv, {m.Int(9), x})};
      });
  Choices choices = Choices::FromSeed(1);
  EXPECT_FALSE(CondAgainstSelect(m.Finish(r), choices));
}

TEST(MetamorphicTest, TwoCopiesShareNothing) {
  const Program program = Fibonacci(kLoops[0]);
  Choices choices = Choices::FromSeed(1);
  const std::optional<Changed> changed = TwoCopies(program, choices);
  ASSERT_TRUE(changed && changed->twice);
  EXPECT_TRUE(Check(changed->program).ok());
  EXPECT_EQ(changed->program.variables.size(), 2u);
  EXPECT_EQ(changed->program.inputs.size(), 2u);
  EXPECT_EQ(changed->program.body.results.size(), 6u);
}

TEST(MetamorphicTest, MostRandomProgramsHaveAPlaceForMostChanges) {
  const struct {
    const char* name;
    Change change;
    int percent;
  } kExpected[] = {{"peel", Peel, 50},           {"rotate", Rotate, 70},
                   {"unroll", Unroll, 50},       {"permute", PermuteVariables, 40},
                   {"split", SplitVariable, 50}, {"select", CondAgainstSelect, 20},
                   {"copies", TwoCopies, 100}};
  for (const auto& expected : kExpected) {
    int applied = 0;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
      Choices choices = Choices::FromSeed(seed);
      const Program program = GenerateProgram(choices, Profile());
      applied += expected.change(program, choices).has_value();
    }
    EXPECT_GE(applied, expected.percent) << expected.name;
  }
}

}  // namespace
}  // namespace tagflow::fuzz
