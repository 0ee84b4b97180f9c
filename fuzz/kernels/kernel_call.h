#ifndef TAGFLOW_FUZZ_KERNELS_KERNEL_CALL_H_
#define TAGFLOW_FUZZ_KERNELS_KERNEL_CALL_H_

// Graphs of one op, made from its definition alone: so that they know every op there will ever be.
// The call (call_maker.h) stands in a few contexts (call_contexts.h).

#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"
#include "graph/dtype.h"
#include "graph/op_def.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// The node that is about the op.
inline constexpr char kCalled[] = "called";

// A call of the op: fetches those of its outputs that can be, and runs it twice in one session.
GraphSample CallOf(const OpDef& op, Choices& choices);

// The same, as a rule of these dtypes, where the op has them.
GraphSample CallOf(const OpDef& op, const std::vector<DType>& preferred, Choices& choices);

// A call of any op that an engine has a kernel for; or a sequence of stateful ops
// (stateful_sequence.h).
GraphSample DrawKernelCall(Choices& choices);

// What is constant at the node, or goes in there in the first run; nothing where it is computed.
std::optional<Tensor> FedValue(const GraphSample& call, const Node& node);

// The op of kCalled.
const OpDef& CalledOp(const GraphSample& call);

// Whether it is a product of many numbers: what is left of them, some being zero, hangs on whether
// those before overflow.
bool HasManyFactors(const GraphSample& call);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_KERNEL_CALL_H_
