#include "optimized/tokens/errors.h"

#include <tuple>

namespace tagflow::optimized::tokens {
namespace {

// What is no instance's own error: it may follow from one.
bool EndsStep(const Status& status) {
  return status.code() == Code::kCancelled || status.rule() == "step.3";
}

}  // namespace

void Errors::Add(const Tag& tag, const std::string& node, const Status& error) {
  std::lock_guard lock(mutex_);
  const bool is_first = least_.ok();
  if (!is_first && EndsStep(error)) return;
  if (!is_first && EndsStep(least_)) return;  // what fails then may do so because the step ends
  if (!is_first && std::tie(tag_, node_) <= std::tie(tag, node)) return;
  least_ = error;
  tag_ = tag;
  node_ = node;
}

}  // namespace tagflow::optimized::tokens
