#include "transform/simplify/prune.h"

#include <algorithm>
#include <utility>

namespace tagflow {
namespace {

class Pruner {
 public:
  Pruner(const Graph& graph, const CallSpec& call, const std::vector<bool>& needed)
      : from_(graph), call_(call), needed_(needed), kept_(needed) {}

  CallGraph Run() && {
    for (const OutputRef& feed : call_.feeds) kept_[Index(feed.node)] = true;
    for (const OutputRef& fetch : call_.fetches) kept_[Index(fetch.node)] = true;
    ForEachNeeded([&](const Node& node) {
      for (const OutputRef& input : node.inputs) kept_[Index(input.node)] = true;
    });
    CopyNodes();
    ForEachNeeded([&](const Node& node) { CopyEdges(node); });
    return {std::move(to_), NewCall()};
  }

 private:
  template <typename F>
  void ForEachNeeded(F&& use) {
    for (size_t i = 0; i < needed_.size(); ++i) {
      if (needed_[i]) use(from_.node(NodeId{static_cast<int32_t>(i)}));
    }
  }

  void CopyNodes() {
    to_.versions = from_.versions;
    to_.library = from_.library;
    to_.Reserve(static_cast<size_t>(std::ranges::count(kept_, true)));
    new_id_.assign(kept_.size(), NodeId::kNone);
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (!kept_[i]) continue;
      const Node& node = from_.node(NodeId{static_cast<int32_t>(i)});
      new_id_[i] = *to_.AddNode(node.name, node.op);
      Node& copy = to_.mutable_node(new_id_[i]);
      copy.device = node.device;
      copy.def = node.def;  // also one that no registry has
      copy.attrs = node.attrs;
      copy.unknown_fields = node.unknown_fields;
    }
  }

  void CopyEdges(const Node& node) {
    Node& copy = to_.mutable_node(NewId(node.id));
    copy.inputs.reserve(node.inputs.size());
    for (const OutputRef& input : node.inputs) copy.inputs.push_back(New(input));
    // A fed placeholder waits for nothing, and what it would wait for may not be there.
    for (const NodeId control : node.control_inputs) {
      if (kept_[Index(control)]) copy.control_inputs.push_back(NewId(control));
    }
  }

  NodeId NewId(NodeId id) const { return new_id_[Index(id)]; }
  OutputRef New(OutputRef output) const { return {NewId(output.node), output.index}; }

  CallSpec NewCall() const {
    CallSpec call;
    for (const OutputRef& feed : call_.feeds) call.feeds.push_back(New(feed));
    for (const OutputRef& fetch : call_.fetches) call.fetches.push_back(New(fetch));
    for (const NodeId target : call_.targets) call.targets.push_back(NewId(target));
    return call;
  }

  const Graph& from_;
  const CallSpec& call_;
  const std::vector<bool>& needed_;
  std::vector<bool> kept_;
  Graph to_{from_.registry()};
  std::vector<NodeId> new_id_;  // by id in the old graph
};

}  // namespace

CallGraph Prune(const Graph& graph, const CallSpec& call, const std::vector<bool>& needed) {
  return Pruner(graph, call, needed).Run();
}

}  // namespace tagflow
