// Derivatives of activation functions, and of their gradients, which are ops of their own: the
// gradient of what follows, then x (Elu, Selu: y).

#include <cmath>
#include <string>

#include "reference/tape/adjoint_tables.h"

namespace tagflow::reference {
namespace {

using Pair = std::pair<double, double>;

constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double SoftsignSlope(double x) { return std::pow(1 + std::fabs(x), -2); }
bool IsBetween0And6(double x) { return x > 0 && x < 6; }

const UnaryEntry kUnary[] = {
    {"Relu6", [](double x, double) { return IsBetween0And6(x) ? 1.0 : 0.0; }},
    {"Elu", [](double x, double) { return x < 0 ? std::exp(x) : 1.0; },
     [](double, double) { return 1.0; }},
    {"Selu", [](double x, double) { return x < 0 ? kSeluScaleAlpha * std::exp(x) : kSeluScale; },
     [](double, double) { return kSeluScaleAlpha; }},
    {"Softsign", [](double x, double) { return SoftsignSlope(x); }},
};

const BinaryEntry kBinary[] = {
    {"Relu6Grad", [](double, double x, double) { return Pair(IsBetween0And6(x) ? 1 : 0, 0); }},
    {"EluGrad", [](double dy, double y, double) { return y < 0 ? Pair(y + 1, dy) : Pair(1, 0); },
     [](double dy, double, double) { return Pair(1, dy); }},
    {"SeluGrad",
     [](double dy, double y, double) {
       return y < 0 ? Pair(y + kSeluScaleAlpha, dy) : Pair(kSeluScale, 0);
     },
     [](double dy, double, double) { return Pair(kSeluScaleAlpha, dy); }},
    {"SoftplusGrad",
     [](double dy, double x, double) { return Pair(Logistic(x), dy * Logistic(x) * Logistic(-x)); },
     [](double dy, double, double) { return Pair(1, dy); }},
    {"SoftsignGrad",
     [](double dy, double x, double) {
       const double bend = -2 * std::pow(1 + std::fabs(x), -3);
       return Pair(SoftsignSlope(x), x == 0 ? 0 : dy * std::copysign(bend, -x));
     }},
};

// The slope of LeakyRelu by x times `factor`, element by element; x is input `x_slot`.
Result<std::vector<double>> LeakySlopes(const FiringPartials& firing, size_t x_slot) {
  TAGFLOW_ASSIGN_OR_RETURN(const float alpha, FloatAttr(firing.node(), "alpha"));
  std::vector<double> slopes = ToDoubles(firing.input(x_slot));
  for (double& x : slopes) x = x > 0 ? 1 : static_cast<double>(alpha);
  return slopes;
}

// LeakyRelu of x in slot 0, and LeakyReluGrad, linear in its slot 0, of x in slot 1.
AdjointFunction Leaky(size_t x_slot) {
  return [x_slot](FiringPartials& firing) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<double> slopes, LeakySlopes(firing, x_slot));
    for (size_t i = 0; i < slopes.size(); ++i) {
      firing.Add(0, i, 0, i, slopes[i]);
      if (x_slot != 0) firing.Add(0, i, x_slot, i, 0);
    }
    return Status();
  };
}

}  // namespace

void AddActivationAdjoints(AdjointTable& table) {
  for (const UnaryEntry& entry : kUnary) table.Set(entry.op, Unary(entry));
  for (const BinaryEntry& entry : kBinary) table.Set(entry.op, Binary(entry));
  table.Set("LeakyRelu", Leaky(0));
  table.Set("LeakyReluGrad", Leaky(1));
}

}  // namespace tagflow::reference
