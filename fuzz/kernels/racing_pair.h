#ifndef TAGFLOW_FUZZ_KERNELS_RACING_PAIR_H_
#define TAGFLOW_FUZZ_KERNELS_RACING_PAIR_H_

// Of two ops on one variable, stack or array that nothing orders, what either order gives is an
// outcome ([race.1]), and no other values are: an exploration that does not find both was not told
// what the ops touch, and one that finds more began them with something else.
//
// Tested by kernels_test.cc.

#include "fuzz/graphs/properties.h"
#include "fuzz/graphs/sample.h"
#include "reference/kernel.h"

namespace tagflow::fuzz {

// The second op of the pair; the first is kCalled (kernel_call.h). It waits for the first, so that
// the sample as it is has one outcome.
inline constexpr char kSecond[] = "second";

// A call of an op that takes a variable, a stack or an array, and another on the same, as a rule.
GraphSample DrawRacingPair(Choices& choices);

// What is wrong with what the two give in either order. Holds of a call that is no pair.
Problem RacesOtherwise(
    const GraphSample& call, const reference::Rules& rules = reference::StandardRules(),
    const reference::KernelRegistry& kernels = reference::KernelRegistry::Standard());

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_RACING_PAIR_H_
