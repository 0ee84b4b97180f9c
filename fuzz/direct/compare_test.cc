#include "fuzz/direct/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "fuzz/direct/test_results.h"

namespace tagflow::fuzz {
namespace {

// A program of two runs whose result is an inexact float and an exact integer vector.
Program TwoRuns() {
  ProgramWriter w;
  const ValueId x = w.Input({Tensor::Scalar(1.0f), Tensor::Scalar(2.0f)});
  const ValueId y = w.Const(Tensor::Vector<int32_t>({1, 2}));
  w.Variable(Tensor::Scalar(true));
  return w.Finish({w.Do(Op::kExp, {x}), y});
}

using Runs = std::vector<std::vector<Tensor>>;

Runs ValuesOf(const std::vector<RunResult>& results) {
  Runs runs;
  for (const RunResult& result : results) runs.push_back(result.values);
  return runs;
}

class JudgeTest : public testing::Test {
 protected:
  // What is judged of TwoRuns() after `change`.
  Verdict JudgeAfter(const std::function<void(Runs&)>& change) {
    const std::vector<RunResult> plain = *Evaluate(program_);
    Runs actual = ValuesOf(plain);
    change(actual);
    const Result<Verdict> verdict = Judge(program_, plain, actual);
    EXPECT_TRUE(verdict.ok());
    return *verdict;
  }
  const Program program_ = TwoRuns();
};

TEST_F(JudgeTest, EqualValuesPass) {
  EXPECT_EQ(JudgeAfter([](Runs&) {}).difference, "");
}

TEST_F(JudgeTest, AFewUnitsInTheLastPlacePassWhereTheFunctionIsInexact) {
  EXPECT_EQ(JudgeAfter([](Runs& runs) {
              runs[0][0] = Tensor::Scalar(std::exp(1.0f) * (1 + 4e-7f));
            }).difference,
            "");
  EXPECT_EQ(
      JudgeAfter([](Runs& runs) { runs[1][0] = Tensor::Scalar(7.5f); }).difference.substr(0, 46),
      "run 1: result 0 (v2): 7.5 instead of 7.389056,");
}

TEST_F(JudgeTest, ExactValuesMustBeTheSame) {
  EXPECT_EQ(JudgeAfter([](Runs& runs) {
              runs[0][1] = Tensor::Vector<int32_t>({1, 3});
            }).difference,
            "run 0: result 1 (v1) [1]: 3 instead of 2");
  EXPECT_EQ(JudgeAfter([](Runs& runs) { runs[1][2] = Tensor::Scalar(false); }).difference,
            "run 1: variable 0: false instead of true");
}

TEST_F(JudgeTest, TypesShapesAndCountsMustBeTheSame) {
  EXPECT_EQ(JudgeAfter([](Runs& runs) { runs[0][1] = Tensor::Scalar(1); }).difference,
            "run 0: result 1 (v1): int32[] instead of int32[2]");
  EXPECT_EQ(JudgeAfter([](Runs& runs) { runs[0][1] = Tensor(); }).difference,
            "run 0: result 1 (v1): nothing instead of int32[2]");
  EXPECT_EQ(JudgeAfter([](Runs& runs) { runs[1].pop_back(); }).difference,
            "run 1: 2 values instead of 3");
  EXPECT_EQ(JudgeAfter([](Runs& runs) { runs.pop_back(); }).difference, "1 runs instead of 2");
}

TEST(Compare, ZerosAreToldApartByTheirSignsAndNaNIsNaN) {
  ProgramWriter w;
  const ValueId nan = w.Const(std::numeric_limits<double>::quiet_NaN());
  const Program program = w.Finish({w.Const(0.0), nan});
  const RunResult expected = Evaluate(program)->front();
  EXPECT_EQ(Difference(program, expected, {Tensor::Scalar(0.0), Tensor::Scalar(-std::nan("1"))}),
            "");
  EXPECT_EQ(Difference(program, expected, {Tensor::Scalar(-0.0), expected.values[1]}),
            "result 0 (v1): -0 instead of 0, off by 0");
  EXPECT_NE(Difference(program, expected, {Tensor::Scalar(0.0), Tensor::Scalar(1.0)}), "");
}

TEST(Compare, WhatCannotBeDecidedIsNoDifference) {
  ProgramWriter w;
  const ValueId near_one = w.Do(Op::kTanh, {w.Input(20.0f)});
  const Type is_bool = TensorType(DType::kBool);
  const Program program = w.Finish({w.DoAs(is_bool, Op::kLess, {near_one, w.Const(1.0f)})});
  const std::vector<RunResult> plain = *Evaluate(program);
  const Result<Verdict> verdict = Judge(program, plain, {{Tensor::Scalar(true)}});
  ASSERT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict->undecided);
  EXPECT_EQ(verdict->difference, "");
  EXPECT_FALSE(Judge(program, plain, {{Tensor::Scalar(false)}})->undecided);
}

TEST(Compare, ARunBeforeTheDoubtfulOneMustStillBeRight) {
  ProgramWriter w;
  const ValueId x = w.Input({Tensor::Scalar(0.0f), Tensor::Scalar(20.0f)});
  const ValueId below =
      w.DoAs(TensorType(DType::kBool), Op::kLess, {w.Do(Op::kTanh, {x}), w.Const(1.0f)});
  const Program program = w.Finish({below});
  const std::vector<RunResult> plain = *Evaluate(program);
  const auto judged = [&](bool first, bool second) {
    return *Judge(program, plain, {{Tensor::Scalar(first)}, {Tensor::Scalar(second)}});
  };
  EXPECT_EQ(judged(false, true).difference, "run 0: result 0 (v3): false instead of true");
  EXPECT_TRUE(judged(true, true).undecided);
  EXPECT_EQ(judged(true, true).difference, "");
}

}  // namespace
}  // namespace tagflow::fuzz
