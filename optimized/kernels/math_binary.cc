// Arithmetic of two numbers, with broadcasting.
//
// Integers wrap; their division by zero is an error. The three divisions:
//   TruncateDiv, Div  towards zero       TruncateMod, Mod  has the dividend's sign
//   FloorDiv          towards -infinity  FloorMod          has the divisor's sign

#include <cmath>
#include <string>

#include "optimized/kernels/addition.h"
#include "optimized/kernels/complex_functions.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct Add : Hot {
  template <Number C>
  C operator()(C x, C y) const {
    return Plus(x, y);
  }
  std::string operator()(const std::string& x, const std::string& y) const { return x + y; }
};
struct Sub : Hot {
  template <Number C>
  C operator()(C x, C y) const {
    return Minus(x, y);
  }
};
struct Mul : Hot {
  template <Number C>
  C operator()(C x, C y) const {
    return Times(x, y);
  }
};

// What the divisions of integers share.
struct NonzeroDivisor {
  template <Integer C>
  static const char* Refuses(C, C y) {
    return y == 0 ? "Integer division by zero" : nullptr;
  }
};
// The least integer by -1, which has no quotient and stops a processor, wraps to itself.
template <Integer C>
C Quotient(C x, C y) {
  if (std::signed_integral<C> && y == static_cast<C>(-1)) return Negated(x);
  return x / y;
}
template <Integer C>
C Remainder(C x, C y) {
  if (std::signed_integral<C> && y == static_cast<C>(-1)) return 0;
  return x % y;
}
template <Floating C>
C Remainder(C x, C y) {
  return static_cast<C>(std::fmod(static_cast<double>(x), static_cast<double>(y)));
}
inline float Remainder(float x, float y) { return std::fmod(x, y); }
// Whether a remainder of the dividend's sign is to be moved to the divisor's.
template <Real C>
bool IsAcrossZero(C remainder, C y) {
  return remainder != C(0) && (remainder < C(0)) != (y < C(0));
}

struct Div : NonzeroDivisor, Hot {
  template <Integer C>
  C operator()(C x, C y) const {
    return Quotient(x, y);
  }
  template <Continuous C>
  C operator()(C x, C y) const {
    return x / y;
  }
};
struct TruncateDiv : NonzeroDivisor {
  template <Integer C>
  C operator()(C x, C y) const {
    return Quotient(x, y);
  }
  template <Floating C>
  C operator()(C x, C y) const {
    return ByDouble(x / y, [](double quotient) { return std::trunc(quotient); });
  }
};
struct FloorDiv : NonzeroDivisor {
  template <Integer C>
  C operator()(C x, C y) const {
    return Minus(Quotient(x, y), static_cast<C>(IsAcrossZero(Remainder(x, y), y)));
  }
  template <Floating C>
  C operator()(C x, C y) const {
    return ByDouble(x / y, [](double quotient) { return std::floor(quotient); });
  }
};
struct TruncateMod : NonzeroDivisor {
  template <Real C>
  C operator()(C x, C y) const {
    return Remainder(x, y);
  }
};
struct FloorMod : NonzeroDivisor {
  template <Real C>
  C operator()(C x, C y) const {
    const C remainder = Remainder(x, y);
    return IsAcrossZero(remainder, y) ? Plus(remainder, y) : remainder;
  }
};

// 0 where the divisor (for MulNoNan: the second factor) is 0, whatever the other is.
struct DivNoNan {
  template <Continuous C>
  C operator()(C x, C y) const {
    return y == C(0) ? C(0) : x / y;
  }
};
struct MulNoNan {
  template <Continuous C>
  C operator()(C x, C y) const {
    return y == C(0) ? C(0) : Times(x, y);
  }
};

// 0 where the first is 0, whatever the other is.
template <typename F>
struct UnlessZero {
  template <Continuous C>
  C operator()(C x, C y) const {
    return x == C(0) ? C(0) : F()(x, y);
  }
};
struct TimesLog {
  template <Continuous C>
  C operator()(C x, C y) const {
    return x * ByDouble(y, [](auto z) { return std::log(z); });
  }
};
struct TimesLog1p {
  template <Continuous C>
  C operator()(C x, C y) const {
    return x * ByDouble(y, [](auto z) { return LogOnePlus(z); });
  }
};

