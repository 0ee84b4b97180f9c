// Tests: tracked.h evaluator_tracked.cc direct.cc

#include "fuzz/direct/tracked.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fuzz/direct/compare.h"
#include "fuzz/direct/test_results.h"

namespace tagflow::fuzz {
namespace {

using Ids = ProgramWriter::Ids;

RunResult Tracking(const Program& program) {
  const Result<std::vector<RunResult>> runs = Evaluate(program, {.tolerances = true});
  EXPECT_TRUE(runs.ok()) << runs.status().ToString();
  return runs->front();
}

TEST(Tracked, ExactOperandsOfIeeeOperationsStayExact) {
  ProgramWriter w;
  const ValueId x = w.Input(0.1f);
  const ValueId y = w.Do(Op::kDiv, {w.Do(Op::kSqrt, {x}), w.Do(Op::kAdd, {x, x})});
  const Program program = w.Finish({y, w.Do(Op::kMaximum, {y, x})});
  const RunResult tracked = Tracking(program);
  EXPECT_FALSE(tracked.tolerances[0].has_value());
  EXPECT_FALSE(tracked.tolerances[1].has_value());
  EXPECT_TRUE(BitwiseEqual(tracked.values[0], ResultsOf(program)[0]));
}

TEST(Tracked, ErrorsFollowTheFunction) {
  const auto error = [](Tracked x) { return x.error; };
  EXPECT_DOUBLE_EQ(error(Tracked(3, 0.25) + Tracked(5, 0.5)), 0.75);
  EXPECT_DOUBLE_EQ(error(Tracked(3, 0.25) - Tracked(5, 0.5)), 0.75);
  EXPECT_DOUBLE_EQ(error(Tracked(3, 0.25) * Tracked(-4)), 1);
  EXPECT_DOUBLE_EQ(error(Tracked(3, 0.25) / Tracked(-4)), 0.0625);
  EXPECT_DOUBLE_EQ(error(Tracked(1) / Tracked(4, 1)), 0.25 / 3);
  EXPECT_EQ(error(Tracked(1) / Tracked(0.5, 1)), kUnknown);
  EXPECT_DOUBLE_EQ(error(Sqrt(Tracked(4, 0.5))), 0.25);
  EXPECT_DOUBLE_EQ(error(Sqrt(Tracked(0, 0.25))), 0.5);
  EXPECT_DOUBLE_EQ(error(Log(Tracked(4, 1))), 1 / 3.0);
  EXPECT_EQ(error(Log(Tracked(1, 2))), kUnknown);
  EXPECT_EQ(error(Maximum(Tracked(4, 1), Tracked(9, 2))), 2);
  EXPECT_EQ(error(Maximum(Tracked(9, 1), Tracked(4, 2))), 1);
  EXPECT_EQ(error(Minimum(Tracked(4, 1), Tracked(4, 2))), 2);
  EXPECT_EQ(error(Sign(Tracked(4, 1))), 0);
  EXPECT_EQ(error(Sign(Tracked(1, 1))), 2);
  EXPECT_EQ(error(Tracked(kUnknown, 0) * Tracked(2)), 0);
  EXPECT_EQ(error(Tracked(kUnknown, 1)), kUnknown);
}

TEST(Tracked, ANarrowComparisonLeavesTheRunUndecided) {
  const auto undecided = [](double bound) {
    ProgramWriter w;
    const ValueId near_one = w.Do(Op::kTanh, {w.Input(20.0f)});
    const ValueId limit = w.Const(static_cast<float>(bound));
    return Tracking(w.Finish({w.DoAs(TensorType(DType::kBool), Op::kLess, {near_one, limit})}))
        .undecided;
  };
  EXPECT_TRUE(undecided(1));
  EXPECT_FALSE(undecided(0.999));
}

TEST(Tracked, ANarrowCastLeavesTheRunUndecided) {
  const auto undecided = [](float factor) {
    ProgramWriter w;
    const ValueId near_one = w.Do(Op::kTanh, {w.Input(20.0f)});
    const ValueId x = w.Do(Op::kMul, {near_one, w.Const(factor)});
    return Tracking(w.Finish({w.DoAs(TensorType(DType::kInt32), Op::kCast, {x})})).undecided;
  };
  EXPECT_TRUE(undecided(1));
  EXPECT_FALSE(undecided(0.5));
}

// An engine that computes with floats throughout and sums from the last element to the first.
struct OtherEngine {
  static float Unary(Op op, float x) {
    switch (op) {
      case Op::kExp:
        return std::exp(x);
      case Op::kSin:
        return std::sin(x);
      case Op::kCos:
        return std::cos(x);
      case Op::kTanh:
        return std::tanh(x);
      case Op::kSigmoid:
        return 1 / (1 + std::exp(-x));
      case Op::kLog:
        return std::log(x);
      case Op::kSqrt:
        return std::sqrt(x);
      default:
        return x * x;
    }
  }
  static float Binary(Op op, float x, float y) {
    switch (op) {
      case Op::kAdd:
        return x + y;
      case Op::kSub:
        return x - y;
      case Op::kMul:
        return x * y;
      case Op::kDiv:
        return x / y;
      default:
        return std::isnan(x) || x > y ? x : y;
    }
  }
  static float Sum(const std::vector<float>& terms) {
    float sum = 0;
    for (size_t i = terms.size(); i-- > 0;) sum += terms[i];
    return sum;
  }
};

// A random expression, written as a program and computed by the other engine on the way.
class RandomExpression {
 public:
  explicit RandomExpression(uint32_t seed) : state_(seed * 2654435761u + 1) {
    for (int i = 0; i < 3; ++i) {
      const float x = static_cast<float>(Choose(2000)) / 500 - 2;
      values_.push_back({w_.Input(x), x});
    }
    for (int i = 0; i < 20; ++i) AddOne();
  }
  float other() const { return values_.back().number; }
  Program Finish() { return w_.Finish({values_.back().id}); }

