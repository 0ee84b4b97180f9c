#ifndef TAGFLOW_FUZZ_HARNESS_WORKER_H_
#define TAGFLOW_FUZZ_HARNESS_WORKER_H_

// The process that does the work: reads tasks, runs samples, tells what it found.

#include "fuzz/harness/campaign.h"
#include "fuzz/harness/slots.h"

namespace tagflow::fuzz {

// Serves tasks (messages.proto, in frames) until `in` ends. Each sample is noted in `slot` before
// it is drawn.
void Work(const Campaign& campaign, Slot& slot, int in, int out);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_WORKER_H_
