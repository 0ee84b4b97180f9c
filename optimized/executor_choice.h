#ifndef TAGFLOW_OPTIMIZED_EXECUTOR_CHOICE_H_
#define TAGFLOW_OPTIMIZED_EXECUTOR_CHOICE_H_

// Which executor makes a call ready.
//
// Tested by session_test.cc.

#include <cstdint>
#include <memory>
#include <string>

#include "graph/status.h"
#include "optimized/executable.h"
#include "optimized/tokens/worker_pool.h"

namespace tagflow::optimized {

enum class ExecutorChoice : uint8_t {
  kAuto,      // the straight one where it can and no kernel is in flight while others run; else
              // tokens. Where several threads could run heavy kernels side by side: whichever
              // turns out quicker
  kStraight,  // UNIMPLEMENTED, with the reason, where the graph has not the structure for it
  kTokens,
  kSharedTokens,  // by all threads, even a step that they cannot make quicker: for tests
};

struct ChosenExecutable {
  std::unique_ptr<Executable> executable;
  std::string about;  // which executor, and why not the straight one: for people
};

// Straight code, or none, with the reason in `about`.
//   Errors: UNIMPLEMENTED for an op without kernel, naming the node
Result<ChosenExecutable> ChooseStraight(const ExecutableSpec& spec, ExecutorChoice choice);
// The executable of either executor; of a call over devices, that of tokens.
//   pool: whose threads help with tokens; null: one thread
//   Errors: as ChooseStraight; UNIMPLEMENTED where straight code is wanted and there is none
Result<ChosenExecutable> ChooseExecutable(const ExecutableSpec& spec, ExecutorChoice choice,
                                          std::shared_ptr<tokens::WorkerPool> pool);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_EXECUTOR_CHOICE_H_