struct Atan2 {
  template <Floating C>
  C operator()(C y, C x) const {
    return static_cast<C>(std::atan2(static_cast<double>(y), static_cast<double>(x)));
  }
};
struct NextAfter {
  template <std::floating_point C>
  C operator()(C from, C towards) const {
    return std::nextafter(from, towards);
  }
};

struct Pow {
  // By squaring. An unsigned exponent of any size ends after 64 steps.
  template <Integer C>
  C operator()(C x, C y) const {
    C power = 1;
    for (auto rest = static_cast<uint64_t>(y); rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) power = Times(power, x);
      x = Times(x, x);
    }
    return power;
  }
  template <Floating C>
  C operator()(C x, C y) const {
    return static_cast<C>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  }
  template <Complex C>
  C operator()(C x, C y) const {
    return static_cast<C>(std::pow(std::complex<double>(x), std::complex<double>(y)));
  }
  template <Integer C>
  static const char* Refuses(C, C y) {
    return y < 0 ? "Integers to negative integer powers are not allowed" : nullptr;
  }
};

// NaN when either is. Of two zeros the second.
struct Maximum : Hot {
  template <Real C>
  C operator()(C x, C y) const {
    return x > y || x != x ? x : y;
  }
};
struct Minimum : Hot {
  template <Real C>
  C operator()(C x, C y) const {
    return x < y || x != x ? x : y;
  }
};

// (x - y) times its conjugate.
struct SquaredDifference : Hot {
  template <Real C>
  C operator()(C x, C y) const {
    const C difference = Minus(x, y);
    return Times(difference, difference);
  }
  template <Complex C>
  C operator()(C x, C y) const {
    return (x - y) * std::conj(x - y);
  }
};

}  // namespace

const PairForms& AddForms() { return kPairForms<Add>; }

Status RegisterMathBinaryKernels(KernelRegistry& registry) {
  constexpr DTypeSet kLargeInts = SetOf(DType::kInt32, DType::kInt64);
  constexpr DTypeSet kLargeFloats = SetOf(DType::kFloat, DType::kDouble);
  constexpr DTypeSet kMod = kLargeInts | kLargeFloats;
  constexpr DTypeSet kAdd =
      (kNumbers & ~SetOf(DType::kUInt16, DType::kUInt32, DType::kUInt64)) | SetOf(DType::kString);
  return RegisterAll(registry,
                     {
                         {"Add", Pairs<Add>(kAdd)},
                         {"AddV2", Pairs<Add>(kNumbers)},
                         {"Atan2", Pairs<Atan2>(kFloats)},
                         {"Div", Pairs<Div>(kNumbers)},
                         {"DivNoNan", Pairs<DivNoNan>(kContinuous)},
                         {"FloorDiv", Pairs<FloorDiv>(kReals)},
                         {"FloorMod", Pairs<FloorMod>(kReals)},
                         {"Maximum", Pairs<Maximum>(kReals)},
                         {"Minimum", Pairs<Minimum>(kReals)},
                         {"Mod", Pairs<TruncateMod>(kMod)},
                         {"Mul", Pairs<Mul>(kNumbers)},
                         {"MulNoNan", Pairs<MulNoNan>(kContinuous)},
                         {"NextAfter", Pairs<NextAfter>(kLargeFloats)},
                         {"Pow", Pairs<Pow>(kSigned | kContinuous)},
                         {"RealDiv", Pairs<Div>(kContinuous)},
                         {"SquaredDifference", Pairs<SquaredDifference>(kLargeInts | kContinuous)},
                         {"Sub", Pairs<Sub>(kNumbers)},
                         {"TruncateDiv", Pairs<TruncateDiv>(kReals)},
                         {"TruncateMod", Pairs<TruncateMod>(kMod)},
                         {"Xdivy", Pairs<UnlessZero<Div>>(kContinuous)},
                         {"Xlog1py", Pairs<UnlessZero<TimesLog1p>>(kContinuous)},
                         {"Xlogy", Pairs<UnlessZero<TimesLog>>(kContinuous)},
                     });
}

}  // namespace tagflow::optimized
