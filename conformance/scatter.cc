#include "conformance/scatter.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "graph/device_catalog.h"
#include "optimized/devices/devices.h"
#include "transform/placement/colocation.h"
#include "transform/placement/kernel_dtype.h"

namespace tagflow::conformance {
namespace {

using Group = std::vector<NodeId>;  // nodes that must be together

// Whether none of them asks for a device, and that one can run them all.
bool MayBeOn(const Graph& graph, const Group& group, size_t device, const DeviceCatalog& catalog) {
  return std::ranges::all_of(group, [&](NodeId id) {
    const Node& node = graph.node(id);
    return node.device.empty() && DevicesFor(node, catalog)[device];
  });
}

}  // namespace

Status Scatter(Graph& graph, const optimized::SessionOptions& session, uint64_t seed) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto devices,
                           optimized::Devices::Create(session.devices, session.device_kinds));
  TAGFLOW_ASSIGN_OR_RETURN(const DeviceCatalog catalog, devices->Catalog(*session.kernels));
  const std::vector<NodeId> least_of = Colocated(graph);
  std::map<NodeId, Group> groups;
  for (const NodeId id : graph.NodeIds()) groups[least_of[Index(id)]].push_back(id);
  std::mt19937_64 random(seed);
  for (const auto& [least, group] : groups) {
    const size_t device = random() % session.devices.size();
    if (!MayBeOn(graph, group, device, catalog)) continue;
    for (const NodeId id : group) graph.mutable_node(id).device = session.devices[device];
  }
  return Status();
}

}  // namespace tagflow::conformance
