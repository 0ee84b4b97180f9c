#include "reference/tape/adjoint_tables.h"

#include <cmath>

#include "reference/tape/walk.h"

namespace tagflow::reference {

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

void AddGroups(FiringPartials& firing, const Groups& groups, GroupSlopes slopes) {
  const std::vector<double> x = ToDoubles(firing.input(0));
  const std::vector<double> y = ToDoubles(firing.output(0));
  for (size_t o = 0; o < groups.size(); ++o) {
    std::vector<double> members;
    for (size_t i : groups[o]) members.push_back(x[i]);
    const std::vector<double> partials = slopes(members, y[o]);
    for (size_t k = 0; k < partials.size(); ++k) firing.Add(0, o, 0, groups[o][k], partials[k]);
  }
}

std::vector<double> OfSum(const std::vector<double>& x, double) {
  return std::vector<double>(x.size(), 1.0);
}

std::vector<double> OfMean(const std::vector<double>& x, double) {
  return std::vector<double>(x.size(), 1.0 / static_cast<double>(x.size()));
}

std::vector<double> OfProduct(const std::vector<double>& x, double) {
  std::vector<double> partials(x.size(), 1.0);
  for (size_t k = 0; k < x.size(); ++k) {
    for (size_t other = 0; other < x.size(); ++other) {
      if (other != k) partials[k] *= x[other];
    }
  }
  return partials;
}

std::vector<double> OfExtreme(const std::vector<double>& x, double y) {
  double equals = 0;
  for (double value : x) equals += value == y ? 1 : 0;
  std::vector<double> partials;
  for (double value : x) partials.push_back(value == y ? 1 / equals : 0.0);
  return partials;
}

std::vector<double> OfNorm(const std::vector<double>& x, double y) {
  std::vector<double> partials;
  for (double value : x) partials.push_back(value / y);
  return partials;
}

std::vector<double> OfLogSumExp(const std::vector<double>& x, double y) {
  std::vector<double> partials;
  for (double value : x) partials.push_back(std::exp(value - y));
  return partials;
}

}  // namespace tagflow::reference
