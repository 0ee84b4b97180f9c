// Derivatives of the special functions. By some parameters (the orders of Polygamma and Zeta, the
// shape of Betainc) there is none in terms of functions that exist here.

#include <cmath>
#include <numbers>
#include <string>

#include "reference/kernels/special_functions.h"
#include "reference/tape/adjoint_tables.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

using Pair = std::pair<double, double>;

const UnaryEntry kUnary[] = {
    {"Erfc", [](double x, double) { return -2 * std::numbers::inv_sqrtpi * std::exp(-x * x); }},
    {"Erfinv", [](double, double y) { return std::exp(y * y) / (2 * std::numbers::inv_sqrtpi); }},
    {"Ndtri",
     [](double, double y) { return std::sqrt(2 * std::numbers::pi) * std::exp(y * y / 2); }},
    {"Lgamma", [](double x, double) { return Digamma(x); },
     [](double x, double) { return std::fabs(Digamma(x)) + 1; }},
    {"Digamma", [](double x, double) { return Polygamma(1, x); }},
    {"Dawsn", [](double x, double y) { return 1 - 2 * x * y; },
     [](double x, double y) { return 1 + std::fabs(2 * x * y); }},
    {"Expint", [](double x, double) { return std::exp(x) / x; }},
    {"FresnelCos", [](double x, double) { return std::cos(std::numbers::pi / 2 * x * x); },
     [](double x, double) { return 1 + x * x; }},
    {"FresnelSin", [](double x, double) { return std::sin(std::numbers::pi / 2 * x * x); },
     [](double x, double) { return 1 + x * x; }},
    {"Spence", [](double x, double) { return x == 1 ? -1 : std::log(x) / (1 - x); }},
};

double SignOf(double x) { return double(x > 0) - double(x < 0); }
// y / x of a function that is near x / 2 where x is near 0.
double Ratio(double x, double y) { return x == 0 ? 0.5 : y / x; }

// Bessel functions by their recurrences (Abramowitz and Stegun 9.1.27, 9.6.26).
const UnaryEntry kBessel[] = {
    {"BesselI0", [](double x, double) { return BesselI1(x); }},
    {"BesselI0e", [](double x, double y) { return BesselI1e(x) - SignOf(x) * y; },
     [](double x, double y) { return std::fabs(BesselI1e(x)) + y; }},
    {"BesselI1", [](double x, double y) { return BesselI0(x) - Ratio(x, y); },
     [](double x, double y) { return BesselI0(x) + Ratio(x, y); }},
    {"BesselI1e", [](double x, double y) { return BesselI0e(x) - SignOf(x) * y - Ratio(x, y); },
     [](double x, double y) { return BesselI0e(x) + std::fabs(y) + Ratio(x, y); }},
    {"BesselK0", [](double x, double) { return -BesselK1(x); }},
    {"BesselK0e", [](double x, double y) { return y - BesselK1e(x); },
     [](double x, double y) { return y + BesselK1e(x); }},
    {"BesselK1", [](double x, double y) { return -BesselK0(x) - y / x; }},
    {"BesselK1e", [](double x, double y) { return y - y / x - BesselK0e(x); },
     [](double x, double y) { return y + y / x + BesselK0e(x); }},
    {"BesselJ0", [](double x, double) { return -BesselJ1(x); },
     [](double x, double) { return std::fabs(BesselJ1(x)) + 1; }},
    {"BesselJ1", [](double x, double y) { return BesselJ0(x) - Ratio(x, y); },
     [](double, double) { return 1.5; }},
    {"BesselY0", [](double x, double) { return -BesselY1(x); },
     [](double x, double) { return std::fabs(BesselY1(x)) + 1; }},
    {"BesselY1", [](double x, double y) { return BesselY0(x) - y / x; },
     [](double x, double y) { return std::fabs(BesselY0(x)) + std::fabs(y / x) + 1; }},
};

