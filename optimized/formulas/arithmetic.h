#ifndef TAGFLOW_OPTIMIZED_FORMULAS_ARITHMETIC_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_ARITHMETIC_H_

// Arithmetic of two numbers. Integers wrap; their division by zero is an error. The three
// divisions:
//
//   TruncateDiv, Div  towards zero       TruncateMod, Mod  has the dividend's sign
//   FloorDiv          towards -infinity  FloorMod          has the divisor's sign
//
// Tested by conformance/ops/math.ops.

#include <cmath>
#include <string>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/complex_functions.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::formulas {

struct Add : Hot {
  template <Number C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return Plus(x, y);
  }
  std::string operator()(const std::string& x, const std::string& y) const { return x + y; }
};
struct Sub : Hot {
  template <Number C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return Minus(x, y);
  }
};
struct Mul : Hot {
  template <Number C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return Times(x, y);
  }
};

// What the divisions of integers share.
struct NonzeroDivisor {
  TAGFLOW_ANYWHERE static const char* Refusal() { return "Integer division by zero"; }
  template <Integer C>
  TAGFLOW_ANYWHERE static const char* Refuses(C, C y) {
    return y == 0 ? Refusal() : nullptr;
  }
};
// The least integer by -1, which has no quotient and stops a processor, wraps to itself.
template <Integer C>
TAGFLOW_ANYWHERE C Quotient(C x, C y) {
  if (std::signed_integral<C> && y == static_cast<C>(-1)) return Negated(x);
  return x / y;
}
template <Integer C>
TAGFLOW_ANYWHERE C Remainder(C x, C y) {
  if (std::signed_integral<C> && y == static_cast<C>(-1)) return 0;
  return x % y;
}
template <Floating C>
TAGFLOW_ANYWHERE C Remainder(C x, C y) {
  return static_cast<C>(std::fmod(static_cast<double>(x), static_cast<double>(y)));
}
TAGFLOW_ANYWHERE inline float Remainder(float x, float y) { return std::fmod(x, y); }
// Whether a remainder of the dividend's sign is to be moved to the divisor's.
template <Real C>
TAGFLOW_ANYWHERE bool IsAcrossZero(C remainder, C y) {
  return remainder != C(0) && (remainder < C(0)) != (y < C(0));
}

struct Div : NonzeroDivisor, Hot {
  template <Integer C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return Quotient(x, y);
  }
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return x / y;
  }
};
struct TruncateDiv : NonzeroDivisor {
  template <Integer C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return Quotient(x, y);
  }
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return ByDouble(x / y, [](double quotient) { return std::trunc(quotient); });
  }
};
struct FloorDiv : NonzeroDivisor {
  template <Integer C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return Minus(Quotient(x, y), static_cast<C>(IsAcrossZero(Remainder(x, y), y)));
  }
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return ByDouble(x / y, [](double quotient) { return std::floor(quotient); });
  }
};
struct TruncateMod : NonzeroDivisor {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return Remainder(x, y);
  }
};
struct FloorMod : NonzeroDivisor {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    const C remainder = Remainder(x, y);
    return IsAcrossZero(remainder, y) ? Plus(remainder, y) : remainder;
  }
};

// 0 where the divisor (for MulNoNan: the second factor) is 0, whatever the other is.
struct DivNoNan {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return y == C(0) ? C(0) : x / y;
  }
};
struct MulNoNan {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return y == C(0) ? C(0) : Times(x, y);
  }
};

// 0 where the first is 0, whatever the other is.
template <typename F>
struct UnlessZero {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return x == C(0) ? C(0) : F()(x, y);
  }
};
struct TimesLog {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return x * ByDouble(y, [](auto z) { return std::log(z); });
  }
};
struct TimesLog1p {
  template <Continuous C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return x * ByDouble(y, [](auto z) { return LogOnePlus(z); });
  }
};

struct Atan2 {
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C y, C x) const {
    return static_cast<C>(std::atan2(static_cast<double>(y), static_cast<double>(x)));
  }
};
struct NextAfter {
  template <std::floating_point C>
  TAGFLOW_ANYWHERE C operator()(C from, C towards) const {
    return std::nextafter(from, towards);
  }
};

struct Pow {
  // By squaring. An unsigned exponent of any size ends after 64 steps.
  template <Integer C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    C power = 1;
    for (auto rest = static_cast<uint64_t>(y); rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) power = Times(power, x);
      x = Times(x, x);
    }
    return power;
  }
  template <Floating C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return static_cast<C>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  }
  template <Complex C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return static_cast<C>(std::pow(std::complex<double>(x), std::complex<double>(y)));
  }
  template <Integer C>
  TAGFLOW_ANYWHERE static const char* Refuses(C, C y) {
    return y < 0 ? "Integers to negative integer powers are not allowed" : nullptr;
  }
};

// NaN when either is. Of two zeros the second.
struct Maximum : Hot {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return x > y || x != x ? x : y;
  }
};
struct Minimum : Hot {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return x < y || x != x ? x : y;
  }
};

// (x - y) times its conjugate.
struct SquaredDifference : Hot {
  template <Real C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    const C difference = Minus(x, y);
    return Times(difference, difference);
  }
  template <Complex C>
  TAGFLOW_ANYWHERE C operator()(C x, C y) const {
    return (x - y) * std::conj(x - y);
  }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_ARITHMETIC_H_
