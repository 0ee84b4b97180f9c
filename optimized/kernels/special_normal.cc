// The inverses of the normal distribution and of the error function, by rational approximations
// (Wichura, "Algorithm AS 241: The percentage points of the normal distribution").

#include <cmath>
#include <limits>

#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSqrt2 = 1.41421356237309504880;

// The quotient of two polynomials, coefficients from that of 1 up.
struct Rational {
  double above[8];
  double below[8];
  double operator()(double r) const {
    double numerator = 0, denominator = 0;
    for (int i = 7; i >= 0; --i) {
      numerator = numerator * r + above[i];
      denominator = denominator * r + below[i];
    }
    return numerator / denominator;
  }
};

constexpr Rational kCentral = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};
constexpr Rational kTail = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
constexpr Rational kFarTail = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

// The z with normal(z) = 1/2 + q, where the smaller of normal(z) and normal(-z) is `tail`.
double Quantile(double q, double tail) {
  if (std::fabs(q) <= 0.425) return q * kCentral(0.180625 - q * q);
  const double r = std::sqrt(-std::log(tail));
  return std::copysign(r <= 5 ? kTail(r - 1.6) : kFarTail(r - 5), q);
}

}  // namespace

double InverseErf(double x) {
  if (!(std::fabs(x) <= 1)) return kNan;
  if (std::fabs(x) == 1) return x * kInf;
  return Quantile(x / 2, (1 - std::fabs(x)) / 2) / kSqrt2;
}

double InverseNormal(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0) return -kInf;
  if (p == 1) return kInf;
  return Quantile(p - 0.5, p < 0.5 ? p : 1 - p);
}

}  // namespace tagflow::optimized
