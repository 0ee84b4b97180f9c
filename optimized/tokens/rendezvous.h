#ifndef TAGFLOW_OPTIMIZED_TOKENS_RENDEZVOUS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_RENDEZVOUS_H_

// Where the Sends and Recvs of a step meet, each pair under a key that holds the tag.
//                                                                        Spec: [rendezvous.*]
//
// Thread safety: any thread; nothing is called with the lock held.

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "graph/status.h"
#include "graph/tag.h"
#include "graph/tensor.h"

namespace tagflow::optimized::tokens {

struct SentToken {
  Tensor value;
  bool is_dead = false;
};

// Waiter: what a Recv leaves when it comes first.
template <typename Waiter>
class Rendezvous {
 public:
  // The waiter of this key, and the token back; nothing when the Recv is still to come.
  // INVALID_ARGUMENT when something was sent under this key before.
  Result<std::optional<Waiter>> Send(const RendezvousKey& key, SentToken& token) {
    std::lock_guard lock(mutex_);
    Meeting& meeting = meetings_[key];
    if (std::exchange(meeting.is_sent, true)) {
      return InvalidArgument("two tokens were sent under the key " + ToString(key) +
                             ": give each Send a tensor_name of its own")
          .WithRule("rendezvous.3");
    }
    if (!meeting.waiter.has_value()) meeting.token = std::move(token);
    return meeting.waiter;
  }

  // The token of this key; nothing when it is still to come, and then `waiter` is left for it.
  // INVALID_ARGUMENT for a second Recv of one key.
  Result<std::optional<SentToken>> Recv(const RendezvousKey& key, const Waiter& waiter) {
    std::lock_guard lock(mutex_);
    Meeting& meeting = meetings_[key];
    if (meeting.waiter.has_value()) {
      return InvalidArgument("two Recvs want the key " + ToString(key) +
                             ": give each a tensor_name of its own")
          .WithRule("rendezvous.3");
    }
    meeting.waiter = waiter;
    if (!meeting.is_sent) return std::optional<SentToken>();
    return std::optional<SentToken>(std::move(meeting.token));
  }

  // Of Recvs that nothing was sent for.
  std::vector<RendezvousKey> WaitingKeys() const {
    std::lock_guard lock(mutex_);
    std::vector<RendezvousKey> keys;
    for (const auto& [key, meeting] : meetings_) {
      if (!meeting.is_sent) keys.push_back(key);
    }
    return keys;
  }
  // What those Recvs left.
  std::vector<Waiter> Waiters() const {
    std::lock_guard lock(mutex_);
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
  mutable std::mutex mutex_;
  std::map<RendezvousKey, Meeting> meetings_;  // guarded by mutex_
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_RENDEZVOUS_H_
