#ifndef TAGFLOW_FUZZ_HARNESS_EQUAL_KERNELS_H_
#define TAGFLOW_FUZZ_HARNESS_EQUAL_KERNELS_H_

// Calls of single ops (fuzz/kernels) on an engine, held to the reference: ops, dtypes, attrs and
// shapes that no program has, and errors. Values must be equal but for rounding, of which an engine
// may do another than the reference where functions and sums are concerned.

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"
#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

// Holds the engine to the reference in one call. Where the reference has not the memory or the time
// for it, nothing is asked of the engine.
Finding KernelsAgree(const GraphSample& call, Setting& setting);

// Draws and checks calls, one after the other, to the first that is not right.
Finding KernelsAgree(Choices& choices, Setting& setting);

// The call that KernelsAgree, given the same choices, found not right.
GraphSample LastKernelCall(Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_EQUAL_KERNELS_H_
