#ifndef TAGFLOW_OPTIMIZED_KERNELS_WIDENING_H_
#define TAGFLOW_OPTIMIZED_KERNELS_WIDENING_H_

// How elements of dtypes without loops of their own are brought into a type that has some, and
// back.

#include <cstdint>

#include "graph/dtype.h"

namespace tagflow::optimized {

struct Widening {
  // `count` elements, side by side, into or out of the wider type. `store` keeps an integer's low
  // bits and rounds a float once.
  void (*load)(const void* elements, void* wide, int64_t count);
  void (*store)(const void* wide, void* elements, int64_t count);
  int64_t wide_size;  // bytes of one element of the wider type
};

// To the computing type of numbers.h; null for a dtype that is computed as it is.
const Widening* ComputingWidening(DType dtype);
// To what sums, and functions without a form in the dtype, are computed in: int64_t or uint64_t for
// integers and bool, double, std::complex<double>. Null for what is one of these itself.
// REQUIRES: a number or bool
const Widening* WidestWidening(DType dtype);

// The largest wide_size, and how many elements are widened at a time: a block fits the first cache
// thrice.
inline constexpr int64_t kWideSizeMax = 16;
inline constexpr int64_t kWideBlock = 256;

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_WIDENING_H_
