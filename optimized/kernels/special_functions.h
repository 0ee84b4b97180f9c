#ifndef TAGFLOW_OPTIMIZED_KERNELS_SPECIAL_FUNCTIONS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_SPECIAL_FUNCTIONS_H_

// Special functions of real numbers, in double. Each is NaN where it is not defined, and where an
// argument is NaN, but where the other arguments decide, as in TensorFlow. The work for one value
// is bounded. Accuracy is about 1e-13 of the value.

namespace tagflow::optimized {

double LogGamma(double x);  // log |gamma(x)|; infinite at 0, -1, -2, ...
double Digamma(double x);   // the derivative of log(gamma(x)); undefined at -1, -2, ...

// The sum of (q + k)^-x over k = 0, 1, 2, ..., for x > 1; where q is negative, for whole x.
double HurwitzZeta(double x, double q);
// (-1)^(n+1) n! zeta(n+1, x), the derivative of order n of Digamma; n a whole number, not negative.
double Polygamma(double n, double x);

double InverseErf(double x);     // for -1 <= x <= 1
double InverseNormal(double p);  // for 0 <= p <= 1

// The incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x), and the derivative of P by a;
// for a > 0, x >= 0.
double LowerGamma(double a, double x);
double UpperGamma(double a, double x);
double LowerGammaSlope(double a, double x);

// The incomplete beta function I(x; a, b), for a, b > 0, 0 <= x <= 1.
double IncompleteBeta(double a, double b, double x);

// The Bessel functions of orders 0 and 1: modified ones of the first kind I and the second K, those
// with an e times exp(-|x|) and exp(x), and waves J and Y, whose error is small beside their
// height. K and Y are infinite for x <= 0.
double BesselI0(double x);
double BesselI0e(double x);
double BesselI1(double x);
double BesselI1e(double x);
double BesselK0(double x);
double BesselK0e(double x);
double BesselK1(double x);
double BesselK1e(double x);
double BesselJ0(double x);
double BesselJ1(double x);
double BesselY0(double x);
double BesselY1(double x);

// Dawson's integral: exp(-x^2) times the integral of exp(t^2) over [0, x].
double Dawson(double x);
// The integral of exp(t) / t up to x (its principal value), for x >= 0.
double ExponentialIntegral(double x);
// The integrals of cos and sin of pi t^2 / 2 over [0, x].
double FresnelCosine(double x);
double FresnelSine(double x);
// Spence's function, the dilogarithm of 1 - x: the integral of log(t) / (1 - t) from 1 to x, for
// x >= 0.
double Dilogarithm(double x);

// What log(gamma(a + 1)) exceeds Stirling's (a + 1/2) log(a) - a + log(2 pi)/2 by. REQUIRES: a > 0
double StirlingExcess(double a);
// a log(a / x) + x - a, exact where x is near a; both > 0.
double Deviance(double a, double x);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_SPECIAL_FUNCTIONS_H_
