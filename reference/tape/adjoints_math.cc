// Derivatives of the ops that compute element by element. Where a function has a corner, TensorFlow
// chose a side, and so do we: Abs is flat at 0, Maximum and Minimum of equals follow x.

#include <cmath>
#include <numbers>
#include <utility>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// dy/dx, given x and y.
using Slope = double (*)(double x, double y);

struct UnaryEntry {
  const char* op;
  Slope slope;
  Slope magnitude = nullptr;  // of its terms, where it is a sum of them
};

AdjointFunction Unary(const UnaryEntry& entry) {
  return [slope = entry.slope, magnitude = entry.magnitude](FiringPartials& firing) {
    const std::vector<double> x = ToDoubles(firing.input(0));
    const std::vector<double> y = ToDoubles(firing.output(0));
    for (size_t i = 0; i < x.size(); ++i) {
      const double partial = slope(x[i], y[i]);
      firing.Add(0, i, 0, i, partial, std::fabs(magnitude ? magnitude(x[i], y[i]) : partial));
    }
    return Status();
  };
}

// (dz/dx, dz/dy), given x, y and z.
using Slopes = std::pair<double, double> (*)(double x, double y, double z);

struct BinaryEntry {
  const char* op;
  Slopes slopes;
  Slopes magnitudes = nullptr;  // of their terms, where they are sums of them
};

AdjointFunction Binary(const BinaryEntry& entry) {
  const Slopes slopes = entry.slopes;
  const Slopes magnitudes = entry.magnitudes != nullptr ? entry.magnitudes : slopes;
  return [slopes, magnitudes](FiringPartials& firing) {
    const std::vector<double> x = ToDoubles(firing.input(0));
    const std::vector<double> y = ToDoubles(firing.input(1));
    const std::vector<double> z = ToDoubles(firing.output(0));
    const auto x_at = BroadcastWalk(firing.input(0).dims(), firing.output(0).dims());
    const auto y_at = BroadcastWalk(firing.input(1).dims(), firing.output(0).dims());
    for (size_t o = 0; o < z.size(); ++o) {
      const auto [dx, dy] = slopes(x[x_at[o]], y[y_at[o]], z[o]);
      const auto [x_terms, y_terms] = magnitudes(x[x_at[o]], y[y_at[o]], z[o]);
      firing.Add(0, o, 0, x_at[o], dx, std::fabs(x_terms));
      firing.Add(0, o, 1, y_at[o], dy, std::fabs(y_terms));
    }
    return Status();
  };
}

double SignOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

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
    {"Maximum", [](double x, double y, double) { return x >= y ? Pair(1, 0) : Pair(0, 1); }},
    {"Minimum", [](double x, double y, double) { return x <= y ? Pair(1, 0) : Pair(0, 1); }},
    // Gradients as ops of their own: y, then dy.
    {"TanhGrad", [](double y, double dy, double) { return Pair(-2 * y * dy, 1 - y * y); },
     [](double y, double dy, double) { return Pair(-2 * y * dy, 1 + y * y); }},
    {"SigmoidGrad", [](double y, double dy, double) { return Pair(dy * (1 - 2 * y), y * (1 - y)); },
     [](double y, double dy, double) { return Pair(dy * (1 + 2 * y), y * (1 + y)); }},
    {"SqrtGrad", [](double y, double dy, double) { return Pair(-0.5 * dy / (y * y), 0.5 / y); }},
    {"RsqrtGrad",
     [](double y, double dy, double) { return Pair(-1.5 * dy * y * y, -0.5 * y * y * y); }},
    {"ReciprocalGrad", InverseGradSlopes},
    {"InvGrad", InverseGradSlopes},
    // Gradients, then features.
    {"ReluGrad", [](double, double x, double) { return Pair(x > 0 ? 1 : 0, 0); }},
};

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
  table.Set("AddN", AddN);
  for (const char* op : {"Floor", "Ceil", "Round", "Rint", "FloorDiv", "TruncateDiv"}) {
    table.Stop(op);
  }
}

}  // namespace tagflow::reference
