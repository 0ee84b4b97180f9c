#include "fuzz/partition/placed_session.h"

#include <functional>
#include <string>
#include <utility>

#include "graph/call_checks.h"
#include "graph/validate.h"
#include "transform/partition/join.h"

namespace tagflow::fuzz {
namespace {

// Half of the messages as of tensors that stay in the host's memory, which come as the others do.
void SendSomeFromHosts(Graph& part) {
  for (const NodeId id : part.NodeIds()) {
    Node& node = part.mutable_node(id);
    if (node.op != "_Send" && node.op != "_Recv") continue;
    const Result<std::string> name = StringAttr(node, "tensor_name");
    if (!name.ok() || std::hash<std::string>()(*name) % 2 == 0) continue;
    node.op = "_Host" + node.op.substr(1);
    node.def = part.registry().Find(node.op);
  }
}

// The engine runs what is joined without asking whether it is a valid call.
Status CheckJoined(const Graph& whole, const CallSpec& call, const std::vector<DevicePart>& parts) {
  TAGFLOW_ASSIGN_OR_RETURN(const JoinedCall joined, JoinParts(whole, call, parts));
  return ValidateCall(joined.graph, joined.call).status();
}

}  // namespace

Result<PlacedSession::Call*> PlacedSession::Prepare(const reference::NamedTensors& feeds,
                                                    const std::vector<std::string>& fetches,
                                                    const std::vector<std::string>& targets) {
  std::vector<std::string> names;
  for (const auto& [name, value] : feeds) names.push_back(name);
  std::unique_ptr<Call>& known = calls_[{names, fetches, targets}];
  if (known != nullptr) return known.get();
  TAGFLOW_ASSIGN_OR_RETURN(const CallSpec call, ResolveCall(graph_, names, fetches, targets));
  auto made = std::make_unique<Call>();
  made->spec = call;
  TAGFLOW_ASSIGN_OR_RETURN(made->parts, PartitionCall(graph_, call, placement_, options_));
  if (options_.fault == PartitionFault::kNone) {
    TAGFLOW_RETURN_IF_ERROR(CheckJoined(graph_, call, made->parts));
  }
  std::vector<const Graph*> graphs;
  for (DevicePart& part : made->parts) {
    SendSomeFromHosts(part.graph);
    graphs.push_back(&part.graph);
  }
  made->session = std::make_unique<reference::PartitionedSession>(graphs, &resources_, rules_);
  known = std::move(made);
  return known.get();
}

Result<std::vector<Tensor>> PlacedSession::Run(const reference::NamedTensors& feeds,
                                               const std::vector<std::string>& fetches,
                                               const std::vector<std::string>& targets,
                                               const reference::RunOptions& options,
                                               const reference::Delivery& delivery) {
  TAGFLOW_ASSIGN_OR_RETURN(Call* const call, Prepare(feeds, fetches, targets));
  last_ = call;
  // Of the whole graph: a part has no PlaceholderWithDefault that is fed, so it cannot check it.
  for (size_t i = 0; i < feeds.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(
        CheckFeed(graph_, call->spec.feeds[i], feeds[i].first, feeds[i].second));
  }
  return call->session->Run(feeds, fetches, targets, options, delivery);
}

Placement PlacementOf(const Graph& graph, const std::vector<std::string>& devices,
                      const std::map<std::string, std::string>& device_of) {
  Placement placement{devices, std::vector<std::string>(graph.id_limit(), devices[0])};
  for (const auto& [name, device] : device_of) {
    placement.device_of[Index(graph.Find(name))] = device;
  }
  return placement;
}

}  // namespace tagflow::fuzz
