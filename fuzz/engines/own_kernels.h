#ifndef TAGFLOW_FUZZ_ENGINES_OWN_KERNELS_H_
#define TAGFLOW_FUZZ_ENGINES_OWN_KERNELS_H_

// Kernels as a session's caller may have them: those of the standard registries, which count their
// calls. An engine may make one kernel of two of its own, but has to call a caller's as they are.
//
// Tested by own_kernels_test.cc.

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "graph/tensor.h"
#include "optimized/async_kernel.h"
#include "optimized/kernel.h"
#include "reference/kernel.h"

namespace tagflow::fuzz {

// What came of a run with kernels of the caller's.
struct OwnKernelRun {
  std::vector<Tensor> values;
  std::map<std::string, int64_t> calls;  // by op
};

class CallCounts {
 public:
  CallCounts() = default;
  CallCounts(const CallCounts&) = delete;
  CallCounts& operator=(const CallCounts&) = delete;

  std::atomic<int64_t>& of(const std::string& op) { return counts_[op]; }
  std::map<std::string, int64_t> Read() const;

 private:
  std::map<std::string, std::atomic<int64_t>> counts_;
};

// A run in a session of either engine whose kernels count in `counts`.
template <typename Session>
Result<OwnKernelRun> RunAndCount(Session& session, const CallCounts& counts,
                                 const std::vector<std::pair<std::string, Tensor>>& feeds,
                                 const std::vector<std::string>& fetches,
                                 const std::vector<std::string>& targets) {
  OwnKernelRun run;
  TAGFLOW_ASSIGN_OR_RETURN(run.values, session.Run(feeds, fetches, targets));
  run.calls = counts.Read();
  return run;
}

// counts: outlives them
reference::KernelRegistry CountingKernels(CallCounts& counts);

// Those of the engine, of which every other one completes by itself, from another thread.
class CountingEngineKernels {
 public:
  explicit CountingEngineKernels(CallCounts& counts);
  const optimized::KernelRegistry& registry() const { return registry_; }

 private:
  void DoneLater(std::shared_ptr<optimized::AsyncCall> call, Result<std::vector<Tensor>> outputs);

  optimized::KernelRegistry registry_;
  std::mutex mutex_;
  std::vector<std::jthread> completing_;  // guarded by mutex_
};

// The engine's, of which every other one completes by itself, before it returns.
const optimized::KernelRegistry& AsyncKernels();

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_OWN_KERNELS_H_
