#ifndef TAGFLOW_OPTIMIZED_FORMULAS_NUMBERS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_NUMBERS_H_

// The types that kernels compute in. The loops of most kernels are compiled for these, and
// elements of the other dtypes are brought into one of them and back, block by block (widening.h):
//
//   elements                       computed as
//   bool, int32, int64             themselves
//   int8, int16                    int64_t, of which the low bits are kept
//   uint8, uint16, uint32, uint64  uint64_t, likewise
//   float, double, complex64/128   themselves
//   half, bfloat16                 Rounded<Half>, Rounded<BFloat16>: floats that are rounded to
//                                  the dtype after each operation, as if it had hardware of its own
//
// Integers are added, subtracted, multiplied and negated by the functions below, which wrap.

#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "graph/dtype.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

inline Half RoundedTo(Half, double value) { return HalfFromDouble(value); }
inline BFloat16 RoundedTo(BFloat16, double value) {
  return BFloat16FromFloat(static_cast<float>(value));
}

template <typename Bits>
struct Rounded {
  float value = 0;

  Rounded() = default;
  explicit Rounded(double exact) : value(ToFloat(RoundedTo(Bits(), exact))) {}
  explicit operator double() const { return value; }

  // A float has more than twice the digits of its operands here, so that rounding it once more
  // gives what rounding the exact result would.
  friend Rounded operator+(Rounded x, Rounded y) { return Rounded(x.value + y.value); }
  friend Rounded operator-(Rounded x, Rounded y) { return Rounded(x.value - y.value); }
  friend Rounded operator*(Rounded x, Rounded y) { return Rounded(x.value * y.value); }
  friend Rounded operator/(Rounded x, Rounded y) { return Rounded(x.value / y.value); }
  friend Rounded operator-(Rounded x) {
    x.value = -x.value;
    return x;
  }
  friend bool operator==(Rounded x, Rounded y) { return x.value == y.value; }
  friend bool operator<(Rounded x, Rounded y) { return x.value < y.value; }
  friend bool operator>(Rounded x, Rounded y) { return x.value > y.value; }
  friend bool operator<=(Rounded x, Rounded y) { return x.value <= y.value; }
  friend bool operator>=(Rounded x, Rounded y) { return x.value >= y.value; }
};
using RoundedHalf = Rounded<Half>;
using RoundedBFloat16 = Rounded<BFloat16>;

template <typename C>
concept Integer = std::same_as<C, int32_t> || std::same_as<C, int64_t> || std::same_as<C, uint64_t>;
template <typename C>
concept Floating =
    std::floating_point<C> || std::same_as<C, RoundedHalf> || std::same_as<C, RoundedBFloat16>;
template <typename C>
concept Complex = std::same_as<C, std::complex<float>> || std::same_as<C, std::complex<double>>;
template <typename C>
concept Real = Integer<C> || Floating<C>;  // ordered
template <typename C>
concept Continuous = Floating<C> || Complex<C>;
template <typename C>
concept Number = Integer<C> || Continuous<C>;

template <Number C>
TAGFLOW_ANYWHERE C Plus(C x, C y) {
  if constexpr (Integer<C>) {
    using Wrapping = std::make_unsigned_t<C>;
    return static_cast<C>(static_cast<Wrapping>(x) + static_cast<Wrapping>(y));
  } else {
    return x + y;
  }
}
template <Number C>
TAGFLOW_ANYWHERE C Minus(C x, C y) {
  if constexpr (Integer<C>) {
    using Wrapping = std::make_unsigned_t<C>;
    return static_cast<C>(static_cast<Wrapping>(x) - static_cast<Wrapping>(y));
  } else {
    return x - y;
  }
}
template <Number C>
TAGFLOW_ANYWHERE C Times(C x, C y) {
  if constexpr (Integer<C>) {
    using Wrapping = std::make_unsigned_t<C>;
    return static_cast<C>(static_cast<Wrapping>(x) * static_cast<Wrapping>(y));
  } else {
    return x * y;
  }
}
template <Number C>
TAGFLOW_ANYWHERE C Negated(C x) {
  if constexpr (Integer<C>) {
    return Minus(C(0), x);
  } else {
    return -x;
  }
}
template <Continuous C>
TAGFLOW_ANYWHERE C Conjugated(C x) {
  if constexpr (Complex<C>) {
    return std::conj(x);
  } else {
    return x;
  }
}

// A function of double, or of std::complex<double>, rounded once to the type of its argument.
template <Continuous C, typename F>
TAGFLOW_ANYWHERE C ByDouble(C x, F function) {
  if constexpr (Complex<C>) {
    return static_cast<C>(function(std::complex<double>(x)));
  } else {
    return static_cast<C>(function(static_cast<double>(x)));
  }
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_NUMBERS_H_
