#include "optimized/spread.h"

#include <algorithm>
#include <utility>

#include "graph/device_name.h"
#include "graph/feed_set.h"
#include "transform/partition/partition.h"
#include "transform/placement/place.h"
#include "transform/placement/placement.h"

namespace tagflow::optimized {
namespace {

// What the call does not run asks for nothing ([graph.4]); a fed placeholder is its feed.
Graph WithoutIdleWishes(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                        const std::vector<std::string>& devices) {
  Graph asking = graph.Clone();
  const FeedSet fed(graph, call.feeds);
  for (const NodeId id : asking.NodeIds()) {
    Node& node = asking.mutable_node(id);
    if (node.device.empty()) continue;
    const bool is_idle = !valid.needed[Index(id)] || fed.IsFedPlaceholder(node);
    if (is_idle && !CheckDeviceIsThere(node.device, devices).ok()) node.device.clear();
  }
  return asking;
}

bool IsOnOneHostDevice(const Placement& placement, const ValidatedCall& valid,
                       const Devices& devices) {
  const std::string* first = nullptr;
  for (size_t i = 0; i < valid.needed.size(); ++i) {
    if (!valid.needed[i]) continue;
    if (first == nullptr) first = &placement.device_of[i];
    if (placement.device_of[i] != *first) return false;
  }
  return first == nullptr || devices.IsHost(devices.Find(*first));
}

Result<Placement> PlacementOf(const Graph& graph, const CallSpec& call, const Devices& devices,
                              const KernelRegistry& kernels, const SpreadOptions& options) {
  if (options.placement == PlacementChoice::kAsAsked) return PlaceAsAsked(graph, devices.names());
  TAGFLOW_ASSIGN_OR_RETURN(const DeviceCatalog catalog, devices.Catalog(kernels));
  PlacementOptions by_cost;
  by_cost.soft = options.soft;
  by_cost.call = call;
  TAGFLOW_ASSIGN_OR_RETURN(PlacementReport report, Place(graph, catalog, by_cost));
  return std::move(report.placement);
}

}  // namespace

Result<std::optional<JoinedCall>> Spread(const Graph& graph, const CallSpec& call,
                                         const ValidatedCall& valid, const Devices& devices,
                                         const KernelRegistry& kernels,
                                         const SpreadOptions& options) {
  const Graph asking = WithoutIdleWishes(graph, call, valid, devices.names());
  TAGFLOW_ASSIGN_OR_RETURN(const Placement placement,
                           PlacementOf(asking, call, devices, kernels, options));
  if (IsOnOneHostDevice(placement, valid, devices)) return std::optional<JoinedCall>();
  TAGFLOW_ASSIGN_OR_RETURN(
      const std::vector<DevicePart> parts,
      PartitionCall(asking, call, placement, {.compresses_floats = options.compresses_floats}));
  TAGFLOW_ASSIGN_OR_RETURN(JoinedCall joined, JoinParts(asking, call, parts));
  return std::optional<JoinedCall>(std::move(joined));
}

}  // namespace tagflow::optimized