// d P(a, x) / dx. The exponent is a sum of large terms, and an error in it one of the density.
double Density(double a, double x) { return std::exp((a - 1) * std::log(x) - x - std::lgamma(a)); }
double DensityTerms(double a, double x) {
  const double terms = std::fabs((a - 1) * std::log(x)) + x + std::fabs(std::lgamma(a));
  return Density(a, x) * (1 + terms);
}

const BinaryEntry kBinary[] = {
    {"Igamma",
     [](double a, double x, double) { return Pair(LowerGammaSlope(a, x), Density(a, x)); },
     [](double a, double x, double) { return Pair(1, DensityTerms(a, x)); }},
    {"Igammac",
     [](double a, double x, double) { return Pair(-LowerGammaSlope(a, x), -Density(a, x)); },
     [](double a, double x, double) { return Pair(1, DensityTerms(a, x)); }},
};

// Two inputs that broadcast: the derivative by the second one only.
AdjointFunction BySecond(Slope slope, Slope magnitude) {
  return [slope, magnitude](FiringPartials& firing) -> Status {
    if (firing.flows_to(0)) {
      return Unimplemented("the derivative of " + firing.node().op +
                           " by its first input is not known");
    }
    const std::vector<double> first = ToDoubles(firing.input(0));
    const std::vector<double> second = ToDoubles(firing.input(1));
    const auto first_at = BroadcastWalk(firing.input(0).dims(), firing.output(0).dims());
    const auto second_at = BroadcastWalk(firing.input(1).dims(), firing.output(0).dims());
    for (size_t o = 0; o < first_at.size(); ++o) {
      const double a = first[first_at[o]];
      const double x = second[second_at[o]];
      firing.Add(0, o, 1, second_at[o], slope(a, x), std::fabs(magnitude(a, x)));
    }
    return Status();
  };
}

double IgammaGradASlope(double a, double x) { return Density(a, x) * (std::log(x) - Digamma(a)); }
double IgammaGradATerms(double a, double x) {
  return DensityTerms(a, x) * (std::fabs(std::log(x)) + std::fabs(Digamma(a)) + 1);
}
double ZetaSlope(double x, double q) { return -x * HurwitzZeta(x + 1, q); }
double PolygammaSlope(double n, double x) { return Polygamma(n + 1, x); }

// a, b, x: scalars go with any shape.
Status Betainc(FiringPartials& firing) {
  if (firing.flows_to(0) || firing.flows_to(1)) {
    return Unimplemented("the derivative of Betainc by its first two inputs is not known");
  }
  std::vector<std::vector<double>> values;
  std::vector<std::vector<size_t>> places;
  for (size_t slot = 0; slot < 3; ++slot) {
    values.push_back(ToDoubles(firing.input(slot)));
    places.push_back(BroadcastWalk(firing.input(slot).dims(), firing.output(0).dims()));
  }
  for (size_t o = 0; o < places[0].size(); ++o) {
    const double a = values[0][places[0][o]];
    const double b = values[1][places[1][o]];
    const double x = values[2][places[2][o]];
    const double beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
    const double power = (a - 1) * std::log(x) + (b - 1) * std::log1p(-x);
    const double density = std::exp(power - beta);
    const double terms = 1 + std::fabs(power) + std::lgamma(a + b) + std::fabs(beta);
    firing.Add(0, o, 2, places[2][o], density, density * std::fabs(terms));
  }
  return Status();
}

}  // namespace

void AddSpecialAdjoints(AdjointTable& table) {
  for (const UnaryEntry& entry : kUnary) table.Set(entry.op, Unary(entry));
  for (const UnaryEntry& entry : kBessel) table.Set(entry.op, Unary(entry));
  for (const BinaryEntry& entry : kBinary) table.Set(entry.op, Binary(entry));
  table.Set("IgammaGradA", BySecond(IgammaGradASlope, IgammaGradATerms));
  table.Set("Zeta", BySecond(ZetaSlope, ZetaSlope));
  table.Set("Polygamma", BySecond(PolygammaSlope, PolygammaSlope));
  table.Set("Betainc", Betainc);
}

}  // namespace tagflow::reference
