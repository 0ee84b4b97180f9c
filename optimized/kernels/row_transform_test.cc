// Transforms of each length against the sum that they are.
//
// Tests: row_transform.cc

#include "optimized/kernels/row_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tagflow::optimized {
namespace {

template <typename R>
std::vector<std::complex<R>> Drawn(int64_t n) {
  std::vector<std::complex<R>> row;
  uint32_t bits = 7;
  const auto next = [&bits] {
    bits = bits * 1664525 + 1013904223;
    return static_cast<R>(bits >> 8) / static_cast<R>(1 << 23) - 1;
  };
  for (int64_t i = 0; i < n; ++i) {
    const R real = next();
    row.emplace_back(real, next());
  }
  return row;
}

// How far a transform is from the sum, over the root of the row's length.
template <typename R>
double ErrorOf(int64_t n, bool inverse) {
  const auto x = Drawn<R>(n);
  std::vector<std::complex<R>> y(x.size());
  typename RowTransform<R>::Room room;
  RowTransform<R>(n, inverse).Run(x.data(), y.data(), room);
  double worst = 0;
  for (int64_t k = 0; k < n; ++k) {
    std::complex<double> sum;
    for (int64_t t = 0; t < n; ++t) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k * t % n) /
                           static_cast<double>(n) * (inverse ? 1 : -1);
      sum += std::complex<double>(x[static_cast<size_t>(t)]) * std::polar(1.0, angle);
    }
    if (inverse) sum /= static_cast<double>(n);
    worst = std::max(worst, std::abs(std::complex<double>(y[static_cast<size_t>(k)]) - sum));
  }
  return worst / std::sqrt(static_cast<double>(n));
}

TEST(RowTransform, IsTheSumOfEachLength) {
  for (const bool inverse : {false, true}) {
    for (int64_t n = 1; n <= 130; ++n) {
      EXPECT_LT(ErrorOf<double>(n, inverse), 1e-14) << n;
      EXPECT_LT(ErrorOf<float>(n, inverse), 2e-6) << n;
    }
    // Large primes, and lengths with one.
    for (const int64_t n : {251, 509, 502, 1018, 1000, 1024, 2187}) {
      EXPECT_LT(ErrorOf<double>(n, inverse), 2e-14) << n;
      EXPECT_LT(ErrorOf<float>(n, inverse), 4e-6) << n;
    }
  }
}

TEST(RowTransform, OfAMillionElementsComesBack) {
  for (const int64_t n : {1000003, 1 << 20}) {  // a prime, and a power of two
    const auto x = Drawn<double>(n);
    std::vector<std::complex<double>> y(x.size()), back(x.size());
    RowTransform<double>::Room room;
    RowTransform<double>(n, false).Run(x.data(), y.data(), room);
    RowTransform<double>(n, true).Run(y.data(), back.data(), room);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - back[i]));
    EXPECT_LT(worst, 1e-12) << n;
  }
}

}  // namespace
}  // namespace tagflow::optimized
