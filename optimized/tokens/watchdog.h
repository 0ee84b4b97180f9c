#ifndef TAGFLOW_OPTIMIZED_TOKENS_WATCHDOG_H_
#define TAGFLOW_OPTIMIZED_TOKENS_WATCHDOG_H_

// Whether a step that ended without all that it owes was starved by its graph ([step.2]) or by a
// bug of ours. Looked at when such a step is over; a step that runs pays nothing for it.
//
// A bug is, since nothing is due any more:
//   1. an iteration that counts more busy than Recvs that wait in it and frames that were begun in
//      it: an instance that was due never ran;
//   2. an iteration that has ended and is still there, or one that may begin and did not;
//   3. in the root, which is not counted, something that did not happen though nothing that it
//      depends on may starve: only an Exit that gave no token and a Recv may.
//
// Tested by watchdog_test.cc.

#include <functional>
#include <string>
#include <vector>

#include "graph/call.h"
#include "optimized/tokens/state.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
struct EndedStep {
  const TokenPlan& plan;
  const FramePool<Sync>& frames;
  const Iteration<Sync>& root;
  std::vector<const Iteration<Sync>*> waiting_recvs;  // the iteration of each Recv that waits
  std::vector<OutputRef> missing_fetches;             // to which no token came
};

// What was lost, as sentences; empty: the graph starves the step.
// REQUIRES: the step is over, without an error
template <typename Sync>
std::vector<std::string> FindLost(const EndedStep<Sync>& step);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_WATCHDOG_H_
