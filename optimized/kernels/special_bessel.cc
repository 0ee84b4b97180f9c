// The Bessel functions: the modified ones by Eigen's Chebyshev series, waves by the C library,
// which brings large arguments to a period without loss.

#include <cmath>
#include <eigen3/unsupported/Eigen/SpecialFunctions>
#include <limits>

#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// exp(|x|) times what is scaled by its inverse, in two factors: each may be within bounds where the
// power is not.
double Grown(double scaled, double x) {
  const double root = std::exp(std::fabs(x) / 2);
  return scaled * root * root;
}

// K near 0, where the half of a subnormal number may be 0: Eigen takes the logarithm of that.
constexpr double kEuler = 0.57721566490153286061;
bool IsTiny(double x) { return x > 0 && x < std::numeric_limits<double>::min(); }
double TinyK0(double x) { return std::log(2.0) - std::log(x) - kEuler; }
double TinyK1(double x) { return 1 / x; }

}  // namespace

double BesselI0(double x) { return std::isinf(x) ? kInfinity : Grown(BesselI0e(x), x); }
double BesselI0e(double x) { return Eigen::numext::bessel_i0e(x); }
double BesselI1(double x) { return std::isinf(x) ? x : Grown(BesselI1e(x), x); }
double BesselI1e(double x) { return Eigen::numext::bessel_i1e(x); }
double BesselK0(double x) { return IsTiny(x) ? TinyK0(x) : Eigen::numext::bessel_k0(x); }
double BesselK0e(double x) { return IsTiny(x) ? TinyK0(x) : Eigen::numext::bessel_k0e(x); }
double BesselK1(double x) { return IsTiny(x) ? TinyK1(x) : Eigen::numext::bessel_k1(x); }
double BesselK1e(double x) { return IsTiny(x) ? TinyK1(x) : Eigen::numext::bessel_k1e(x); }
double BesselJ0(double x) { return j0(x); }
double BesselJ1(double x) { return j1(x); }
double BesselY0(double x) { return x <= 0 ? -kInfinity : y0(x); }
double BesselY1(double x) { return x <= 0 ? -kInfinity : y1(x); }

}  // namespace tagflow::optimized
