#ifndef TAGFLOW_OPTIMIZED_FORMULAS_CASTS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_CASTS_H_

// Casts of one element, from any plain dtype to any other.
//
// Rules where C++ has none, or several:
//   - Fractions are cut off towards zero.
//   - A float out of an integer's range, or NaN, gives what x86-64's conversion instruction gives.
//     It is converted to int32 (for targets of up to 32 bits) or int64, whose least value stands
//     for "out of range", and the target keeps the low bits. An unsigned target of 32 or 64 bits
//     has the upper half of its own range too.
//   - Doubles and integers become 16-bit floats by way of float: two roundings.
//   - A complex number becomes a real one (or bool) by its real part.
//   - Anything but zero is true, NaN too.
//
// Spec: [number.3]. Tested by conformance/ops/compare.ops.

#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::formulas {

// Comparisons with bounds that a double holds exactly, all false of NaN.
TAGFLOW_ANYWHERE inline int32_t ToInt32(double x) {
  return x > -0x1p31 - 1 && x < 0x1p31 ? static_cast<int32_t>(x)
                                       : std::numeric_limits<int32_t>::min();
}
TAGFLOW_ANYWHERE inline int64_t ToInt64(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x) : std::numeric_limits<int64_t>::min();
}
TAGFLOW_ANYWHERE inline uint32_t ToUInt32(double x) {
  if (!(x >= 0x1p31)) return static_cast<uint32_t>(ToInt32(x));
  return x < 0x1p32 ? static_cast<uint32_t>(x) : uint32_t{1} << 31;
}
// Two halves of the range; the second counts where the first is out of range.
TAGFLOW_ANYWHERE inline uint64_t ToUInt64(double x) {
  const int64_t low = ToInt64(x);
  const auto high = static_cast<uint64_t>(ToInt64(x - 0x1p63));
  return static_cast<uint64_t>(low) | (low < 0 ? high : 0);
}

template <typename To>
TAGFLOW_ANYWHERE To WholePart(double x) {
  if constexpr (std::same_as<To, int64_t>) {
    return ToInt64(x);
  } else if constexpr (std::same_as<To, uint64_t>) {
    return ToUInt64(x);
  } else if constexpr (std::same_as<To, uint32_t>) {
    return ToUInt32(x);
  } else {
    return static_cast<To>(ToInt32(x));
  }
}

template <typename To, typename From>
TAGFLOW_ANYWHERE To Converted(From x) {
  if constexpr (Complex<From>) {
    if constexpr (Complex<To>) return static_cast<To>(x);
    if constexpr (!Complex<To>) return Converted<To>(x.real());
  } else if constexpr (Complex<To>) {
    return To(static_cast<typename To::value_type>(x), 0);
  } else if constexpr (std::same_as<To, Half> || std::same_as<To, BFloat16>) {
    return RoundedTo(To(), static_cast<float>(x));
  } else if constexpr (std::same_as<To, bool>) {
    return x != From(0);
  } else if constexpr (std::floating_point<From> && std::integral<To>) {
    return WholePart<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <typename To>
struct CastTo {
  template <typename From>
  TAGFLOW_ANYWHERE To operator()(From x) const {
    return Converted<To>(x);
  }
};

// x without the mantissa bits beyond `kept_bits`; NaN stays.
TAGFLOW_ANYWHERE inline double Truncated(double x, int kept_bits) {
  constexpr int kMantissaBits = 52;
  const uint64_t kept = ~uint64_t{0} << (kMantissaBits - kept_bits);
  return x == x ? std::bit_cast<double>(std::bit_cast<uint64_t>(x) & kept) : x;
}
// A double becomes the float that has what fits of its mantissa.
inline constexpr int kFloatMantissaBits = 23;
struct TruncateToFloat {
  TAGFLOW_ANYWHERE float operator()(double x) const {
    return static_cast<float>(Truncated(x, kFloatMantissaBits));
  }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_CASTS_H_
