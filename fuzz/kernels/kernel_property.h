#ifndef TAGFLOW_FUZZ_KERNELS_KERNEL_PROPERTY_H_
#define TAGFLOW_FUZZ_KERNELS_KERNEL_PROPERTY_H_

// What must hold of every op, whatever it is given: a value that its definition allows and its
// shape function foresaw, or an error that says which node and what; in bounded memory and time.

#include <cstddef>
#include <vector>

#include "fuzz/graphs/little_memory.h"
#include "fuzz/graphs/properties.h"
#include "fuzz/graphs/sample.h"
#include "reference/kernel.h"

namespace tagflow::fuzz {

using CallResults = std::vector<Result<std::vector<Tensor>>>;  // by run; or one error before any

// What the sample's runs give on the reference with these kernels, with little memory to be had at
// once; up to the first that fails, unless they are in order.
CallResults CallOnReference(
    const GraphSample& sample, const reference::Rules& rules = reference::StandardRules(),
    const reference::KernelRegistry& kernels = reference::KernelRegistry::Standard());

// The same of those calls, in one session, whatever one of them gives.
CallResults CallOnReference(const GraphSample& sample, const std::vector<GraphCall>& calls,
                            const reference::Rules& rules);

// What is wrong with that.
Problem BrokenPromise(const GraphSample& sample, const CallResults& results);

// Whether something in it may be left out.
bool HasBranch(const Graph& graph);

// Whether it says more of the machine than of the op.
inline bool IsBeyondLimits(const Status& status) {
  return status.code() == Code::kResourceExhausted || status.code() == Code::kDeadlineExceeded;
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_KERNEL_PROPERTY_H_
