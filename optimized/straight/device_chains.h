#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CHAINS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CHAINS_H_

// Finds calls of a device that follow each other and may be steps of a chain (element_calls.h): it
// gets kernels of its own (device_chain.h). A chain ends where something else is called, or a jump
// leads.
//
// Tested by device_chains_test.cc.

#include "optimized/native_options.h"
#include "optimized/straight/element_calls.h"
#include "optimized/straight/fusion.h"

namespace tagflow::optimized {

// options: of the chains
// calls: those of the fusions' code
void FuseDeviceChains(const NativeOptions& options, const ElementCalls& calls, Fusions& fusions);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CHAINS_H_
