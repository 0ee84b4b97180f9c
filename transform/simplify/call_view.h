#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_CALL_VIEW_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_CALL_VIEW_H_

// What the passes ask of the nodes that a call needs: a few bits for each, found once, so that a
// pass that looks at an edge does not look at the node behind it.
//
// Thread safety: none. Cost: linear in the needed nodes.
// Tested by simplify_test.cc.

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/call.h"
#include "graph/feed_set.h"
#include "graph/graph.h"

namespace tagflow {

enum Trait : uint16_t {
  // An ordinary op whose outputs are a function of its inputs and attrs: no state, reference,
  // resource, message or random number. It may be computed once for many, or before it is asked
  // for.
  kPure = 1 << 0,
  kForwards = 1 << 1,  // Identity and its like: its output is its input
  kConst = 1 << 2,
  kConstantEnter = 1 << 3,
  kFrameEdge = 1 << 4,  // an Enter that is not constant, or a NextIteration
  kMerge = 1 << 5,      // Merge, not RefMerge; the same of what follows
  kSwitch = 1 << 6,
  kReference = 1 << 7,  // an output of it is a reference
  // Of the call.
  kFed = 1 << 8,  // an output of it is fed
  kFetched = 1 << 9,
  kTarget = 1 << 10,
  kNeeded = 1 << 11,
  kRoot = kFed | kFetched | kTarget,
};

// The bits of an op; 0 for one that nobody defined.
uint16_t TraitsOf(const OpDef* def);

class CallView {
 public:
  CallView(const Graph& graph, const CallSpec& call);
  // With the nodes that the call is known to need.
  CallView(const Graph& graph, const CallSpec& call, const std::vector<bool>& needed);

  const Graph& graph() const { return graph_; }
  const FeedSet& fed() const { return fed_; }
  const std::vector<NodeId>& needed() const { return needed_; }  // ascending
  // The bits of a node; none but those of the call where it is not needed, or a placeholder's feed
  // stands in for it.
  uint16_t traits(NodeId id) const {
    return Index(id) < traits_.size() ? traits_[Index(id)] : uint16_t{0};
  }
  bool Has(NodeId id, uint16_t any_of) const { return (traits(id) & any_of) != 0; }
  bool IsFed(OutputRef output) const { return Has(output.node, kFed) && fed_.Contains(output); }
  // A reference, which means something else whenever it is read.
  bool IsReference(OutputRef output) const {
    return Has(output.node, kReference) && !IsFed(output);
  }
  bool TakesReference(const Node& node) const;

  // The value of an output that has the same one wherever it is live: of a Const, handed on by
  // constant Enters and Identities; else null.
  const Tensor* ConstantOf(OutputRef output) const;
  // The node was changed: its bits are found again.
  void Update(NodeId id);

 private:
  const Graph& graph_;
  const FeedSet fed_;
  std::vector<NodeId> needed_;
  std::vector<uint16_t> traits_;  // by node id
};

// Makes the node one of another op; that its inputs and attrs fit is the caller's business.
void BecomeOp(Graph& graph, NodeId id, std::string_view op);

// The value of a Const, where it has one of its dtype.
const Tensor* ConstValue(const Node& node);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_CALL_VIEW_H_
