#ifndef TAGFLOW_OPTIMIZED_EXPLAIN_H_
#define TAGFLOW_OPTIMIZED_EXPLAIN_H_

// Why a fetched tensor is dead: which Switch sent its value the other way, and by what path its
// deadness came. Executors record nothing for that while a step runs: what is left when it is over
// tells which instances of the root frame were dead and which output every Switch chose, and the
// way is followed back through that, by the first dead input of each node, data before control. A
// Merge is dead because all its inputs are; where these are dead for several reasons, each is told.
//
// A frame is gone by then. A frame of which an Enter is dead has one iteration, in which deadness
// follows from the graph, and is followed through; an Exit that was dead in every iteration of a
// loop that ran is where the explanation ends.                                   Spec: [fetch.1]
//
// Cost: linear in the graph, and in a failed step alone.   Tested by explain_test.cc.

#include <cstdint>
#include <optional>
#include <string>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow::optimized {

// What a step that is over left in the root frame.
class RootDeaths {
 public:
  virtual ~RootDeaths() = default;
  // Whether the node's instance was dead. REQUIRES: a needed node of the root frame
  virtual bool Died(NodeId node) const = 0;
  // The output that has the value, of a Switch or Recv that fired live (of a Recv, no output where
  // it received a dead token); nothing of any other node. REQUIRES: as Died
  virtual std::optional<uint32_t> Way(NodeId node) const = 0;
  // Of a Recv of any frame, the Send in the same step that tells it; kNone. REQUIRES: a needed node
  virtual NodeId SendTo(NodeId) const { return NodeId::kNone; }
};

// ": Switch 's' sent its value the other way (predicate true); path: s -> a -> b", and which Merge
// to fetch instead, where one joins the branches.
// REQUIRES: the call is valid, and `fetch`, of the root frame, was dead
std::string ExplainDeath(const Graph& graph, const CallSpec& call, const RootDeaths& deaths,
                         OutputRef fetch);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_EXPLAIN_H_
