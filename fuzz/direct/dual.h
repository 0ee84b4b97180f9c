#ifndef TAGFLOW_FUZZ_DIRECT_DUAL_H_
#define TAGFLOW_FUZZ_DIRECT_DUAL_H_

// Dual numbers: a value and its derivative along one direction. Dual<Dual<double>> carries second
// derivatives, and so on.
//
// Where a function has a corner the derivative is the one TensorFlow's gradients give:
//   Abs at 0                 0
//   Maximum(x, y), x == y    that of x; likewise Minimum
//   Sign                     0 everywhere
// A slope of zero means that nothing upstream varies, and stays zero whatever it is multiplied by,
// infinity and NaN included: the square root of a constant 0 has no derivative to spoil.

#include "fuzz/direct/reals.h"

namespace tagflow::fuzz {

template <typename T>
struct Dual {
  T value = T(0);
  T slope = T(0);

  Dual() = default;
  explicit Dual(double x) : value(x) {}
  Dual(T v, T s) : value(v), slope(s) {}
};

template <typename T>
bool IsZero(const Dual<T>& x) {
  return IsZero(x.value) && IsZero(x.slope);
}
// slope * factor.
template <typename T>
T Chain(const T& slope, const T& factor) {
  return IsZero(slope) ? T(0) : slope * factor;
}

template <typename T>
Dual<T> operator-(const Dual<T>& x) {
  return {-x.value, -x.slope};
}
template <typename T>
Dual<T> operator+(const Dual<T>& x, const Dual<T>& y) {
  return {x.value + y.value, x.slope + y.slope};
}
template <typename T>
Dual<T> operator-(const Dual<T>& x, const Dual<T>& y) {
  return {x.value - y.value, x.slope - y.slope};
}
template <typename T>
Dual<T> operator*(const Dual<T>& x, const Dual<T>& y) {
  return {x.value * y.value, Chain(x.slope, y.value) + Chain(y.slope, x.value)};
}
template <typename T>
Dual<T> operator/(const Dual<T>& x, const Dual<T>& y) {
  const T quotient = x.value / y.value;
  const T change = x.slope - Chain(y.slope, quotient);
  return {quotient, IsZero(change) ? T(0) : change / y.value};
}

template <typename T>
Dual<T> Sqrt(const Dual<T>& x) {
  const T root = Sqrt(x.value);
  return {root, IsZero(x.slope) ? T(0) : x.slope / (root + root)};
}
template <typename T>
Dual<T> Exp(const Dual<T>& x) {
  const T power = Exp(x.value);
  return {power, Chain(x.slope, power)};
}
template <typename T>
Dual<T> Log(const Dual<T>& x) {
  return {Log(x.value), IsZero(x.slope) ? T(0) : x.slope / x.value};
}
template <typename T>
Dual<T> Sin(const Dual<T>& x) {
  return {Sin(x.value), Chain(x.slope, Cos(x.value))};
}
template <typename T>
Dual<T> Cos(const Dual<T>& x) {
  return {Cos(x.value), Chain(x.slope, -Sin(x.value))};
}
template <typename T>
Dual<T> Tanh(const Dual<T>& x) {
  const T tanh = Tanh(x.value);
  return {tanh, Chain(x.slope, T(1) - tanh * tanh)};
}
template <typename T>
Dual<T> Sigmoid(const Dual<T>& x) {
  const T sigmoid = Sigmoid(x.value);
  return {sigmoid, Chain(x.slope, sigmoid * (T(1) - sigmoid))};
}

template <typename T>
double Decisive(const Dual<T>& x) {
  return Decisive(x.value);
}
template <typename T>
Dual<T> Abs(const Dual<T>& x) {
  return {Abs(x.value), Chain(x.slope, T(Sign(Decisive(x))))};
}
template <typename T>
Dual<T> Sign(const Dual<T>& x) {
  return Dual<T>(Sign(Decisive(x)));
}
template <typename T>
Dual<T> Maximum(const Dual<T>& x, const Dual<T>& y) {
  return {Maximum(x.value, y.value), Decisive(x) >= Decisive(y) ? x.slope : y.slope};
}
template <typename T>
Dual<T> Minimum(const Dual<T>& x, const Dual<T>& y) {
  return {Minimum(x.value, y.value), Decisive(x) <= Decisive(y) ? x.slope : y.slope};
}

// Only the value itself is rounded, so that branches go the way they go without derivatives.
template <typename T>
Dual<T> Rounded(const Dual<T>& x, DType dtype) {
  return {Rounded(x.value, dtype), x.slope};
}
template <typename T>
Dual<T> RoundedFreely(const Dual<T>& x, double /*scale*/, DType dtype) {
  return Rounded(x, dtype);
}
template <typename T>
Dual<T> RoundedSum(const Dual<T>& x, int64_t /*terms*/, double /*magnitude*/, DType dtype) {
  return Rounded(x, dtype);
}
inline void SetDecisive(double& x, double value) { x = value; }
template <typename T>
void SetDecisive(Dual<T>& x, double value) {
  SetDecisive(x.value, value);
}
template <typename T>
Dual<T> Constant(const Dual<T>& x) {
  return Dual<T>(Decisive(x));
}
template <typename T>
bool Doubtful(const Dual<T>& /*x*/, const Dual<T>& /*y*/) {
  return false;
}
template <typename T>
double ErrorOf(const Dual<T>& /*x*/) {
  return 0;
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_DUAL_H_
