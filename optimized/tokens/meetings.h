#ifndef TAGFLOW_OPTIMIZED_TOKENS_MEETINGS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_MEETINGS_H_

// Where the Sends and Recvs of one step meet: the rendezvous of the devices that one process runs.
//                                                                        Spec: [rendezvous.*]
//
// Of a key, all but the iterations is known by plan: devices, tensor and the names of the frames
// make a *channel* (plan.h), and what is left for a meeting to be found by is a number and an
// iteration for each frame. Nothing of a key is ever text here.
//
// A meeting is forgotten when both have come, so a loop of any number of trips keeps those that are
// under way. Of a channel with several Sends or Recvs it is kept until the step ends: a second one
// is an error ([rendezvous.3]).
//
// Thread safety: any thread, of a Concurrent step; nothing is called with the lock held.

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/tensor.h"
#include "optimized/tokens/plan.h"
#include "optimized/tokens/state.h"
#include "optimized/tokens/worker.h"

namespace tagflow::optimized::tokens {

struct SentToken {
  Tensor value;
  bool is_dead = false;
};

struct MeetingKey {
  static constexpr uint32_t kInPlace = 3;

  uint32_t channel = 0;
  uint32_t depth = 0;  // of frames
  std::array<int64_t, kInPlace> iterations{};
  std::vector<int64_t> further;  // beyond those, from the inside out as well

  void Add(int64_t iteration) {
    if (depth < kInPlace) {
      iterations[depth] = iteration;
    } else {
      further.push_back(iteration);
    }
    ++depth;
  }
  friend bool operator==(const MeetingKey&, const MeetingKey&) = default;

  struct Hash {
    size_t operator()(const MeetingKey& key) const {
      uint64_t hash = key.channel;
      auto add = [&hash](int64_t iteration) {
        hash = (hash ^ static_cast<uint64_t>(iteration)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
      };
      for (const int64_t iteration : key.iterations) add(iteration);
      for (const int64_t iteration : key.further) add(iteration);
      return hash;
    }
  };
};

template <typename Sync>
class Meetings {
 public:
  using Waiter = Ready<Sync>;

  // The waiter of this key, and the token back, which otherwise stays here; nothing when the Recv
  // is still to come. False when something was sent under this key before.
  bool Send(const MeetingKey& key, bool is_contested, SentToken& token,
            std::optional<Waiter>& waiter) {
    std::lock_guard lock(mutex_);
    const auto [at, is_new] = meetings_.try_emplace(key);
    Meeting& meeting = at->second;
    if (meeting.is_sent) return false;
    waiter = meeting.waiter;
    if (waiter.has_value() && !is_contested) {
      meetings_.erase(at);
      return true;
    }
    meeting.is_sent = true;
    if (!waiter.has_value()) meeting.token = std::move(token);
    return true;
  }

  // The token of this key; nothing when it is still to come, and then `waiter` is left for it.
  // False for a second Recv of one key.
  bool Recv(const MeetingKey& key, bool is_contested, const Waiter& waiter,
            std::optional<SentToken>& token) {
    std::lock_guard lock(mutex_);
    const auto [at, is_new] = meetings_.try_emplace(key);
    Meeting& meeting = at->second;
    if (meeting.waiter.has_value()) return false;
    if (meeting.is_sent) token = std::move(meeting.token);
    if (meeting.is_sent && !is_contested) {
      meetings_.erase(at);
    } else {
      meeting.waiter = waiter;
    }
    return true;
  }

  // Of Recvs that nothing was sent for. When no thread runs the step.
  std::vector<Waiter> Waiters() const {
    std::vector<Waiter> waiters;
    for (const auto& [key, meeting] : meetings_) {
      if (!meeting.is_sent) waiters.push_back(*meeting.waiter);
    }
    return waiters;
  }
  void Clear() { meetings_.clear(); }

 private:
  struct Meeting {
    bool is_sent = false;
    std::optional<Waiter> waiter;
    SentToken token;
  };
  typename Sync::Mutex mutex_;
  std::unordered_map<MeetingKey, Meeting, MeetingKey::Hash> meetings_;  // guarded by mutex_
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_MEETINGS_H_
