// Derivatives of the ops that compute element by element. Where a function has a corner, TensorFlow
// chose a side, and so do we: Abs is flat at 0, Maximum and Minimum of equals follow x.

#include <cmath>
#include <numbers>
#include <utility>

#include "reference/tape/adjoint_tables.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

double SignOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

// 1 - x^2, and its root.
double Rest(double x) { return (1 - x) * (1 + x); }
double RootOfRest(double x) { return std::sqrt(Rest(x)); }

constexpr double kErfSlope = 2 * std::numbers::inv_sqrtpi;

const UnaryEntry kUnary[] = {
    {"Neg", [](double, double) { return -1.0; }},
    {"Abs", [](double x, double) { return SignOf(x); }},
    {"Sign", [](double, double) { return 0.0; }},
    {"Square", [](double x, double) { return 2 * x; }},
    {"Sqrt", [](double, double y) { return 0.5 / y; }},
    {"Rsqrt", [](double x, double y) { return -0.5 * y / x; }},
    {"Reciprocal", [](double, double y) { return -y * y; }},
    {"Inv", [](double, double y) { return -y * y; }},
    {"Exp", [](double, double y) { return y; }},
    {"Expm1", [](double x, double) { return std::exp(x); }},
    {"Log", [](double x, double) { return 1 / x; }},
    {"Log1p", [](double x, double) { return 1 / (1 + x); }},
    {"Sin", [](double x, double) { return std::cos(x); }},
    {"Cos", [](double x, double) { return -std::sin(x); }},
    {"Tanh", [](double, double y) { return 1 - y * y; },
     [](double, double y) { return 1 + y * y; }},
    {"Sigmoid", [](double, double y) { return y * (1 - y); },
     [](double, double y) { return y * (1 + y); }},
    {"Erf", [](double x, double) { return kErfSlope * std::exp(-x * x); }},
    {"Relu", [](double x, double) { return x > 0 ? 1.0 : 0.0; }},
    {"Softplus", [](double x, double) { return Logistic(x); }},
    {"Cast", [](double, double) { return 1.0; }},
    {"Tan", [](double x, double) { return 1 / (std::cos(x) * std::cos(x)); }},
    {"Asin", [](double x, double) { return 1 / RootOfRest(x); },
     [](double x, double) { return 1 / RootOfRest(x) / Rest(x); }},
    {"Acos", [](double x, double) { return -1 / RootOfRest(x); },
     [](double x, double) { return 1 / RootOfRest(x) / Rest(x); }},
    {"Atan", [](double x, double) { return 1 / (1 + x * x); }},
    {"Sinh", [](double x, double) { return std::cosh(x); }},
    {"Cosh", [](double x, double) { return std::sinh(x); }},
    {"Asinh", [](double x, double) { return 1 / std::sqrt(1 + x * x); }},
    {"Acosh", [](double x, double) { return 1 / std::sqrt((x - 1) * (x + 1)); },
     [](double x, double) { return x * x / std::pow((x - 1) * (x + 1), 1.5); }},
    {"Atanh", [](double x, double) { return 1 / Rest(x); },
     [](double x, double) { return (1 + x * x) / (Rest(x) * Rest(x)); }},
};

std::pair<double, double> QuotientSlopes(double x, double y, double) { return {1 / y, -x / y / y}; }
std::pair<double, double> TruncatedModSlopes(double x, double y, double) {
  return {1.0, -std::trunc(x / y)};
}
std::pair<double, double> InverseGradSlopes(double y, double dy, double) {
  return {-2 * dy * y, -y * y};
}

// The logarithm of a base that is not positive counts as 0: y is then an integer that cannot move.
std::pair<double, double> PowSlopes(double x, double y, double z) {
  return {y * std::pow(x, y - 1), x > 0 ? z * std::log(x) : 0.0};
}

// x / y, and 0 for x = 0 whatever y is.
double Share(double x, double y) { return x == 0 ? 0 : x / y; }

