#ifndef TAGFLOW_OPTIMIZED_RENDEZVOUS_LOCAL_RENDEZVOUS_H_
#define TAGFLOW_OPTIMIZED_RENDEZVOUS_LOCAL_RENDEZVOUS_H_

// A rendezvous in the memory of one process, which can be told to be a bad one: messages that were
// sent come late, in any order, some not at all, or nobody answers any more after a while. What it
// does comes from a seed.
//
// Of one step at a time. Thread safety: any thread; nothing is called with the lock held.
// Tested by local_rendezvous_test.cc.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <vector>

#include "optimized/rendezvous/rendezvous.h"

namespace tagflow::optimized {

struct RendezvousFaults {
  // Messages are held back, and come one by one, in an order drawn from the seed, when the step has
  // nothing else to do.
  bool holds_back = false;
  uint64_t seed = 0;
  int64_t fails_at = 0;       // the Send that fails, counted from 1; 0: none
  int64_t disappears_at = 0;  // the Send from which on nothing arrives any more; 0: none
};

class LocalRendezvous : public Rendezvous {
 public:
  explicit LocalRendezvous(const RendezvousFaults& faults = {})
      : faults_(faults), random_(faults.seed) {}

  Status Send(const RendezvousKey& key, Token token) override;
  void Recv(const RendezvousKey& key, Received received) override;
  void Abort(const Status& error) override;
  bool Await() override;

  int64_t sent() const;

 private:
  // A message and who wants it, whichever came first.
  struct Meeting {
    std::optional<Token> token;
    Received received;
    bool is_sent = false;
    bool is_asked = false;
  };

  Status Second(const char* what, const RendezvousKey& key) const;
  bool IsLost() const { return faults_.disappears_at > 0 && sent_ >= faults_.disappears_at; }

  const RendezvousFaults faults_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::mt19937_64 random_;
  Status aborted_;  // not OK: with what
  int64_t sent_ = 0;
  std::map<RendezvousKey, Meeting> meetings_;
  std::vector<RendezvousKey> held_;  // sent and asked for, and not arrived
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_RENDEZVOUS_LOCAL_RENDEZVOUS_H_
