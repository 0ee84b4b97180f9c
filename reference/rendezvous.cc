#include "reference/rendezvous.h"

#include <utility>

namespace tagflow::reference {

Status Rendezvous::Send(const std::string& key, SentToken token) {
  Meeting& meeting = meetings_[key];
  if (meeting.sent) {
    return InvalidArgument("two tokens were sent under the key " + key +
                           "; give each Send its own tensor_name")
        .WithRule("rendezvous.3");
  }
  meeting.sent = true;
  sent_.push_back({key, token.dead});
  meeting.token = std::move(token);
  if (meeting.wanted) Meet(key, meeting);
  return Status();
}

Status Rendezvous::Recv(const std::string& key, Receiver receiver) {
  Meeting& meeting = meetings_[key];
  if (meeting.wanted) {
    return InvalidArgument("two Recvs want the key " + key + "; give each its own tensor_name")
        .WithRule("rendezvous.3");
  }
  meeting.wanted = true;
  meeting.receiver = std::move(receiver);
  if (meeting.sent) Meet(key, meeting);
  return Status();
}

void Rendezvous::Meet(const std::string& key, const Meeting& meeting) {
  if (holds_) {
    deliverable_.insert(key);
  } else {
    meeting.receiver(meeting.token);
  }
}

std::vector<std::string> Rendezvous::WaitingKeys() const {
  std::vector<std::string> keys;
  for (const auto& [key, meeting] : meetings_) {
    if (meeting.wanted && !meeting.sent) keys.push_back(key);
  }
  return keys;
}

void Rendezvous::Deliver(const std::string& key) {
  const Meeting& meeting = meetings_.at(key);
  deliverable_.erase(key);
  meeting.receiver(meeting.token);
}

}  // namespace tagflow::reference
