#include "optimized/spread.h"

#include <algorithm>
#include <utility>

#include "graph/device_name.h"
#include "graph/feed_set.h"
#include "transform/placement/graph_costs.h"
#include "transform/placement/place.h"
#include "transform/placement/placement.h"

namespace tagflow::optimized {
namespace {

constexpr double kNoTime = 1e18;  // a rate by which nothing takes any

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
  if (options.placement == PlacementChoice::kAsAsked) {
    return PlaceAsAsked(graph, devices.names(), options.soft);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const DeviceCatalog catalog, devices.Catalog(kernels));
  PlacementOptions by_cost;
  by_cost.soft = options.soft;
  by_cost.call = call;
  TAGFLOW_ASSIGN_OR_RETURN(PlacementReport report, Place(graph, catalog, by_cost));
  return std::move(report.placement);
}

double Rate(double ns_per_byte) { return ns_per_byte > 0 ? 1 / ns_per_byte : kNoTime; }

// What devices take, of virtual time: the host nothing. A kernel takes time for what it reads,
// which is about half of what it reads and writes.
CostOptions VirtualCosts(const Devices& devices) {
  const SimOptions& sim = devices.options();
  CostOptions costs;
  for (size_t i = 0; i < devices.names().size(); ++i) {
    const std::string& name = devices.names()[i];
    const bool is_host = devices.IsHost(static_cast<int>(i));
    costs.devices[name] = {0, kNoTime, kNoTime};
    if (!is_host) {
      const auto firing_ns = static_cast<double>(sim.kernel_ns);
      costs.devices[name] = {firing_ns, kNoTime, 2 * Rate(sim.kernel_ns_per_byte)};
    }
    for (size_t j = 0; j < devices.names().size(); ++j) {
      LinkSpeed& link = costs.links[{name, devices.names()[j]}];
      link = {0, kNoTime};
      if (is_host && devices.IsHost(static_cast<int>(j))) continue;
      link = {static_cast<double>(sim.transfer_ns), Rate(sim.transfer_ns_per_byte)};
    }
  }
  return costs;
}

std::vector<DeviceInfo> InfosOf(const Devices& devices) {
  std::vector<DeviceInfo> infos;
  for (const std::string& name : devices.names()) infos.push_back({name, name});
  return infos;
}

Result<std::vector<DevicePart>> Cut(const Graph& graph, const CallSpec& call,
                                    const Placement& placement, const Devices& devices,
                                    const SpreadOptions& options) {
  PartitionOptions cutting;
  cutting.compresses_floats = options.compresses_floats;
  if (options.recvs == RecvStart::kAtOnce || devices.AllAreHost()) {
    return PartitionCall(graph, call, placement, cutting);
  }
  const std::vector<DeviceInfo> infos = InfosOf(devices);
  const CostOptions costs = VirtualCosts(devices);
  const GraphCosts graph_costs(graph, infos, costs);
  cutting.recvs = RecvStart::kLate;
  cutting.times = StepTimesBy(graph_costs, graph);
  if (options.compresses_floats) {  // by two kernels, which read the tensor
    const SimOptions& sim = devices.options();
    cutting.times.message = [&](OutputRef tensor, int from, int to) {
      const double kernel_ns =
          static_cast<double>(sim.kernel_ns) + sim.kernel_ns_per_byte * graph_costs.BytesOf(tensor);
      return graph_costs.MessageNs(tensor, from, to) + 2 * kernel_ns;
    };
  }
  return PartitionCall(graph, call, placement, cutting);
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
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<DevicePart> parts,
                           Cut(asking, call, placement, devices, options));
  TAGFLOW_ASSIGN_OR_RETURN(JoinedCall joined, JoinParts(asking, call, parts));
  return std::optional<JoinedCall>(std::move(joined));
}

}  // namespace tagflow::optimized
