#ifndef TAGFLOW_REFERENCE_KERNELS_VARIANT_MATH_H_
#define TAGFLOW_REFERENCE_KERNELS_VARIANT_MATH_H_

// Sums and zeros of variants: a list, an optional or the values of a ragged tensor add up element
// by element, and their zeros are those of the elements; a limit of a list's length is not kept.
// Maps add up key by key, and the zeros of one have no keys. What they hold may again be variants.

#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::reference {

// The sum of variant tensors of one shape, from the first to the last.
//   Errors: INVALID_ARGUMENT for shapes, dtypes or lengths that differ and for dtypes without a
//   sum, INTERNAL for values of two types, RESOURCE_EXHAUSTED for values nested too deep, or
//   of too many elements
Result<Tensor> SumOfVariants(const std::vector<Tensor>& inputs);
// Zeros in the form of a variant tensor. Errors as above.
Result<Tensor> ZerosLikeVariants(const Tensor& input);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_VARIANT_MATH_H_
