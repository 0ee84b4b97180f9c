#include "optimized/spread.h"

#include <algorithm>
#include <optional>
#include <string>
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

Result<Placement> PlacementOf(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                              const Devices& devices, const KernelRegistry& kernels,
                              const SpreadOptions& options) {
  const bool is_as_asked = options.placement == PlacementChoice::kAsAsked;
  if (is_as_asked && devices.RunAllKernels()) {
    return PlaceAsAsked(graph, devices.names(), options.soft);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const DeviceCatalog catalog, devices.Catalog(kernels));
  if (is_as_asked) return PlaceAsAsked(graph, devices.names(), options.soft, &catalog);
  PlacementOptions by_cost;
  by_cost.soft = options.soft;
  by_cost.call = call;
  by_cost.valid = &valid;
  TAGFLOW_ASSIGN_OR_RETURN(PlacementReport report, Place(graph, catalog, by_cost));
  return std::move(report.placement);
}

double Rate(double ns_per_byte) { return ns_per_byte > 0 ? 1 / ns_per_byte : kNoTime; }

// What the device says that it takes, if it is not the host.
std::optional<DeviceTimes> TimesOf(const Devices& devices, size_t device) {
  if (devices.IsHost(static_cast<int>(device))) return std::nullopt;
  return devices.groups()[devices.GroupOf(static_cast<int>(device))]->times();
}

// What devices take: the host nothing, and those that do not say what the cost model has for their
// kind. A kernel takes time for what it reads, which is about half of what it reads and writes.
CostOptions CostsOf(const Devices& devices) {
  CostOptions costs;
  for (size_t i = 0; i < devices.size(); ++i) {
    const std::string& name = devices.names()[i];
    const bool is_host = devices.IsHost(static_cast<int>(i));
    const std::optional<DeviceTimes> here = TimesOf(devices, i);
    if (is_host) costs.devices[name] = {0, kNoTime, kNoTime};
    if (here) costs.devices[name] = {here->kernel_ns, kNoTime, 2 * Rate(here->kernel_ns_per_byte)};
    for (size_t j = 0; j < devices.size(); ++j) {
      const std::optional<DeviceTimes> link = here ? here : TimesOf(devices, j);
      const auto between = std::pair(name, devices.names()[j]);
      if (is_host && devices.IsHost(static_cast<int>(j))) costs.links[between] = {0, kNoTime};
      if (link) costs.links[between] = {link->transfer_ns, Rate(link->transfer_ns_per_byte)};
    }
  }
  return costs;
}

// Of one kernel that reads so many bytes, on the first device that says.
double KernelNs(const Devices& devices, double bytes) {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (const std::optional<DeviceTimes> times = TimesOf(devices, i)) {
      return times->kernel_ns + times->kernel_ns_per_byte * bytes;
    }
  }
  return 0;
}

std::vector<DeviceInfo> InfosOf(const Devices& devices) {
  std::vector<DeviceInfo> infos;
  for (const std::string& name : devices.names()) infos.push_back({name, name});
  return infos;
}

Result<std::vector<DevicePart>> Cut(const Graph& graph, const CallSpec& call,
                                    const ValidatedCall& valid, const Placement& placement,
                                    const Devices& devices, const SpreadOptions& options) {
  PartitionOptions cutting;
  cutting.compresses_floats = options.compresses_floats;
  if (options.recvs == RecvStart::kAtOnce || devices.AllAreHost()) {
    return PartitionCall(graph, call, valid, placement, cutting);
  }
  const std::vector<DeviceInfo> infos = InfosOf(devices);
  const CostOptions costs = CostsOf(devices);
  const GraphCosts graph_costs(graph, infos, costs);
  cutting.recvs = RecvStart::kLate;
  cutting.times = StepTimesBy(graph_costs, graph);
  if (options.compresses_floats) {  // by two kernels, which read the tensor
    cutting.times.message = [&](OutputRef tensor, int from, int to) {
      const double kernel_ns = KernelNs(devices, graph_costs.BytesOf(tensor));
      return graph_costs.MessageNs(tensor, from, to) + 2 * kernel_ns;
    };
  }
  return PartitionCall(graph, call, valid, placement, cutting);
}

}  // namespace

Result<std::optional<SpreadCall>> Spread(const Graph& graph, const CallSpec& call,
                                         const ValidatedCall& valid, const Devices& devices,
                                         const KernelRegistry& kernels,
                                         const SpreadOptions& options) {
  Graph asking = WithoutIdleWishes(graph, call, valid, devices.names());
  TAGFLOW_ASSIGN_OR_RETURN(const Placement placement,
                           PlacementOf(asking, call, valid, devices, kernels, options));
  if (IsOnOneHostDevice(placement, valid, devices)) return std::optional<SpreadCall>();
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<DevicePart> parts,
                           Cut(asking, call, valid, placement, devices, options));
  TAGFLOW_ASSIGN_OR_RETURN(JoinedCall joined, JoinParts(asking, call, parts));
  for (const NodeId id : asking.NodeIds()) {
    asking.mutable_node(id).device = placement.device_of[Index(id)];
  }
  return std::optional<SpreadCall>({std::move(asking), std::move(joined)});
}

}  // namespace tagflow::optimized
