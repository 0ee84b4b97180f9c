#ifndef TAGFLOW_FUZZ_PARTITION_EXPECTED_MESSAGES_H_
#define TAGFLOW_FUZZ_PARTITION_EXPECTED_MESSAGES_H_

// Which messages a placed graph must send, told from a run of the whole graph: a token of each
// tensor that a consumer elsewhere takes, and the predicates of loops that several devices take
// part in. Knows nothing of how graphs are partitioned. Spec: [partition.1]-[partition.3]
//
// Not for graphs that keep state in a loop of one NextIteration ([partition.5]).
// Tested by expected_messages_test.cc.

#include <set>
#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/validate.h"
#include "reference/history.h"
#include "reference/rendezvous.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

class ExpectedMessages {
 public:
  // REQUIRES: the call is valid; its feeds are placeholders. The graph outlives this.
  ExpectedMessages(const Graph& graph, const CallSpec& call, const Placement& placement);

  // As text, a line for each message in order of its key: the key, and "dead" where it is. events:
  // of a run of the whole graph, without those of fed nodes.
  std::string After(const std::vector<reference::TraceEvent>& events) const;

 private:
  // A tensor, or a control edge (index kControl), and where it has to go.
  struct Cut {
    OutputRef tensor;
    std::string destination;
    friend auto operator<=>(const Cut&, const Cut&) = default;
  };
  std::set<std::string> PlacesOf(NodeId id) const;
  void AddCut(OutputRef tensor, NodeId consumer);
  void AddPredicates();
  const std::string& DeviceOf(NodeId id) const { return placement_.device_of[Index(id)]; }

  const Graph& graph_;
  const Placement& placement_;
  const std::vector<OutputRef> feeds_;
  ValidatedCall valid_;
  std::vector<std::vector<NodeId>> consumers_;  // by node id
  std::set<Cut> cuts_;
};

// The same of what was sent.
std::string TextOf(const std::vector<reference::Message>& sent);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_EXPECTED_MESSAGES_H_
