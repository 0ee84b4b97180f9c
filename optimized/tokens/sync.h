#ifndef TAGFLOW_OPTIMIZED_TOKENS_SYNC_H_
#define TAGFLOW_OPTIMIZED_TOKENS_SYNC_H_

// What the state of a step is made of, twice: plain memory for a step that one thread runs, and
// atomics and locks for one that several do. The code that moves tokens is written once, over these
// two, so that a single thread pays for no synchronization and no rule exists twice.

#include <atomic>
#include <mutex>

namespace tagflow::optimized::tokens {

// A number or pointer of a step that one thread runs.
template <typename T>
class PlainCell {
 public:
  T load() const { return value_; }
  void store(T value) { value_ = value; }
  T Add(T delta) { return value_ += delta; }  // the new value
  T Or(T bits) {                              // the value before
    const T before = value_;
    value_ |= bits;
    return before;
  }
  // Stores `to` if the value is `from`; whether it did.
  bool Replace(T from, T to) {
    if (value_ != from) return false;
    value_ = to;
    return true;
  }

 private:
  T value_{};
};

// The same for several threads. Whatever changes it releases what its thread wrote before and
// acquires what earlier changers wrote: the thread whose change makes an instance ready sees all
// its inputs.
template <typename T>
class AtomicCell {
 public:
  T load() const { return value_.load(std::memory_order_acquire); }
  void store(T value) { value_.store(value, std::memory_order_release); }
  T Add(T delta) { return value_.fetch_add(delta, std::memory_order_acq_rel) + delta; }
  T Or(T bits) { return value_.fetch_or(bits, std::memory_order_acq_rel); }
  bool Replace(T from, T to) {
    return value_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }

 private:
  std::atomic<T> value_{};
};

struct NoMutex {
  void lock() {}
  void unlock() {}
};

// One thread runs the step.
struct Sequential {
  static constexpr bool kShared = false;
  template <typename T>
  using Cell = PlainCell<T>;
  using Mutex = NoMutex;
};

// Any number of threads do.
struct Concurrent {
  static constexpr bool kShared = true;
  template <typename T>
  using Cell = AtomicCell<T>;
  using Mutex = std::mutex;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_SYNC_H_
