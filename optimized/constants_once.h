#ifndef TAGFLOW_OPTIMIZED_CONSTANTS_ONCE_H_
#define TAGFLOW_OPTIMIZED_CONSTANTS_ONCE_H_

// What a step computes of constants alone (a table that Fill and Range make, weights that are
// transposed) is the same in every step. From the second run of a call on it is a constant itself:
// the first run is as quick as ever, and a call that runs once pays nothing.
//
// Not so where somebody counts or sees kernels: steps with a limit of firings, observers, kernels
// of a caller's own; nor over several devices. Nor where it would not be paid back within
// kRunsToPayBack runs: the call is planned anew. What is kept is at most a share of the machine's
// memory (limits.h).
//
// Thread safety: as any executable; one thread plans, the others run the call as it was meanwhile.
// Tested by constants_once_test.cc.

#include <functional>
#include <memory>

#include "optimized/executable.h"

namespace tagflow::optimized {

using MakeExecutable = std::function<Result<std::unique_ptr<Executable>>(const ExecutableSpec&)>;

// plain: what runs the call of `spec`, whose graph and registry outlive the result
// make: makes one of another graph for the same call
//   returns: `plain` itself where no node hangs on constants alone
std::unique_ptr<Executable> ComputeConstantsOnce(std::unique_ptr<Executable> plain,
                                                 const ExecutableSpec& spec, MakeExecutable make);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_CONSTANTS_ONCE_H_
