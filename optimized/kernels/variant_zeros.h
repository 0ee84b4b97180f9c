#ifndef TAGFLOW_OPTIMIZED_KERNELS_VARIANT_ZEROS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_VARIANT_ZEROS_H_

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// Zeros in the form of a variant tensor: a list, an optional or a ragged tensor has zeros in the
// form of its elements, which may again be variants; a limit of a list's length is not kept. Those
// of a map are the map without keys.
//   Errors: INVALID_ARGUMENT for elements of a dtype without zeros, INTERNAL for variants that are
//   none of these, RESOURCE_EXHAUSTED for values nested too deep, or of too many elements
Result<Tensor> ZerosLikeVariants(const Tensor& input);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_VARIANT_ZEROS_H_
