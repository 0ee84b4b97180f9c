#ifndef TAGFLOW_FUZZ_KERNELS_RECURRENT_CALL_H_
#define TAGFLOW_FUZZ_KERNELS_RECURRENT_CALL_H_

// Cells of recurrent networks, and their gradients, whose tensors fit one another.

#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/op_def.h"

namespace tagflow::fuzz {

// Whether the op is of that family.
bool IsRecurrent(const OpDef& op);

// The shape of each argument that is data. REQUIRES: IsRecurrent(op)
std::vector<Dims> DrawRecurrentDims(const OpDef& op, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_RECURRENT_CALL_H_
