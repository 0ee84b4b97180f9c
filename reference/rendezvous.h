#ifndef TAGFLOW_REFERENCE_RENDEZVOUS_H_
#define TAGFLOW_REFERENCE_RENDEZVOUS_H_

// Where Send and Recv meet, each token under a key that holds the tag.                   Spec:
// [rendezvous.*] No threads: a Recv that comes first leaves a callback, which the Send runs.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::reference {

struct SentToken {
  Tensor value;
  bool dead = false;
};

class Rendezvous {
 public:
  using Receiver = std::function<void(const SentToken&)>;

  // INVALID_ARGUMENT when something was sent under this key before.
  Status Send(const std::string& key, SentToken token);
  // Calls `receiver` once, now or when the token is sent. INVALID_ARGUMENT for a second Recv of one
  // key.
  Status Recv(const std::string& key, Receiver receiver);

  std::vector<std::string> WaitingKeys() const;  // Recvs that nothing was sent for
  int64_t messages() const { return messages_; }
  int64_t dead_messages() const { return dead_messages_; }

 private:
  struct Meeting {
    bool sent = false;
    bool wanted = false;
    SentToken token;
    Receiver receiver;
  };
  std::map<std::string, Meeting> meetings_;
  int64_t messages_ = 0;
  int64_t dead_messages_ = 0;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_RENDEZVOUS_H_
