#ifndef TAGFLOW_OPTIMIZED_KERNELS_REQUIRE_DIMS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_REQUIRE_DIMS_H_

// What kernels say of an input that has not the shape that others ask for.

#include <string>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

// OK for a tensor of these dims.
//   what: the input's name
//   Errors: INVALID_ARGUMENT
inline Status RequireDims(const Tensor& tensor, DimsView dims, const std::string& what) {
  if (SameDims(tensor.dims(), dims)) return Status();
  return InvalidArgument(what + " must be of shape " + DimsString(dims) + ", not " +
                         DimsString(tensor.dims()));
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_REQUIRE_DIMS_H_
