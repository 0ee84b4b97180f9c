#ifndef TAGFLOW_FUZZ_KERNELS_RIVALS_H_
#define TAGFLOW_FUZZ_KERNELS_RIVALS_H_

// Of two ops on one variable, stack or array that nothing orders, what either order gives is an
// outcome ([race.1]), and no other values are: an exploration that does not find both was not told
// what the ops touch, and one that finds more began them with something else.

#include "fuzz/graphs/properties.h"
#include "fuzz/graphs/sample.h"
#include "reference/kernel.h"

namespace tagflow::fuzz {

// call: of DrawRivals; holds of one without a rival
Problem RivalsRace(
    const GraphSample& call, const reference::Rules& rules = reference::StandardRules(),
    const reference::KernelRegistry& kernels = reference::KernelRegistry::Standard());

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_RIVALS_H_
