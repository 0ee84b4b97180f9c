#ifndef TAGFLOW_REFERENCE_RENDEZVOUS_H_
#define TAGFLOW_REFERENCE_RENDEZVOUS_H_

// Where Send and Recv meet, each token under a key that holds the tag.
// No threads: a Recv that comes first leaves a callback, which the Send runs.
//
// Spec: [rendezvous.*]

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/death.h"

namespace tagflow::reference {

struct SentToken {
  Tensor value;
  bool dead = false;
  DeathPtr death = nullptr;  // of the Send, where the token is dead
};

// What was sent under which key.
struct Message {
  std::string key;
  bool dead = false;
};

class Rendezvous {
 public:
  using Receiver = std::function<void(const SentToken&)>;

  // holds: tokens are handed over by Deliver; else as soon as both sides are there.
  explicit Rendezvous(bool holds = false) : holds_(holds) {}

  // INVALID_ARGUMENT when something was sent under this key before.
  Status Send(const std::string& key, SentToken token);
  // Calls `receiver` once, now or when the token is sent (or delivered). INVALID_ARGUMENT for a
  // second Recv of one key.
  Status Recv(const std::string& key, Receiver receiver);

  std::vector<std::string> WaitingKeys() const;               // Recvs that nothing was sent for
  const std::vector<Message>& sent() const { return sent_; }  // in this order
  // Of a rendezvous that holds: the keys that were sent and are waited for, in order.
  std::vector<std::string> Deliverable() const {
    return {deliverable_.begin(), deliverable_.end()};
  }
  // REQUIRES: `key` is deliverable
  void Deliver(const std::string& key);

 private:
  struct Meeting {
    bool sent = false;
    bool wanted = false;
    SentToken token;
    Receiver receiver;
  };
  // Both are there.
  void Meet(const std::string& key, const Meeting& meeting);

  std::map<std::string, Meeting> meetings_;
  std::set<std::string> deliverable_;
  const bool holds_;
  std::vector<Message> sent_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_RENDEZVOUS_H_