using Pair = std::pair<double, double>;
const BinaryEntry kBinary[] = {
    {"Add", [](double, double, double) { return Pair(1, 1); }},
    {"AddV2", [](double, double, double) { return Pair(1, 1); }},
    {"Sub", [](double, double, double) { return Pair(1, -1); }},
    {"Mul", [](double x, double y, double) { return Pair(y, x); }},
    {"Div", QuotientSlopes},
    {"RealDiv", QuotientSlopes},
    {"DivNoNan",
     [](double x, double y, double z) { return y == 0 ? Pair(0, 0) : QuotientSlopes(x, y, z); }},
    {"MulNoNan", [](double x, double y, double) { return Pair(y, x); }},
    {"FloorMod", [](double x, double y, double) { return Pair(1, -std::floor(x / y)); }},
    {"Mod", TruncatedModSlopes},
    {"TruncateMod", TruncatedModSlopes},
    {"SquaredDifference", [](double x, double y, double) { return Pair(2 * (x - y), 2 * (y - x)); },
     [](double x, double y, double) {
       const double terms = 2 * (std::fabs(x) + std::fabs(y));
       return Pair(terms, terms);
     }},
    {"Pow", PowSlopes},
    {"Xlogy",
     [](double x, double y, double) { return Pair(x == 0 ? 0 : std::log(y), Share(x, y)); }},
    {"Xlog1py",
     [](double x, double y, double) { return Pair(x == 0 ? 0 : std::log1p(y), Share(x, 1 + y)); }},
    {"Xdivy",
     [](double x, double y, double) { return Pair(x == 0 ? 0 : 1 / y, -Share(Share(x, y), y)); }},
    // y, then x.
    {"Atan2",
     [](double y, double x, double) {
       const double square = x * x + y * y;
       return Pair(x / square, -y / square);
     }},
    // The neighbour of a number moves with it.
    {"NextAfter", [](double, double, double) { return Pair(1, 0); }},
    {"Maximum", [](double x, double y, double) { return x >= y ? Pair(1, 0) : Pair(0, 1); }},
    {"Minimum", [](double x, double y, double) { return x <= y ? Pair(1, 0) : Pair(0, 1); }},
    // Gradients as ops of their own: y, then dy.
    {"TanhGrad", [](double y, double dy, double) { return Pair(-2 * y * dy, 1 - y * y); },
     [](double y, double dy, double) { return Pair(-2 * y * dy, 1 + y * y); }},
    {"SigmoidGrad", [](double y, double dy, double) { return Pair(dy * (1 - 2 * y), y * (1 - y)); },
     [](double y, double dy, double) {
       const double size = std::fabs(y);
       return Pair(dy * (1 + 2 * size), size * (1 + size));
     }},
    {"SqrtGrad", [](double y, double dy, double) { return Pair(-0.5 * dy / (y * y), 0.5 / y); }},
    {"RsqrtGrad",
     [](double y, double dy, double) { return Pair(-1.5 * dy * y * y, -0.5 * y * y * y); }},
    {"ReciprocalGrad", InverseGradSlopes},
    {"InvGrad", InverseGradSlopes},
    // Gradients, then features.
    {"ReluGrad", [](double, double x, double) { return Pair(x > 0 ? 1 : 0, 0); }},
};

// t between two bounds, scalars or of t's shape: below the lower it is the lower, above the upper
// the upper.
Status ClipByValue(FiringPartials& firing) {
  std::vector<std::vector<double>> values;
  std::vector<std::vector<size_t>> places;
  for (size_t slot = 0; slot < 3; ++slot) {
    values.push_back(ToDoubles(firing.input(slot)));
    places.push_back(BroadcastWalk(firing.input(slot).dims(), firing.output(0).dims()));
  }
  for (size_t o = 0; o < places[0].size(); ++o) {
    const auto at = [&](size_t slot) { return values[slot][places[slot][o]]; };
    const bool is_below = at(0) < at(1);
    const bool is_above = at(0) > at(2);
    firing.Add(0, o, 0, places[0][o], is_below || is_above ? 0 : 1);
    firing.Add(0, o, 1, places[1][o], is_below ? 1 : 0);
    firing.Add(0, o, 2, places[2][o], is_above ? 1 : 0);
  }
  return Status();
}

// Which of t and e each element comes from; `chosen` holds one condition per element.
void Choose(FiringPartials& firing, const std::vector<double>& condition,
            const std::vector<size_t>& condition_at) {
  const auto t_at = BroadcastWalk(firing.input(1).dims(), firing.output(0).dims());
  const auto e_at = BroadcastWalk(firing.input(2).dims(), firing.output(0).dims());
  for (size_t o = 0; o < t_at.size(); ++o) {
    const bool holds = condition[condition_at[o]] != 0;
    firing.Add(0, o, holds ? 1 : 2, holds ? t_at[o] : e_at[o], 1);
  }
}

Status SelectV2(FiringPartials& firing) {
  Choose(firing, ToDoubles(firing.input(0)),
         BroadcastWalk(firing.input(0).dims(), firing.output(0).dims()));
  return Status();
}

// A condition of rank 1 chooses rows.
Status Select(FiringPartials& firing) {
  const Tensor& condition = firing.input(0);
  const DimsView dims = firing.output(0).dims();
  if (condition.rank() != 1) return SelectV2(firing);
  Dims steps(dims.size(), 0);
  steps[0] = 1;
  Choose(firing, ToDoubles(condition), Walk(dims, steps));
  return Status();
}

Status AddN(FiringPartials& firing) {
  for (size_t slot = 0; slot < firing.num_inputs(); ++slot) {
    const auto count = static_cast<size_t>(firing.output(0).num_elements());
    for (size_t i = 0; i < count; ++i) firing.Add(0, i, slot, i, 1);
  }
  return Status();
}

}  // namespace

void AddMathAdjoints(AdjointTable& table) {
  for (const UnaryEntry& entry : kUnary) table.Set(entry.op, Unary(entry));
  for (const BinaryEntry& entry : kBinary) table.Set(entry.op, Binary(entry));
  table.Set("Select", Select);
  table.Set("SelectV2", SelectV2);
  table.Set("ClipByValue", ClipByValue);
  table.Set("AddN", AddN);
  table.Set("AccumulateNV2", AddN);
  for (const char* op : {"Floor", "Ceil", "Round", "Rint", "FloorDiv", "TruncateDiv"}) {
    table.Stop(op);
  }
}

}  // namespace tagflow::reference
