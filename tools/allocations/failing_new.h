#ifndef TAGFLOW_TOOLS_ALLOCATIONS_FAILING_NEW_H_
#define TAGFLOW_TOOLS_ALLOCATIONS_FAILING_NEW_H_

// An operator new that fails when it is told to, in place of the program's own. Linked into a
// program, it counts the allocations of all threads; and those of tensors, which are not from
// operator new (graph/host_memory.h).

#include <cstdint>

namespace tagflow::allocations {

// While it lives, allocation number `first` (from 1) fails, and those after it, if `all_after`.
// One at a time.
class FailingNew {
 public:
  explicit FailingNew(int64_t first, bool all_after = false);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
  // How many allocations failed.
  int64_t failed() const;
};

// While it lives, no allocation of this thread fails: for what the test does itself.
class Sparing {
 public:
  Sparing();
  ~Sparing();
  Sparing(const Sparing&) = delete;
  Sparing& operator=(const Sparing&) = delete;
};

}  // namespace tagflow::allocations

#endif  // TAGFLOW_TOOLS_ALLOCATIONS_FAILING_NEW_H_
