#ifndef TAGFLOW_REFERENCE_KERNELS_ELEMENT_H_
#define TAGFLOW_REFERENCE_KERNELS_ELEMENT_H_

// Elements as numbers: a kernel's formula is written once, over a few *computing types*, and never
// sees how wide its dtype is.
//
//   dtype                              computing type
//   bool, int8 … int64                 int64_t
//   uint8 … uint64                     uint64_t
//   half, bfloat16                     Short<Half>, Short<BFloat16>
//   float, double, complex64/128       themselves
//   string                             std::string
//
// Load widens a tensor's elements, Store narrows them: integers keep their low bits, which is what
// the narrow arithmetic modulo 2^n gives. A Short rounds after each operator, so a formula of two
// operators rounds twice, as it does in the dtype itself.
//
// Integers are computed with Plus, Minus, Times, Negate (below), which wrap where the operators of
// C++ are undefined.

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::reference {

inline Half RoundTo(Half, double value) { return HalfFromDouble(value); }
inline BFloat16 RoundTo(BFloat16, double value) {
  return BFloat16FromFloat(static_cast<float>(value));
}

// A 16-bit float, held widened.
template <typename Bits>
struct Short {
  float value = 0;

  Short() = default;
  explicit Short(double x) : value(ToFloat(RoundTo(Bits(), x))) {}
  explicit Short(Bits x) : value(ToFloat(x)) {}
  explicit operator double() const { return value; }

  // A float holds the exact result of +, -, * of two 16-bit floats or more bits than a second
  // rounding could notice; the same holds for /.
  friend Short operator+(Short a, Short b) { return Short(a.value + b.value); }
  friend Short operator-(Short a, Short b) { return Short(a.value - b.value); }
  friend Short operator*(Short a, Short b) { return Short(a.value * b.value); }
  friend Short operator/(Short a, Short b) { return Short(a.value / b.value); }
  friend Short operator-(Short a) { return Short(-a.value); }
  friend bool operator==(Short a, Short b) { return a.value == b.value; }
  friend auto operator<=>(Short a, Short b) { return a.value <=> b.value; }
};

template <typename C>
inline constexpr bool kIsShort = false;
template <typename Bits>
inline constexpr bool kIsShort<Short<Bits>> = true;
template <typename C>
inline constexpr bool kIsComplex = false;
template <typename R>
inline constexpr bool kIsComplex<std::complex<R>> = true;

template <typename C>
concept IntegerElement = std::same_as<C, int64_t> || std::same_as<C, uint64_t>;
template <typename C>
concept FloatElement = std::floating_point<C> || kIsShort<C>;
template <typename C>
concept ComplexElement = kIsComplex<C>;
template <typename C>
concept RealElement = IntegerElement<C> || FloatElement<C>;  // ordered
template <typename C>
concept ContinuousElement = FloatElement<C> || ComplexElement<C>;
template <typename C>
concept NumberElement = RealElement<C> || ComplexElement<C>;

// The elements, widened. REQUIRES: C is the computing type of the dtype.
template <typename C>
std::vector<C> Load(const Tensor& tensor);
// A tensor of them, narrowed. REQUIRES: C is the computing type of dtype; one value per element.
//   Errors: RESOURCE_EXHAUSTED
template <typename C>
Result<Tensor> Store(DType dtype, DimsView dims, const std::vector<C>& values);

// One element copied, of any dtype. REQUIRES: equal dtypes, indices inside.
void CopyElement(const Tensor& from, int64_t from_index, Tensor& to, int64_t to_index);

template <typename C>
struct Computing {
  using Type = C;
};

// Calls f(Computing<C>()) with the computing type of the dtype.
// REQUIRES: the dtype has one (it is not resource, variant or kInvalid).
template <typename F>
auto WithComputingType(DType dtype, F f) {
  if (dtype == DType::kFloat) return f(Computing<float>());
  if (dtype == DType::kDouble) return f(Computing<double>());
  if (dtype == DType::kHalf) return f(Computing<Short<Half>>());
  if (dtype == DType::kBFloat16) return f(Computing<Short<BFloat16>>());
  if (dtype == DType::kComplex64) return f(Computing<std::complex<float>>());
  if (dtype == DType::kComplex128) return f(Computing<std::complex<double>>());
  if (dtype == DType::kString) return f(Computing<std::string>());
  if (dtype == DType::kUInt8 || dtype == DType::kUInt16 || dtype == DType::kUInt32 ||
      dtype == DType::kUInt64) {
    return f(Computing<uint64_t>());
  }
  TAGFLOW_CHECK(dtype == DType::kBool || IsInteger(dtype));
  return f(Computing<int64_t>());
}

// Arithmetic. Integers wrap modulo 2^64; Times and Divide of complex numbers are
//   (a + bi) (c + di) = (ac - bd) + (ad + bc) i
//   (a + bi) / (c + di) = (a + bi) (c - di) / (cc + dd), scaled so that nothing overflows on the
//   way
// with the infinities of C's annex G, each product and sum rounded.
template <NumberElement C>
C Plus(C a, C b) {
  if constexpr (IntegerElement<C>) {
    return static_cast<C>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <NumberElement C>
C Minus(C a, C b) {
  if constexpr (IntegerElement<C>) {
    return static_cast<C>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  } else {
    return a - b;
  }
}
template <NumberElement C>
C Times(C a, C b) {
  if constexpr (IntegerElement<C>) {
    return static_cast<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}
template <NumberElement C>
C Negate(C a) {
  if constexpr (IntegerElement<C>) {
    return static_cast<C>(uint64_t{0} - static_cast<uint64_t>(a));
  } else {
    return -a;
  }
}

// What sums and products are accumulated in.
template <typename C>
struct AccumulatorOf {
  using Type = double;
};
template <IntegerElement C>
struct AccumulatorOf<C> {
  using Type = C;
};
template <ComplexElement C>
struct AccumulatorOf<C> {
  using Type = std::complex<double>;
};
template <typename C>
using Accumulator = typename AccumulatorOf<C>::Type;

// A function of the real or complex numbers, computed in double and rounded once.
template <ContinuousElement C, typename F>
C InDouble(C x, F f) {
  if constexpr (ComplexElement<C>) {
    return static_cast<C>(f(std::complex<double>(x)));
  } else {
    return static_cast<C>(f(static_cast<double>(x)));
  }
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_ELEMENT_H_
