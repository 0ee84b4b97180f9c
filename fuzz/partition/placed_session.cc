#include "fuzz/partition/placed_session.h"

#include <utility>

namespace tagflow::fuzz {

Result<PlacedSession::Call*> PlacedSession::Prepare(const reference::NamedTensors& feeds,
                                                    const std::vector<std::string>& fetches,
                                                    const std::vector<std::string>& targets) {
  std::vector<std::string> names;
  for (const auto& [name, value] : feeds) names.push_back(name);
  std::unique_ptr<Call>& known = calls_[{names, fetches, targets}];
  if (known != nullptr) return known.get();
  TAGFLOW_ASSIGN_OR_RETURN(const CallSpec call, ResolveCall(graph_, names, fetches, targets));
  auto made = std::make_unique<Call>();
  TAGFLOW_ASSIGN_OR_RETURN(made->parts, PartitionCall(graph_, call, placement_, options_));
  std::vector<const Graph*> graphs;
  for (const DevicePart& part : made->parts) graphs.push_back(&part.graph);
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
