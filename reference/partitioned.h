#ifndef TAGFLOW_REFERENCE_PARTITIONED_H_
#define TAGFLOW_REFERENCE_PARTITIONED_H_

// A partitioned graph on the reference: one interpreter per partition, joined by a rendezvous.
// Shows whether Sends and Recvs meet, live and dead, without any engine. Spec: [rendezvous.*]

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reference/rendezvous.h"
#include "reference/session.h"

namespace tagflow::reference {

struct MessageCounts {
  int64_t all = 0;
  int64_t dead = 0;
};

// Which message arrives next, of those that were sent and that a Recv waits for: an index below
// keys.size(). Asked when no partition can do anything before one arrives.
using Delivery = std::function<size_t(const std::vector<std::string>& keys)>;

class PartitionedSession {
 public:
  // partitions: graphs whose node names are all different, with _Send/_Recv where they meet.
  // resources: of the step, and of steps of other sessions; null: its own.
  // All of them, and the rules, must outlive the session.
  explicit PartitionedSession(std::vector<const Graph*> partitions, Resources* resources = nullptr,
                              const Rules& rules = StandardRules());
  ~PartitionedSession();

  // As Session::Run. Every _Send runs, whatever is fetched. `seed` chooses whose turn it is and,
  // within a partition, the order of ready nodes. Without `delivery` messages arrive as they are
  // sent.
  Result<std::vector<Tensor>> Run(const NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {},
                                  const RunOptions& options = {},
                                  const Delivery& delivery = nullptr);

  // Of the last run: how many messages, and which, in the order they were sent.
  MessageCounts messages() const;
  const std::vector<Message>& sent() const { return sent_; }

 private:
  struct Part;
  using Parts = std::vector<Part>;

  Result<const Parts*> Prepare(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                               const std::vector<std::string>& targets);
  Result<std::vector<Tensor>> RunParts(const Parts& parts, const NamedTensors& feeds,
                                       const RunOptions& options, const Delivery& delivery);

  const std::vector<const Graph*> partitions_;
  Resources own_resources_;
  Resources& resources_;
  const Rules& rules_;
  std::map<std::string, std::unique_ptr<Parts>> calls_;  // by the names of the call
  std::vector<Message> sent_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_PARTITIONED_H_
