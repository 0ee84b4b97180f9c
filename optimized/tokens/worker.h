#ifndef TAGFLOW_OPTIMIZED_TOKENS_WORKER_H_
#define TAGFLOW_OPTIMIZED_TOKENS_WORKER_H_

// Who fires instances: a thread, or in a simulated schedule one of the workers that a thread plays.

#include <cstdint>
#include <string>
#include <vector>

#include "optimized/kernel.h"
#include "optimized/tokens/state.h"

namespace tagflow::optimized::tokens {

// An instance that is due.
template <typename Sync>
struct Ready {
  static constexpr uint32_t kDead = 1;
  static constexpr uint32_t kReceived = 2;      // a Recv whose token has come
  static constexpr uint32_t kReceivedDead = 4;  // and is dead
  static constexpr uint32_t kHeavy = 8;         // worth a hand-over to another thread

  Iteration<Sync>* iteration = nullptr;
  uint32_t place = 0;
  uint32_t flags = 0;

  bool is_dead() const { return (flags & kDead) != 0; }
};

// The due instances of a worker, the last of which is the next to fire unless a schedule says else.
// A firing knows how many instances it can make due at most, and so asks for room only once.
template <typename Sync>
class ReadyStack {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  void Reserve(size_t more) {
    if (room_.size() - size_ < more) [[unlikely]]
      room_.resize(2 * room_.size() + more);
  }
  // REQUIRES: room for it
  void Push(const Ready<Sync>& ready) { room_[size_++] = ready; }
  void push_back(const Ready<Sync>& ready) {
    Reserve(1);
    Push(ready);
  }
  Ready<Sync> Pop() { return room_[--size_]; }
  const Ready<Sync>& back() const { return room_[size_ - 1]; }
  Ready<Sync>& back() { return room_[size_ - 1]; }
  Ready<Sync>& operator[](size_t i) { return room_[i]; }
  // The first `count` of them.
  void Keep(size_t count) { size_ = count; }
  void clear() { size_ = 0; }

 private:
  std::vector<Ready<Sync>> room_;
  size_t size_ = 0;
};

// What a kernel sees of the instance it runs for.
template <typename Sync>
class TokenContext : public KernelContext {
 public:
  explicit TokenContext(const StepServices& services) : KernelContext(nullptr, services) {}
  void Enter(const Iteration<Sync>& iteration) {
    slots_ = iteration.slots;
    iteration_ = &iteration;
  }
  std::string tag() const override { return ToString(TagOf(*iteration_)); }

 private:
  const Iteration<Sync>* iteration_ = nullptr;
};

template <typename Sync>
struct Worker {
  Worker(int worker_index, const StepServices& services) : index(worker_index), context(services) {}

  const int index;
  ReadyStack<Sync> ready;
  TokenContext<Sync> context;
  std::vector<Arg> args;  // of the firing, where they differ from the plan's
  int64_t granted = 0;    // firings before the step's limits are looked at again
  int64_t looks = 0;      // at the limits
  // Whether something heavy became due since the schedule last looked, and from where on in
  // `ready`.
  bool has_news = false;
  size_t first_news = 0;

  // How many more instances are due than there were.
  int64_t DueSince(size_t due_before) const {
    return static_cast<int64_t>(ready.size()) - static_cast<int64_t>(due_before);
  }
  // The next instance pushed is heavy.
  void NoteHeavy() {
    if (has_news) return;
    has_news = true;
    first_news = ready.size();
  }
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_WORKER_H_
