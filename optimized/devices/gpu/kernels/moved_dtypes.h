#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVED_DTYPES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVED_DTYPES_H_

// The dtypes whose elements the GPU moves: those of up to 8 bytes, whatever these mean.

#include "graph/dtype.h"

namespace tagflow::optimized {

inline constexpr DType kMovedDTypes[] = {
    DType::kBool,     DType::kInt8,   DType::kInt16,  DType::kInt32,     DType::kInt64,
    DType::kUInt8,    DType::kUInt16, DType::kUInt32, DType::kUInt64,    DType::kHalf,
    DType::kBFloat16, DType::kFloat,  DType::kDouble, DType::kComplex64,
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVED_DTYPES_H_
