#ifndef TAGFLOW_CONFORMANCE_SERVE_H_
#define TAGFLOW_CONFORMANCE_SERVE_H_

// The engine's end of the protocol. Requests are answered in order on a thread of their own, so
// that a Cancel can reach the step that is running. A Cancel has no answer: the step it ends
// answers with its error.

#include "conformance/servant.h"
#include "graph/status.h"

namespace tagflow::conformance {

// Says hello on `output`, then answers requests from `input` until it ends (what was asked is still
// answered) or nobody reads `output` any more (then the running step is cancelled).
//   Errors: DATA_LOSS for input that is not the protocol.
Status Serve(Servant& servant, int input, int output);

// The real standard output, for frames only: whatever is printed goes to standard error from now
// on.
int ClaimStandardOutput();

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_SERVE_H_
