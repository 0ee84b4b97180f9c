#ifndef TAGFLOW_FUZZ_KERNELS_FUSIBLE_H_
#define TAGFLOW_FUZZ_KERNELS_FUSIBLE_H_

// Kernels of the engine that may be made one with their neighbours', as they say themselves
// (optimized/kernels/part.h). Tested by kernels_test.cc.

#include "fuzz/generate/choices.h"
#include "graph/graph.h"
#include "graph/op_def.h"

namespace tagflow::fuzz {

// Whether the engine's kernel of the node is one.
bool IsFusible(const Node& node);

// An op whose kernel for floats is one: each form of work that there is has even odds, and among
// the ops of one form all have.
const OpDef& DrawFusible(Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_FUSIBLE_H_
