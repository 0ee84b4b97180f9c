#ifndef TAGFLOW_OPTIMIZED_ERRORS_H_
#define TAGFLOW_OPTIMIZED_ERRORS_H_

// The errors of a step that the standard names, worded once for every executor. Node and tag are
// the caller's to add.   Tested by errors_test.cc.

#include <cstdint>
#include <string>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// A predicate that is no scalar: its shape is `dims`.
Status PredicateIsNoScalar(DimsView dims);  // [switch.2]
// why: why the two are not equal
Status SecondLiveInput(int first, int second, const std::string& why);       // [merge.3]
Status SecondLiveExit();                                                     // [exit.3]
Status UninitializedVariable(const std::string& name);                       // [ref.3]
Status StillOwed(const std::string& what, const std::string& waits);         // [step.2]
Status DeadFetch(const std::string& fetch, const std::string& explanation);  // [fetch.1]
Status StepLimitReached(int64_t max_firings);                                // [step.3]

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_ERRORS_H_
