#ifndef TAGFLOW_FUZZ_KERNELS_LENIENT_H_
#define TAGFLOW_FUZZ_KERNELS_LENIENT_H_

#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// Whether some kernel of the call may be content with inputs that its shape function refuses: as in
// TensorFlow, a tensor of one element passes for a scalar, any tensor for the axes of a sum or a
// flow of nothing, and what has no dimensions is its own reverse.
bool MayBeLenient(const GraphSample& call);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_LENIENT_H_
