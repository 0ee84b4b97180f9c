#ifndef TAGFLOW_FUZZ_DIRECT_FUNCTIONS_H_
#define TAGFLOW_FUZZ_DIRECT_FUNCTIONS_H_

// Elementwise operations as functions of numbers, reals as the evaluator holds them (not yet
// rounded to the dtype) and integers as int64_t (not yet wrapped). Null: the operation is not for
// such numbers.

#include <cmath>

#include "fuzz/direct/integers.h"
#include "fuzz/direct/value.h"
#include "fuzz/program/op.h"

namespace tagflow::fuzz {

// A function of reals, and what its error is relative to (RoundedFreely); `scale` is null where it
// is rounded alike everywhere.
template <typename R>
struct RealFunction {
  R (*function)(const R&) = nullptr;
  double (*scale)(double) = nullptr;
};

// Near a multiple of pi engines are off by units of 1, not of the result; at 0 by none.
inline double SineScale(double x) { return std::fmin(std::fabs(x), 1); }
inline double CosineScale(double) { return 1; }
inline double NoScale(double) { return 0; }

template <typename R>
RealFunction<R> RealUnary(Op op) {
  switch (op) {
    case Op::kNeg:
      return {[](const R& x) -> R { return -x; }};
    case Op::kAbs:
      return {[](const R& x) -> R { return Abs(x); }};
    case Op::kSign:
      return {[](const R& x) -> R { return Sign(x); }};
    case Op::kSquare:
      return {[](const R& x) -> R { return x * x; }};
    case Op::kSqrt:
      return {[](const R& x) -> R { return Sqrt(x); }};
    case Op::kExp:
      return {[](const R& x) -> R { return Exp(x); }, NoScale};
    case Op::kLog:
      return {[](const R& x) -> R { return Log(x); }, NoScale};
    case Op::kSin:
      return {[](const R& x) -> R { return Sin(x); }, SineScale};
    case Op::kCos:
      return {[](const R& x) -> R { return Cos(x); }, CosineScale};
    case Op::kTanh:
      return {[](const R& x) -> R { return Tanh(x); }, NoScale};
    case Op::kSigmoid:
      return {[](const R& x) -> R { return Sigmoid(x); }, NoScale};
    case Op::kZerosLike:
      return {[](const R&) -> R { return R(0); }};
    case Op::kOnesLike:
      return {[](const R&) -> R { return R(1); }};
    default:
      return {};
  }
}

inline int64_t (*IntegerUnary(Op op))(int64_t) {
  switch (op) {
    case Op::kNeg:
      return [](int64_t x) { return WrappingSub(0, x); };
    case Op::kAbs:
      return [](int64_t x) { return x < 0 ? WrappingSub(0, x) : x; };
    case Op::kSign:
      return [](int64_t x) -> int64_t { return x > 0 ? 1 : x < 0 ? -1 : 0; };
    case Op::kSquare:
      return [](int64_t x) { return WrappingMul(x, x); };
    case Op::kZerosLike:
      return [](int64_t) -> int64_t { return 0; };
    case Op::kOnesLike:
      return [](int64_t) -> int64_t { return 1; };
    default:
      return nullptr;
  }
}

template <typename R>
using RealPairFunction = R (*)(const R&, const R&);

template <typename R>
RealPairFunction<R> RealBinary(Op op) {
  switch (op) {
    case Op::kAdd:
      return [](const R& x, const R& y) -> R { return x + y; };
    case Op::kSub:
      return [](const R& x, const R& y) -> R { return x - y; };
    case Op::kMul:
      return [](const R& x, const R& y) -> R { return x * y; };
    case Op::kDiv:
      return [](const R& x, const R& y) -> R { return x / y; };
    case Op::kMaximum:
      return [](const R& x, const R& y) -> R { return Maximum(x, y); };
    case Op::kMinimum:
      return [](const R& x, const R& y) -> R { return Minimum(x, y); };
    default:
      return nullptr;
  }
}

using IntegerPairFunction = int64_t (*)(int64_t, int64_t);

inline IntegerPairFunction IntegerBinary(Op op) {
  switch (op) {
    case Op::kAdd:
      return WrappingAdd;
    case Op::kSub:
      return WrappingSub;
    case Op::kMul:
      return WrappingMul;
    case Op::kFloorDiv:
      return FloorQuotient;
    case Op::kFloorMod:
      return FloorRemainder;
    case Op::kMaximum:
      return [](int64_t x, int64_t y) { return x > y ? x : y; };
    case Op::kMinimum:
      return [](int64_t x, int64_t y) { return x < y ? x : y; };
    default:
      return nullptr;
  }
}

template <typename T>
bool (*ComparisonOf(Op op))(T, T) {
  switch (op) {
    case Op::kLess:
      return [](T x, T y) { return x < y; };
    case Op::kLessEqual:
      return [](T x, T y) { return x <= y; };
    case Op::kGreater:
      return [](T x, T y) { return x > y; };
    case Op::kGreaterEqual:
      return [](T x, T y) { return x >= y; };
    case Op::kEqual:
      return [](T x, T y) { return x == y; };
    case Op::kNotEqual:
      return [](T x, T y) { return x != y; };
    default:
      return nullptr;
  }
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_FUNCTIONS_H_
