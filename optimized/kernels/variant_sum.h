#ifndef TAGFLOW_OPTIMIZED_KERNELS_VARIANT_SUM_H_
#define TAGFLOW_OPTIMIZED_KERNELS_VARIANT_SUM_H_

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// The sum of two variant tensors of one shape: lists, optionals and the values of ragged tensors
// add up element by element, maps key by key, and what they hold may again be variants. An element
// of a list without value is zero, and so is what a map has no key for; a limit of a list's length
// is not kept.
//   Errors: INVALID_ARGUMENT for shapes, dtypes or lengths that differ and for dtypes without a
//   sum, INTERNAL for values of two types, RESOURCE_EXHAUSTED for values nested too deep, or of
//   too many elements
Result<Tensor> SumOfVariants(const Tensor& a, const Tensor& b);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_VARIANT_SUM_H_
