#ifndef TAGFLOW_OPTIMIZED_OBSERVER_LANES_H_
#define TAGFLOW_OPTIMIZED_OBSERVER_LANES_H_

// What observers keep per thread, so that threads that run kernels do not wait for one another.
//
// Thread safety: Mine from any thread; All while no thread uses its lane.
// Tested by observer_stats_test.cc.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace tagflow::optimized {

// Lane: made from its number, which counts threads in the order in which they came.
template <typename Lane>
class ObserverLanes {
 public:
  ObserverLanes() = default;
  ObserverLanes(const ObserverLanes&) = delete;
  ObserverLanes& operator=(const ObserverLanes&) = delete;

  // The calling thread's.
  Lane& Mine() {
    if (last_used_.owner != id_) [[unlikely]]
      last_used_ = {id_, &FindOrMake()};
    return *last_used_.lane;
  }

  const std::vector<std::unique_ptr<Lane>>& All() const { return lanes_; }

 private:
  // The lane that a thread asked for last; ids are never used again, lanes may be.
  struct LastUsed {
    uint64_t owner = 0;
    Lane* lane = nullptr;
  };

  Lane& FindOrMake() {
    std::lock_guard lock(mutex_);
    Lane*& mine = by_thread_[std::this_thread::get_id()];
    if (mine == nullptr) {
      lanes_.push_back(std::make_unique<Lane>(static_cast<int>(lanes_.size())));
      mine = lanes_.back().get();
    }
    return *mine;
  }

  static inline std::atomic<uint64_t> last_id_{0};
  static inline thread_local LastUsed last_used_;

  const uint64_t id_ = ++last_id_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;              // guarded by mutex_
  std::unordered_map<std::thread::id, Lane*> by_thread_;  // guarded by mutex_
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_OBSERVER_LANES_H_
