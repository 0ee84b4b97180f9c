// Arithmetic of two numbers, with broadcasting.
//
// Integers wrap; their division by zero is an error. The three divisions:
//   TruncateDiv, Div  towards zero       TruncateMod, Mod  has the dividend's sign
//   FloorDiv          towards -infinity  FloorMod          has the divisor's sign

#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"
#include "reference/kernels/from_double.h"

namespace tagflow::reference {
namespace {

struct Add {
  template <NumberElement C>
  C operator()(C x, C y) const {
    return Plus(x, y);
  }
  std::string operator()(const std::string& x, const std::string& y) const { return x + y; }
};
struct Sub {
  template <NumberElement C>
  C operator()(C x, C y) const {
    return Minus(x, y);
  }
};
struct Mul {
  template <NumberElement C>
  C operator()(C x, C y) const {
    return Times(x, y);
  }
};

template <IntegerElement C>
const char* RefusesZero(C divisor) {
  return divisor == 0 ? "Integer division by zero" : nullptr;
}
// The quotient of the least integer by -1 wraps to itself; C++ leaves it undefined.
template <IntegerElement C>
C TruncatedQuotient(C x, C y) {
  if constexpr (std::same_as<C, int64_t>) {
    if (y == -1) return Negate(x);
  }
  return x / y;
}
template <IntegerElement C>
C TruncatedRemainder(C x, C y) {
  return Minus(x, Times(y, TruncatedQuotient(x, y)));
}
template <RealElement C>
bool IsNegative(C x) {
  return x < C(0);
}
// Whether the exact quotient lies below the truncated one.
template <RealElement C>
bool RoundsDown(C remainder, C divisor) {
  return remainder != C(0) && IsNegative(remainder) != IsNegative(divisor);
}

struct TruncateDiv {
  template <IntegerElement C>
  C operator()(C x, C y) const {
    return TruncatedQuotient(x, y);
  }
  template <FloatElement C>
  C operator()(C x, C y) const {
    return InDouble(x / y, [](double quotient) { return std::trunc(quotient); });
  }
  template <IntegerElement C>
  static const char* Refuses(C, C y) {
    return RefusesZero(y);
  }
};
struct Div {
  template <IntegerElement C>
  C operator()(C x, C y) const {
    return TruncatedQuotient(x, y);
  }
  template <ContinuousElement C>
  C operator()(C x, C y) const {
    return x / y;
  }
  template <IntegerElement C>
  static const char* Refuses(C, C y) {
    return RefusesZero(y);
  }
};
struct TruncateMod {
  template <IntegerElement C>
  C operator()(C x, C y) const {
    return TruncatedRemainder(x, y);
  }
  template <FloatElement C>
  C operator()(C x, C y) const {
    return static_cast<C>(std::fmod(static_cast<double>(x), static_cast<double>(y)));
  }
  template <IntegerElement C>
  static const char* Refuses(C, C y) {
    return RefusesZero(y);
  }
};
struct FloorDiv {
  template <IntegerElement C>
  C operator()(C x, C y) const {
    const C quotient = TruncatedQuotient(x, y);
    return RoundsDown(TruncatedRemainder(x, y), y) ? Minus(quotient, C(1)) : quotient;
  }
  template <FloatElement C>
  C operator()(C x, C y) const {
    return InDouble(x / y, [](double quotient) { return std::floor(quotient); });
  }
  template <IntegerElement C>
  static const char* Refuses(C, C y) {
    return RefusesZero(y);
  }
};
struct FloorMod {
  template <RealElement C>
  C operator()(C x, C y) const {
    const C remainder = TruncateMod()(x, y);
    return RoundsDown(remainder, y) ? Plus(remainder, y) : remainder;
  }
  template <IntegerElement C>
  static const char* Refuses(C, C y) {
    return RefusesZero(y);
  }
};

// 0 where the divisor (for MulNoNan: the second factor) is 0, whatever the other is.
struct DivNoNan {
  template <ContinuousElement C>
  C operator()(C x, C y) const {
    return y == C(0) ? C(0) : x / y;
  }
};
struct MulNoNan {
  template <ContinuousElement C>
  C operator()(C x, C y) const {
    return y == C(0) ? C(0) : Times(x, y);
  }
};

// 0 where the first is 0, whatever the other is.
template <typename F>
struct UnlessZero {
  template <ContinuousElement C>
  C operator()(C x, C y) const {
    return x == C(0) ? C(0) : F()(x, y);
  }
};
struct TimesLog {
  template <ContinuousElement C>
  C operator()(C x, C y) const {
    return Times(x, InDouble(y, [](auto z) { return std::log(z); }));
  }
};
struct TimesLog1p {
  template <ContinuousElement C>
  C operator()(C x, C y) const {
    return Times(x, InDouble(y, [](auto z) { return Log1p(z); }));
  }
};

struct Atan2 {
  template <FloatElement C>
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
  template <IntegerElement C>
  C operator()(C x, C y) const {
    C power = 1;
    for (uint64_t rest = static_cast<uint64_t>(y); rest != 0; rest >>= 1) {
      if (rest & 1) power = Times(power, x);
      x = Times(x, x);
    }
    return power;
  }
  template <FloatElement C>
  C operator()(C x, C y) const {
    return static_cast<C>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  }
  template <ComplexElement C>
  C operator()(C x, C y) const {
    return static_cast<C>(std::pow(std::complex<double>(x), std::complex<double>(y)));
  }
  template <IntegerElement C>
  static const char* Refuses(C, C y) {
    return y < 0 ? "Integers to negative integer powers are not allowed" : nullptr;
  }
};

// NaN when either is. Of two zeros the second, which is what one machine instruction gives.
struct Maximum {
  template <RealElement C>
  C operator()(C x, C y) const {
    if (x != x) return x;
    return x > y ? x : y;
  }
};
struct Minimum {
  template <RealElement C>
  C operator()(C x, C y) const {
    if (x != x) return x;
    return x < y ? x : y;
  }
};

// (x - y) times its conjugate: real, and not negative.
struct SquaredDifference {
  template <RealElement C>
  C operator()(C x, C y) const {
    return Times(Minus(x, y), Minus(x, y));
  }
  template <ComplexElement C>
  C operator()(C x, C y) const {
    return Times(x - y, std::conj(x - y));
  }
};

}  // namespace

Status RegisterMathBinaryKernels(KernelRegistry& registry) {
  constexpr DTypeSet kContinuous = kFloating | kComplexes;
  constexpr DTypeSet kLargeInts = {DType::kInt32, DType::kInt64};
  constexpr DTypeSet kMod = kLargeInts | DTypeSet{DType::kFloat, DType::kDouble};
  constexpr DTypeSet kAdd = (kNumbers - DTypeSet{DType::kUInt16, DType::kUInt32, DType::kUInt64}) |
                            DTypeSet{DType::kString};
  return RegisterAll(
      registry,
      {
          {"Add", BroadcastKernel(kAdd, Add())},
          {"AddV2", BroadcastKernel(kNumbers, Add())},
          {"Sub", BroadcastKernel(kNumbers, Sub())},
          {"Mul", BroadcastKernel(kNumbers, Mul())},
          {"Div", BroadcastKernel(kNumbers, Div())},
          {"RealDiv", BroadcastKernel(kContinuous, Div())},
          {"TruncateDiv", BroadcastKernel(kReals, TruncateDiv())},
          {"FloorDiv", BroadcastKernel(kReals, FloorDiv())},
          {"FloorMod", BroadcastKernel(kReals, FloorMod())},
          {"Mod", BroadcastKernel(kMod, TruncateMod())},
          {"TruncateMod", BroadcastKernel(kMod, TruncateMod())},
          {"DivNoNan", BroadcastKernel(kContinuous, DivNoNan())},
          {"MulNoNan", BroadcastKernel(kContinuous, MulNoNan())},
          {"Xlogy", BroadcastKernel(kContinuous, UnlessZero<TimesLog>())},
          {"Xlog1py", BroadcastKernel(kContinuous, UnlessZero<TimesLog1p>())},
          {"Xdivy", BroadcastKernel(kContinuous, UnlessZero<Div>())},
          {"Atan2", BroadcastKernel(kFloating, Atan2())},
          {"NextAfter", BroadcastKernel({DType::kFloat, DType::kDouble}, NextAfter())},
          {"Pow", BroadcastKernel(kSigned | kContinuous, Pow())},
          {"Maximum", BroadcastKernel(kReals, Maximum())},
          {"Minimum", BroadcastKernel(kReals, Minimum())},
          {"SquaredDifference", BroadcastKernel(kLargeInts | kContinuous, SquaredDifference())},
      });
}

}  // namespace tagflow::reference
