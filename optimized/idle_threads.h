#ifndef TAGFLOW_OPTIMIZED_IDLE_THREADS_H_
#define TAGFLOW_OPTIMIZED_IDLE_THREADS_H_

// The threads of a session that have nothing to do, for work that no step waits for.
//
// Thread safety: any thread.

#include <functional>

namespace tagflow::optimized {

class IdleThreads {
 public:
  virtual ~IdleThreads() = default;
  virtual bool HasIdle() const = 0;
  // Has one of them call `work`, which must not throw, while steps go on; false where none is idle.
  // A session that ends before one takes it drops it, and waits for the end of what was taken.
  virtual bool Start(std::function<void()> work) = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_IDLE_THREADS_H_
