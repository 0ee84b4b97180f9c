#ifndef TAGFLOW_FUZZ_KERNELS_STATEFUL_SEQUENCE_H_
#define TAGFLOW_FUZZ_KERNELS_STATEFUL_SEQUENCE_H_

// Sequences of ops on one array, list, stack or variable: what one does to it, others see. The
// first op makes it, the others write to it and read it, one after the other; all that is read is
// fetched, and so is what it holds in the end.
//
// Tested by kernels_test.cc.

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// Its first node is kCalled (kernel_call.h); it runs twice in one session, also where the first run
// fails.
GraphSample DrawStatefulSequence(Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_STATEFUL_SEQUENCE_H_
