#include "transform/partition/join.h"

#include <utility>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

class Joiner {
 public:
  explicit Joiner(const Graph& whole) : joined_{Graph(whole.registry()), {}, {}} {
    joined_.graph.versions = whole.versions;
    joined_.graph.library = whole.library;
  }

  Status Add(const DevicePart& part) {
    const Graph& from = part.graph;
    std::vector<NodeId> ids(from.id_limit(), NodeId::kNone);
    for (const NodeId id : from.NodeIds()) {
      const Node& node = from.node(id);
      TAGFLOW_ASSIGN_OR_RETURN(ids[Index(id)], joined_.graph.AddNode(node.name, node.op));
      TAGFLOW_RETURN_IF_ERROR(Describe(node, part.device, ids[Index(id)]));
    }
    for (const NodeId id : from.NodeIds()) {
      Node& copy = joined_.graph.mutable_node(ids[Index(id)]);
      for (const OutputRef input : from.node(id).inputs) {
        copy.inputs.push_back({ids[Index(input.node)], input.index});
      }
      for (const NodeId control : from.node(id).control_inputs) {
        copy.control_inputs.push_back(ids[Index(control)]);
      }
    }
    return Status();
  }

  Result<JoinedCall> Take(const Graph& whole, const CallSpec& call) && {
    for (const OutputRef feed : call.feeds) {
      TAGFLOW_ASSIGN_OR_RETURN(const OutputRef fed, FedHere(whole, feed));
      joined_.call.feeds.push_back(fed);
    }
    for (const OutputRef fetch : call.fetches) {
      joined_.call.fetches.push_back({Here(whole, fetch.node), fetch.index});
    }
    for (const NodeId target : call.targets) {
      joined_.call.targets.push_back(Here(whole, target));
    }
    for (const NodeId id : joined_.graph.NodeIds()) {
      if (joined_.graph.node(id).op == "_Send") joined_.call.targets.push_back(id);
    }
    return std::move(joined_);
  }

 private:
  NodeId Here(const Graph& whole, NodeId id) const {
    return joined_.graph.Find(whole.node(id).name);
  }

  // An Enter that is fed and that nobody takes is on no device. Its value goes nowhere, and has its
  // place among the feeds.
  Result<OutputRef> FedHere(const Graph& whole, OutputRef feed) {
    const Node& node = whole.node(feed.node);
    const NodeId here = Here(whole, feed.node);
    if (here != NodeId::kNone) return OutputRef{here, feed.index};
    TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(node));
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId id, joined_.graph.AddNode(node.name, "Placeholder"));
    joined_.graph.SetAttr(id, "dtype", signature.outputs[static_cast<size_t>(feed.index)].dtype);
    return OutputRef{id, 0};
  }

  Status Describe(const Node& node, const std::string& device, NodeId id) {
    Node& copy = joined_.graph.mutable_node(id);
    copy.device = device;
    copy.def = node.def;  // also one that no registry has
    copy.attrs = node.attrs;
    copy.unknown_fields = node.unknown_fields;
    if (!IsEnter(node)) return Status();
    TAGFLOW_ASSIGN_OR_RETURN(const std::string frame, StringAttr(node, "frame_name"));
    const std::string name = frame + "@" + device;
    joined_.graph.SetAttr(id, "frame_name", name);
    joined_.frame_names.emplace(name, frame);
    return Status();
  }

  JoinedCall joined_;
};

}  // namespace

Result<JoinedCall> JoinParts(const Graph& whole, const CallSpec& call,
                             const std::vector<DevicePart>& parts) {
  Joiner joiner(whole);
  for (const DevicePart& part : parts) TAGFLOW_RETURN_IF_ERROR(joiner.Add(part));
  return std::move(joiner).Take(whole, call);
}

}  // namespace tagflow
