#ifndef TAGFLOW_REFERENCE_PARTITIONED_H_
#define TAGFLOW_REFERENCE_PARTITIONED_H_

// A partitioned graph on the reference: one interpreter per partition, joined by a rendezvous.
// Shows whether Sends and Recvs meet, live and dead, without any engine. Spec: [rendezvous.*]

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reference/session.h"

namespace tagflow::reference {

struct MessageCounts {
  int64_t all = 0;
  int64_t dead = 0;
};

class PartitionedSession {
 public:
  // partitions: graphs whose node names are all different, with _Send/_Recv where they meet. They
  // must outlive the session.
  explicit PartitionedSession(std::vector<const Graph*> partitions)
      : partitions_(std::move(partitions)) {}

  // As Session::Run. Every _Send runs, whatever is fetched. `seed` chooses whose turn it is and,
  // within a partition, the order of ready nodes.
  Result<std::vector<Tensor>> Run(const NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {},
                                  const RunOptions& options = {});

  MessageCounts messages() const { return messages_; }  // of the last run

 private:
  std::vector<const Graph*> partitions_;
  Resources resources_;
  MessageCounts messages_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_PARTITIONED_H_
