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
  static constexpr uintptr_t kDead = 1;
  static constexpr uintptr_t kReceived = 2;      // a Recv whose token has come
  static constexpr uintptr_t kReceivedDead = 4;  // and is dead
  static constexpr uintptr_t kHeavy = 8;         // worth a hand-over to another thread
  static constexpr uintptr_t kAsked = 16;        // a Recv that has asked a rendezvous for its token

  Ready() = default;
  Ready(Iteration<Sync>& at, uint32_t place, uintptr_t flags)
      : iteration(&at), bits(reinterpret_cast<uintptr_t>(at.nodes + place) | flags) {}

  Iteration<Sync>* iteration = nullptr;
  uintptr_t bits = 0;  // the node's address, which is a multiple of 64, and flags

  const PlanNode& node() const { return *reinterpret_cast<const PlanNode*>(bits & ~kFlags); }
  uint32_t place() const { return static_cast<uint32_t>(&node() - iteration->nodes); }
  bool Has(uintptr_t flag) const { return (bits & flag) != 0; }
  bool is_dead() const { return Has(kDead); }

 private:
  static constexpr uintptr_t kFlags = alignof(PlanNode) - 1;
};

// The due instances of a worker, the last of which is the next to fire unless a schedule says else.
// There is always room for the edges of one node, so that a firing asks for none.
template <typename Sync>
class ReadyStack {
 public:
  // spare: for how many more pushes there is room after a Reserve
  explicit ReadyStack(size_t spare) : spare_(spare) { Grow(0); }
  bool empty() const { return top_ == room_.data(); }
  size_t size() const { return static_cast<size_t>(top_ - room_.data()); }
  void Reserve(size_t more) {
    if (static_cast<size_t>(room_.data() + room_.size() - top_) < more + spare_) Grow(more);
  }
  // Room for `spare` pushes.
  void ReserveSpare() {
    if (top_ > limit_) [[unlikely]]
      Grow(0);
  }
  // REQUIRES: room for it
  void Push(const Ready<Sync>& ready) { *top_++ = ready; }
  void push_back(const Ready<Sync>& ready) {
    Reserve(1);
    Push(ready);
  }
  const Ready<Sync>& Pop() { return *--top_; }
  const Ready<Sync>& back() const { return top_[-1]; }
  Ready<Sync>& back() { return top_[-1]; }
  Ready<Sync>& operator[](size_t i) { return room_[i]; }
  // The first `count` of them.
  void Keep(size_t count) { top_ = room_.data() + count; }
  void clear() { Keep(0); }

 private:
  [[gnu::noinline]] void Grow(size_t more) {
    const size_t count = size();
    room_.resize(2 * room_.size() + more + spare_ + 1);
    limit_ = room_.data() + room_.size() - spare_;
    Keep(count);
  }

  const size_t spare_;
  std::vector<Ready<Sync>> room_;
  Ready<Sync>* top_ = nullptr;
  Ready<Sync>* limit_ = nullptr;  // beyond which there is not room for spare_ more
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
  std::string tag() const override {
    return TagWithin(this->services(), ToString(TagOf(*iteration_)));
  }

 private:
  const Iteration<Sync>* iteration_ = nullptr;
};

template <typename Sync>
struct Worker {
  Worker(int worker_index, const StepServices& services, size_t most_edges)
      : index(worker_index), ready(most_edges), context(services) {}

  const int index;
  ReadyStack<Sync> ready;
  TokenContext<Sync> context;
  std::vector<Arg> args;  // of the firing, where they differ from the plan's
  // Whether something heavy became due since the schedule last looked, and from where on in
  // `ready`.
  bool has_news = false;
  size_t first_news = 0;

  // The next instance pushed is heavy.
  void NoteHeavy() {
    if (has_news) return;
    has_news = true;
    first_news = ready.size();
  }
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_WORKER_H_
