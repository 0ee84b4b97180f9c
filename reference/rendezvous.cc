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
  if (meeting.wanted && !holds_) meeting.receiver(meeting.token);
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
  if (meeting.sent && !holds_) meeting.receiver(meeting.token);
  return Status();
}

std::vector<std::string> Rendezvous::WaitingKeys() const {
  std::vector<std::string> keys;
  for (const auto& [key, meeting] : meetings_) {
    if (meeting.wanted && !meeting.sent) keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> Rendezvous::Deliverable() const {
  std::vector<std::string> keys;
  for (const auto& [key, meeting] : meetings_) {
    if (meeting.sent && meeting.wanted && !meeting.delivered) keys.push_back(key);
  }
  return keys;
}

void Rendezvous::Deliver(const std::string& key) {
  Meeting& meeting = meetings_.at(key);
  meeting.delivered = true;
  meeting.receiver(meeting.token);
}

}  // namespace tagflow::reference
