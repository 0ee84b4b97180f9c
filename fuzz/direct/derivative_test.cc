// Tests: derivative.cc dual.h evaluator_dual.cc evaluator_dual2.cc evaluator_dual3.cc

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "fuzz/direct/test_results.h"

namespace tagflow::fuzz {
namespace {

using Ids = ProgramWriter::Ids;
using Writer = std::function<ValueId(ProgramWriter&, ValueId)>;
const Type kBool = TensorType(DType::kBool);

Tensor GradientOf(const Tensor& x, const Writer& write, int order = 1) {
  ProgramWriter w;
  const ValueId input = w.Input(std::vector<Tensor>{x});
  const ValueId result = write(w, input);
  const Result<Tensor> gradient = Derivative(w.Finish({result}), 0, 0, order);
  EXPECT_TRUE(gradient.ok()) << gradient.status().ToString();
  return gradient.ok() ? *gradient : Tensor::Scalar(0.0);
}
double SlopeOf(double x, const Writer& write, int order = 1) {
  return GradientOf(Tensor::Scalar(x), write, order).scalar<double>();
}
Writer Unary(Op op) {
  return [op](ProgramWriter& w, ValueId x) { return w.Do(op, {x}); };
}

// x to the n, by a loop.
Writer Power(int32_t n) {
  return [n](ProgramWriter& w, ValueId x) {
    const ValueId bound = w.Const(n);
    const ValueId one = w.Const(1.0);
    return w.While({.most = 100}, bound, {one}, [&](const Ids& v) -> Ids {
      return {w.Do(Op::kMul, {v[1], x})};
    })[1];
  };
}

TEST(Derivative, OfPowersByALoop) {
  EXPECT_DOUBLE_EQ(SlopeOf(1.5, Power(7)), 7 * std::pow(1.5, 6));
  EXPECT_DOUBLE_EQ(SlopeOf(1.5, Power(7), 2), 7 * 6 * std::pow(1.5, 5));
  EXPECT_DOUBLE_EQ(SlopeOf(1.5, Power(7), 3), 7 * 6 * 5 * std::pow(1.5, 4));
  EXPECT_EQ(SlopeOf(1.5, Power(0)), 0);
  EXPECT_EQ(SlopeOf(1.5, Power(2), 3), 0);
}

TEST(Derivative, OfFunctionsOfOneNumberAgreesWithTheirClosedForms) {
  const double x = 0.7;
  const double sigmoid = 1 / (1 + std::exp(-x));
  const double flat = sigmoid * (1 - sigmoid);
  const double tanh = std::tanh(x);
  const struct {
    Op op;
    double first, second, third;
  } rows[] = {
      {Op::kNeg, -1, 0, 0},
      {Op::kAbs, 1, 0, 0},
      {Op::kSign, 0, 0, 0},
      {Op::kSquare, 2 * x, 2, 0},
      {Op::kSqrt, 0.5 / std::sqrt(x), -0.25 * std::pow(x, -1.5), 0.375 * std::pow(x, -2.5)},
      {Op::kExp, std::exp(x), std::exp(x), std::exp(x)},
      {Op::kLog, 1 / x, -1 / (x * x), 2 / (x * x * x)},
      {Op::kSin, std::cos(x), -std::sin(x), -std::cos(x)},
      {Op::kCos, -std::sin(x), -std::cos(x), std::sin(x)},
      {Op::kTanh, 1 - tanh * tanh, -2 * tanh * (1 - tanh * tanh),
       -2 * (1 - tanh * tanh) * (1 - 3 * tanh * tanh)},
      {Op::kSigmoid, flat, flat * (1 - 2 * sigmoid), flat * (1 - 6 * flat)},
      {Op::kIdentity, 1, 0, 0},
      {Op::kStopGradient, 0, 0, 0},
      {Op::kZerosLike, 0, 0, 0},
      {Op::kOnesLike, 0, 0, 0},
  };
  for (const auto& row : rows) {
    EXPECT_NEAR(SlopeOf(x, Unary(row.op)), row.first, 1e-14) << OpName(row.op);
    EXPECT_NEAR(SlopeOf(x, Unary(row.op), 2), row.second, 1e-13) << OpName(row.op);
    EXPECT_NEAR(SlopeOf(x, Unary(row.op), 3), row.third, 1e-12) << OpName(row.op);
  }
}

TEST(Derivative, OfQuotientsProductsAndDifferences) {
  // f(x) = (x - 2) / (x x + 1)
  const Writer f = [](ProgramWriter& w, ValueId x) {
    const ValueId below = w.Do(Op::kAdd, {w.Do(Op::kMul, {x, x}), w.Const(1.0)});
    return w.Do(Op::kDiv, {w.Do(Op::kSub, {x, w.Const(2.0)}), below});
  };
  EXPECT_NEAR(SlopeOf(3, f), (10 - 1 * 6.0) / 100, 1e-15);
  // By f' = (1 + 4x - xx) / (xx+1)^2 and f'' = (4 - 2x) / (xx+1)^2 - 4x f' / (xx+1)
  EXPECT_NEAR(SlopeOf(3, f, 2), -2 / 100.0 - 12 * 0.04 / 10, 1e-15);
}

TEST(Derivative, AtCornersIsTensorFlowsChoice) {
  EXPECT_EQ(SlopeOf(0, Unary(Op::kAbs)), 0);
  EXPECT_EQ(SlopeOf(-2, Unary(Op::kAbs)), -1);
  const auto with_constant = [](Op op, bool first, double constant) -> Writer {
    return [=](ProgramWriter& w, ValueId x) {
      const ValueId c = w.Const(constant);
      return w.Do(op, first ? Ids{x, c} : Ids{c, x});
    };
  };
  for (Op op : {Op::kMaximum, Op::kMinimum}) {
    EXPECT_EQ(SlopeOf(2, with_constant(op, true, 2)), 1) << OpName(op);
    EXPECT_EQ(SlopeOf(2, with_constant(op, false, 2)), 0) << OpName(op);
    EXPECT_EQ(SlopeOf(2, with_constant(op, true, 3)), op == Op::kMinimum) << OpName(op);
  }
}

TEST(Derivative, OfAnExtremeIsSharedByTies) {
  const Tensor x = Tensor::Vector<double>({1, 3, 3, 2});
  const Writer extreme = [](ProgramWriter& w, ValueId v) {
    return w.DoAs(TensorType(DType::kDouble), Op::kMax, {v});
  };
  EXPECT_EQ(Text(GradientOf(x, extreme)), Text(Tensor::Vector<double>({0, 0.5, 0.5, 0})));
}

TEST(Derivative, OfSumsMeansAndProductsOfMatrices) {
  const Type scalar = TensorType(DType::kDouble);
  const Tensor x = Tensor::Vector<double>({1, 2});
  const Writer mean_of_squares = [&](ProgramWriter& w, ValueId v) {
    return w.DoAs(scalar, Op::kMean, {w.Do(Op::kSquare, {v})});
  };
  EXPECT_EQ(Text(GradientOf(x, mean_of_squares)), Text(x));
  // The sum of the gradient is 1 + 2, whose gradient is all ones.
  EXPECT_EQ(Text(GradientOf(x, mean_of_squares, 2)), Text(Tensor::Vector<double>({1, 1})));
  const Writer product = [&](ProgramWriter& w, ValueId v) {
    const Type row = TensorType(DType::kDouble, {1, 2});
    const Type column = TensorType(DType::kDouble, {2, 1});
    const ValueId a = w.DoAs(row, Op::kReshape, {v}, {1, 2});
    const ValueId b = w.DoAs(column, Op::kReshape, {v}, {2, 1});
    return w.DoAs(TensorType(DType::kDouble, {2, 2}), Op::kMatMul, {b, a});
  };
  // The sum of the elements of the outer product is (x0 + x1) squared.
  EXPECT_EQ(Text(GradientOf(x, product)), Text(Tensor::Vector<double>({6, 6})));
  EXPECT_EQ(Text(GradientOf(x, product, 2)), Text(Tensor::Vector<double>({4, 4})));
}

TEST(Derivative, FollowsTheBranchTaken) {
  const Writer f = [](ProgramWriter& w, ValueId x) {
    const ValueId positive = w.DoAs(kBool, Op::kGreater, {x, w.Const(0.0)});
    return w.Branch(Op::kCond, positive,
                    {[&]() -> Ids { return {w.Do(Op::kSquare, {x})}; },
                     [&]() -> Ids { return {w.Do(Op::kNeg, {x})}; }})[0];
  };
  EXPECT_EQ(SlopeOf(3, f), 6);
  EXPECT_EQ(SlopeOf(-3, f), -1);
  const Writer select = [](ProgramWriter& w, ValueId x) {
    const ValueId positive = w.DoAs(kBool, Op::kGreater, {x, w.Const(0.0)});
    return w.DoAs(TensorType(DType::kDouble), Op::kSelect,
                  {positive, w.Do(Op::kSquare, {x}), w.Do(Op::kNeg, {x})});
  };
  EXPECT_EQ(SlopeOf(3, select), 6);
  EXPECT_EQ(SlopeOf(-3, select), -1);
}

TEST(Derivative, GoesThroughArraysAndStacks) {
  const Writer f = [](ProgramWriter& w, ValueId x) {
    const Type element = TensorType(DType::kDouble);
    const ValueId zero = w.Const(0);
    ValueId array = w.Do(Op::kArrayWrite, {w.NewArray(element, 1), zero, w.Do(Op::kSquare, {x})});
    const ValueId stack = w.Do(Op::kStackPush, {w.NewStack(element, 1), w.Do(Op::kExp, {x})});
    return w.Do(Op::kMul, {w.ReadArray(array, zero), w.Pop(stack)[0]});
  };
  // (x x e^x)' = (2x + x x) e^x
  EXPECT_DOUBLE_EQ(SlopeOf(2, f), 8 * std::exp(2));
  EXPECT_DOUBLE_EQ(SlopeOf(2, f, 2), 14 * std::exp(2));
}

TEST(Derivative, StopsAtIntegersVariablesAndStopGradient) {
  const Writer through_int = [](ProgramWriter& w, ValueId x) {
    const ValueId whole = w.DoAs(TensorType(DType::kInt32), Op::kCast, {x});
    return w.Do(Op::kMul, {x, w.DoAs(TensorType(DType::kDouble), Op::kCast, {whole})});
  };
  EXPECT_EQ(SlopeOf(3.5, through_int), 3);
  const Writer through_variable = [](ProgramWriter& w, ValueId x) {
    const int variable = w.Variable(Tensor::Scalar(0.0));
    w.Assign(variable, x);
    return w.Do(Op::kMul, {x, w.Read(variable)});
  };
  EXPECT_EQ(SlopeOf(3.5, through_variable), 3.5);
  const Writer stopped = [](ProgramWriter& w, ValueId x) {
    return w.Do(Op::kMul, {x, w.Do(Op::kStopGradient, {x})});
  };
  EXPECT_EQ(SlopeOf(3.5, stopped), 3.5);
  EXPECT_EQ(SlopeOf(3.5, stopped, 2), 0);
}

TEST(Derivative, GoesThroughCastsBetweenFloats) {
  const Writer f = [](ProgramWriter& w, ValueId x) {
    const ValueId single = w.DoAs(TensorType(DType::kFloat), Op::kCast, {x});
    return w.Do(Op::kSquare, {single});
  };
  EXPECT_EQ(SlopeOf(1.5, f), 3);
}

TEST(Derivative, AConstantZeroUnderARootDoesNoHarm) {
  const Writer f = [](ProgramWriter& w, ValueId x) {
    return w.Do(Op::kAdd, {x, w.Do(Op::kSqrt, {w.Const(0.0)})});
  };
  for (int order : {1, 2, 3}) EXPECT_EQ(SlopeOf(2, f, order), order == 1);
}

TEST(Derivative, RefusesWhatHasNone) {
  ProgramWriter w;
  const ValueId x = w.Input(2.0);
  const ValueId n = w.Input(3);
  const Program program = w.Finish({x, n});
  EXPECT_EQ(Derivative(program, 0, 1).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Derivative(program, 1, 0).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Derivative(program, 2, 0).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Derivative(program, 0, 0, 4).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Derivative(program, 0, 0)->scalar<double>(), 1);
}

}  // namespace
}  // namespace tagflow::fuzz