 private:
  struct Pair {
    ValueId id;
    float number;
  };
  uint32_t Choose(uint32_t count) {
    state_ = state_ * 1664525 + 1013904223;
    return (state_ >> 8) % count;
  }
  const Pair Any() { return values_[Choose(static_cast<uint32_t>(values_.size()))]; }

  void AddOne() {
    const Op unary[] = {Op::kExp,     Op::kSin, Op::kCos,  Op::kTanh,
                        Op::kSigmoid, Op::kLog, Op::kSqrt, Op::kSquare};
    const Op binary[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kMaximum};
    const Pair x = Any();
    const Pair y = Any();
    if (Choose(4) == 0) {
      const Pair z = Any();
      const ValueId packed = w_.DoAs(TensorType(DType::kFloat, {3}), Op::kPack, {x.id, y.id, z.id});
      values_.push_back({w_.DoAs(TensorType(DType::kFloat), Op::kSum, {packed}),
                         OtherEngine::Sum({x.number, y.number, z.number})});
    } else if (Choose(2) == 0) {
      const Op op = unary[Choose(8)];
      values_.push_back({w_.Do(op, {x.id}), OtherEngine::Unary(op, x.number)});
    } else {
      const Op op = binary[Choose(5)];
      values_.push_back({w_.Do(op, {x.id, y.id}), OtherEngine::Binary(op, x.number, y.number)});
    }
  }

  ProgramWriter w_;
  std::vector<Pair> values_;
  uint32_t state_;
};

TEST(Tracked, TolerancesCoverAnEngineThatComputesInFloat) {
  int differ = 0;
  int tight = 0;
  constexpr int kPrograms = 2000;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    RandomExpression expression(seed);
    const std::vector<Tensor> other = {Tensor::Scalar(expression.other())};
    const Program program = expression.Finish();
    const RunResult expected = Tracking(program);
    EXPECT_EQ(Difference(program, expected, other), "") << "seed " << seed;
    const double x = expected.values[0].scalar<float>();
    const Tensor& tolerance = expected.tolerances[0];
    differ += !BitwiseEqual(expected.values[0], other[0]);
    tight += !tolerance.has_value() || tolerance.scalar<double>() <= 1e-4 * std::fabs(x) + 1e-5;
  }
  // The test means something: the engines do differ, and most tolerances are small.
  EXPECT_GT(differ, kPrograms / 10);
  EXPECT_GT(tight, kPrograms * 8 / 10);
}

}  // namespace
}  // namespace tagflow::fuzz
