#ifndef TAGFLOW_OPTIMIZED_KERNELS_DTYPES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_DTYPES_H_

// Which dtypes a kernel computes, as a set of bits, one per number of a dtype. The sets are those
// of TensorFlow's CPU kernels, so that a graph is refused here where it is refused there.

#include <cstdint>

#include "graph/dtype.h"
#include "graph/status.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

using DTypeSet = uint32_t;

template <typename... D>
constexpr DTypeSet SetOf(D... dtypes) {
  return (DTypeSet{0} | ... | (DTypeSet{1} << static_cast<int>(dtypes)));
}
constexpr bool Contains(DTypeSet set, DType dtype) {
  return (set >> static_cast<int>(dtype) & 1) != 0;
}

inline constexpr DTypeSet kSigned =
    SetOf(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
inline constexpr DTypeSet kUnsigned =
    SetOf(DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64);
inline constexpr DTypeSet kIntegers = kSigned | kUnsigned;
inline constexpr DTypeSet kFloats =
    SetOf(DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble);
inline constexpr DTypeSet kComplexes = SetOf(DType::kComplex64, DType::kComplex128);
inline constexpr DTypeSet kReals = kIntegers | kFloats;  // numbers that are ordered
inline constexpr DTypeSet kContinuous = kFloats | kComplexes;
inline constexpr DTypeSet kNumbers = kReals | kComplexes;

// OK, or UNIMPLEMENTED naming op, node and dtype: for binders.
inline Status RequireDType(const Binding& binding, DType dtype, DTypeSet supported) {
  return Contains(supported, dtype) ? Status() : NoKernelFor(binding, dtype);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_DTYPES_H_
