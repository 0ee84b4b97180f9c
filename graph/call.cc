#include "graph/call.h"

#include <unordered_map>
#include <utility>

#include "graph/feed_set.h"
#include "graph/hash.h"
#include "graph/near_names.h"

namespace tagflow {
namespace {

// The status with "feed 'x': " and the like before its message.
Status Prefixed(std::string_view role, std::string_view name, const Status& status) {
  return Status(status.code(),
                std::string(role) + " '" + std::string(name) + "': " + status.message())
      .WithRule(status.rule())
      .WithNode(status.node());
}

Status ResolveOutputs(const Graph& graph, std::string_view role,
                      const std::vector<std::string>& names, std::vector<OutputRef>& outputs) {
  for (const std::string& name : names) {
    const Result<OutputRef> output = FindOutput(graph, name);
    if (!output.ok()) return Prefixed(role, name, output.status());
    outputs.push_back(*output);
  }
  return Status();
}

Result<NodeId> ResolveTarget(const Graph& graph, const std::string& name) {
  if (const NodeId id = graph.Find(name); id != NodeId::kNone) return id;
  const Result<TensorName> parsed = ParseTensorName(name);
  if (parsed.ok() && parsed->node != name && graph.Find(parsed->node) != NodeId::kNone) {
    return InvalidArgument("target '" + name + "': a target is a node, write '" +
                           std::string(parsed->node) + "'");
  }
  return Prefixed("target", name, NoSuchNode(graph, name));
}

Status CheckFedOnce(const Graph& graph, const std::vector<std::string>& names,
                    const std::vector<OutputRef>& feeds) {
  std::unordered_map<std::pair<NodeId, int32_t>, size_t, TupleHash> first;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const auto [place, is_new] = first.try_emplace({feeds[i].node, feeds[i].index}, i);
    if (is_new) continue;
    return InvalidArgument("'" + OutputName(graph, feeds[i]) + "' is fed twice, as '" +
                           names[place->second] + "' and as '" + names[i] + "': give it one value")
        .WithNode(graph.node(feeds[i].node).name);
  }
  return Status();
}

// Goes through the nodes once, from the last to the first, since most inputs come before their
// node: in the order of memory, where a search along the edges of a large graph misses the cache at
// each. Only what is needed by a node before it is visited out of turn.
class NeededSearch {
 public:
  NeededSearch(const Graph& graph, const CallSpec& call)
      : graph_(graph), call_(call), fed_(graph, call.feeds), needed_(graph.id_limit()) {}

  std::vector<bool> Run() && {
    for (const OutputRef& fetch : call_.fetches) NeedOutput(fetch);
    for (const NodeId target : call_.targets) Need(target);
    while (next_ > 0) {
      const size_t id = --next_;
      if (needed_[id]) NeedInputs(static_cast<NodeId>(id));
      while (!passed_.empty()) {
        const NodeId passed = passed_.back();
        passed_.pop_back();
        NeedInputs(passed);
      }
    }
    return std::move(needed_);
  }

 private:
  void NeedInputs(NodeId id) {
    const Node& node = graph_.node(id);
    if (fed_.IsFedPlaceholder(node)) return;
    for (const OutputRef& input : node.inputs) NeedOutput(input);
    for (const NodeId control : node.control_inputs) Need(control);
  }
  void NeedOutput(OutputRef output) {
    if (!fed_.Contains(output)) Need(output.node);
  }
  void Need(NodeId id) {
    // A dangling input is ValidateCall's to report.
    if (Index(id) >= needed_.size() || needed_[Index(id)]) return;
    needed_[Index(id)] = true;
    if (Index(id) >= next_) passed_.push_back(id);
  }

  const Graph& graph_;
  const CallSpec& call_;
  const FeedSet fed_;
  std::vector<bool> needed_;
  size_t next_ = needed_.size();  // ids from here on have had their turn
  std::vector<NodeId> passed_;    // those of them whose inputs are still to be visited
};

}  // namespace

Result<CallSpec> ResolveCall(const Graph& graph, const std::vector<std::string>& feeds,
                             const std::vector<std::string>& fetches,
                             const std::vector<std::string>& targets) {
  CallSpec call;
  TAGFLOW_RETURN_IF_ERROR(ResolveOutputs(graph, "feed", feeds, call.feeds));
  TAGFLOW_RETURN_IF_ERROR(CheckFedOnce(graph, feeds, call.feeds));
  TAGFLOW_RETURN_IF_ERROR(ResolveOutputs(graph, "fetch", fetches, call.fetches));
  for (const std::string& name : targets) {
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId id, ResolveTarget(graph, name));
    call.targets.push_back(id);
  }
  return call;
}

bool IsPlaceholderOp(const Node& node) {
  return node.op == "Placeholder" || node.op == "PlaceholderV2" ||
         node.op == "PlaceholderWithDefault";
}

std::vector<bool> AllNodes(const Graph& graph) {
  std::vector<bool> all(graph.id_limit());
  for (NodeId id : graph.NodeIds()) all[Index(id)] = true;
  return all;
}

std::vector<bool> NeededNodes(const Graph& graph, const CallSpec& call) {
  return NeededSearch(graph, call).Run();
}

}  // namespace tagflow
