#ifndef TAGFLOW_OPTIMIZED_TOKENS_ERRORS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_ERRORS_H_

// The errors of one step. The first stops it; those of kernels that were running then are collected
// too, and the one with the least (tag, node name) is the step's.              Spec: [error.*]

#include <atomic>
#include <mutex>
#include <string>

#include "graph/out_of_memory.h"
#include "graph/status.h"
#include "graph/tag.h"

namespace tagflow::optimized::tokens {

class Errors {
 public:
  // The error of an instance, which tells its place. A cancellation that follows another error does
  // not count.
  void Add(const Tag& tag, const std::string& node, const Status& error);
  // Of an instance for whose error there was no memory either. Needs none.
  void AddOutOfMemory() { is_out_of_memory_ = true; }
  // The one to report; OK when there is none.
  Status Report() const { return least_.ok() && is_out_of_memory_.load() ? OutOfMemory() : least_; }

 private:
  std::atomic<bool> is_out_of_memory_{false};
  std::mutex mutex_;
  Status least_;  // guarded by mutex_, as the rest
  Tag tag_;
  std::string node_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_ERRORS_H_
