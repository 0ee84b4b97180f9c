#ifndef TAGFLOW_FUZZ_DIRECT_INTEGERS_H_
#define TAGFLOW_FUZZ_DIRECT_INTEGERS_H_

// Arithmetic of int64_t that wraps. Narrower dtypes take the low bits of what it gives.

#include <cstdint>

#include "graph/dtype.h"

namespace tagflow::fuzz {

inline int64_t WrappingAdd(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
}
inline int64_t WrappingSub(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
}
inline int64_t WrappingMul(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

// Rounded down. REQUIRES: y != 0
inline int64_t FloorQuotient(int64_t x, int64_t y) {
  if (y == -1) return WrappingSub(0, x);  // C++ leaves the least number's quotient undefined
  const int64_t quotient = x / y;
  return quotient * y != x && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}
// Of the sign of y. REQUIRES: y != 0
inline int64_t FloorRemainder(int64_t x, int64_t y) {
  return WrappingSub(x, WrappingMul(FloorQuotient(x, y), y));
}

// x without its fraction where the dtype holds that; else what x86-64 makes of it: the low bits of
// the conversion to int32 (dtypes of up to 32 bits) or int64, whose least number stands for all
// that it cannot hold, NaN included. The result is not yet wrapped to the dtype.
int64_t ToInteger(double x, DType dtype);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_INTEGERS_H_
