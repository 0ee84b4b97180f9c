#include "optimized/rendezvous/local_rendezvous.h"

#include <string>
#include <utility>

namespace tagflow::optimized {

Status LocalRendezvous::Second(const char* what, const RendezvousKey& key) const {
  return InvalidArgument(what + (" the key " + ToString(key)) +
                         ": give each a tensor_name of its own")
      .WithRule("rendezvous.3");
}

Status LocalRendezvous::Send(const RendezvousKey& key, Token token) {
  Received received;
  {
    std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return aborted_;
    if (++sent_ == faults_.fails_at) {
      return Status(Code::kUnavailable, "the transfer of the key " + ToString(key) + " failed");
    }
    Meeting& meeting = meetings_[key];
    if (std::exchange(meeting.is_sent, true)) return Second("two tokens were sent under", key);
    if (IsLost()) return Status();  // on its way for ever
    meeting.token = std::move(token);
    if (!meeting.is_asked) return Status();
    if (faults_.holds_back) {
      held_.push_back(key);
      return Status();
    }
    received = std::exchange(meeting.received, nullptr);
    token = *std::exchange(meeting.token, std::nullopt);
  }
  received(std::move(token));
  return Status();
}

void LocalRendezvous::Recv(const RendezvousKey& key, Received received) {
  std::optional<Result<Token>> token;
  {
    std::lock_guard lock(mutex_);
    Meeting& meeting = meetings_[key];
    if (!aborted_.ok()) {
      token = aborted_;
    } else if (std::exchange(meeting.is_asked, true)) {
      token = Second("two Recvs want", key);
    } else if (meeting.token.has_value() && !faults_.holds_back) {
      token = *std::exchange(meeting.token, std::nullopt);
    } else {
      if (meeting.token.has_value()) held_.push_back(key);
      meeting.received = std::move(received);
      return;
    }
  }
  received(*std::move(token));
}

void LocalRendezvous::Abort(const Status& error) {
  std::vector<Received> waiting;
  {
    std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = error;
    for (auto& [key, meeting] : meetings_) {
      if (meeting.received) waiting.push_back(std::exchange(meeting.received, nullptr));
    }
    held_.clear();
  }
  for (const Received& received : waiting) received(error);
}

bool LocalRendezvous::Await() {
  Received received;
  std::optional<Token> token;
  {
    std::lock_guard lock(mutex_);
    if (!held_.empty()) {
      std::swap(held_[random_() % held_.size()], held_.back());
      Meeting& meeting = meetings_[held_.back()];
      held_.pop_back();
      received = std::exchange(meeting.received, nullptr);
      token = std::exchange(meeting.token, std::nullopt);
    } else if (!IsLost() || !aborted_.ok()) {
      return false;
    }
  }
  if (received) {
    received(*std::move(token));
    return true;
  }
  Abort(Status(Code::kUnavailable, "the peer has disappeared: nothing arrives from it any more"));
  return true;
}

int64_t LocalRendezvous::sent() const {
  std::lock_guard lock(mutex_);
  return sent_;
}

}  // namespace tagflow::optimized
