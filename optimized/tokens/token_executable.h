#ifndef TAGFLOW_OPTIMIZED_TOKENS_TOKEN_EXECUTABLE_H_
#define TAGFLOW_OPTIMIZED_TOKENS_TOKEN_EXECUTABLE_H_

// The executor that runs every graph: tokens with tags, frames and iterations as docs/semantics.md
// has them, on any number of threads.
//
//   plan.h      the call laid out: nodes by frame, edges, slots, words
//   rules.h     when an instance is due and dead, when iterations begin and end
//   state.h     frames and iterations
//   step.h      firing, and the parts of a step, each in a header of its own
//   schedule.h  who fires what when: one thread, a pool of them, or a simulation of one
//
// Tested by the tests here, by conformance cases and by random programs against the reference.

#include <cstdint>
#include <functional>
#include <memory>

#include "optimized/executable.h"
#include "optimized/tokens/worker_pool.h"

namespace tagflow::optimized::tokens {

struct TokenOptions {
  // Whose threads help; null, with spec.threads above 1: threads of the executable's own.
  std::shared_ptr<WorkerPool> pool;
  // Whether threads share a step in which no kernel is worth a hand-over, too: for tests.
  bool always_shares = false;
  // Told the hash of every simulated schedule (StepControl::seed); may be null.
  std::function<void(uint64_t hash)> on_schedule;
};

// Errors: UNIMPLEMENTED naming a node whose op has no kernel; INVALID_ARGUMENT naming placeholders
// that must be fed.
//
// Steps run concurrently to others of the same executable. With spec.threads 1, and where no kernel
// is worth another thread, a step runs on the calling thread and takes no lock. A step whose
// control has a seed runs on the calling thread as well, which plays spec.threads workers in an
// order drawn from the seed.
Result<std::unique_ptr<Executable>> MakeTokenExecutable(const ExecutableSpec& spec,
                                                        TokenOptions options = {});

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_TOKEN_EXECUTABLE_H_
