#ifndef TAGFLOW_FUZZ_HARNESS_EQUAL_KERNELS_H_
#define TAGFLOW_FUZZ_HARNESS_EQUAL_KERNELS_H_

// Calls of single ops (fuzz/kernels): ops, dtypes, attrs and shapes that no program has, and
// errors. An engine is held to the reference, and the reference to what its definitions promise and
// to its peer. Values must be equal but for rounding (call_agreement.h). Of some calls more is
// claimed (call_checks.h). Tested by equal_kernels_test.cc.

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"
#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

// Where the reference has not the memory or the time for the call, nothing is asked of an engine.
Finding CheckCall(const GraphSample& call, Setting& setting);

// Draws and checks calls, one after the other, to the first that is not right.
Finding CheckCalls(Choices& choices, Setting& setting);

// The call that CheckCalls, given the same choices, found not right.
GraphSample LastKernelCall(Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_EQUAL_KERNELS_H_
