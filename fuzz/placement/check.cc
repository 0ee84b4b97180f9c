#include "fuzz/placement/check.h"

#include <algorithm>
#include <vector>

#include "graph/device_name.h"
#include "transform/placement/colocation.h"
#include "transform/placement/kernel_dtype.h"

namespace tagflow::fuzz {
namespace {

using Problem = std::optional<std::string>;

class Checker {
 public:
  Checker(const PlacementQuestion& question, const PlacementReport& report)
      : question_(question), graph_(question.graph), report_(report) {
    const std::optional<CallSpec>& call = question.options.call;
    needed_ = call ? NeededNodes(graph_, *call) : std::vector<bool>(graph_.id_limit(), true);
  }

  Problem Check() const {
    const std::vector<NodeId> groups = Colocated(graph_);
    for (const NodeId id : graph_.NodeIds()) {
      const Node& node = graph_.node(id);
      Problem problem = CheckDevice(node);
      if (!problem && DeviceOf(id) != DeviceOf(groups[Index(id)])) {
        problem = "is not with '" + graph_.node(groups[Index(id)]).name + "'";
      }
      if (!problem) problem = CheckRequest(node);
      if (problem) return "node '" + node.name + "' on '" + DeviceOf(id) + "' " + *problem;
    }
    if (Problem problem = CheckParts()) return problem;
    if (Problem problem = CheckEstimates()) return problem;
    return CheckAgain();
  }

 private:
  const std::string& DeviceOf(NodeId id) const { return report_.placement.device_of[Index(id)]; }

  Problem CheckDevice(const Node& node) const {
    const std::vector<DeviceInfo>& devices = question_.catalog.devices();
    const auto at = std::ranges::find(devices, DeviceOf(node.id), &DeviceInfo::name);
    if (at == devices.end()) return "is nowhere";
    if (report_.reasons[Index(node.id)].empty()) return "has no reason";
    if (!needed_[Index(node.id)]) return std::nullopt;
    const auto index = static_cast<size_t>(at - devices.begin());
    if (!DevicesFor(node, question_.catalog)[index]) return "has no kernel there";
    return std::nullopt;
  }

  Problem CheckRequest(const Node& node) const {
    const bool asks = needed_[Index(node.id)] && !node.device.empty();
    if (!asks || CheckDeviceIsThere(node.device, {DeviceOf(node.id)}).ok()) return std::nullopt;
    if (!question_.options.soft) return "asks for '" + node.device + "'";
    const bool says = report_.reasons[Index(node.id)].starts_with("softly: ");
    return says ? Problem() : "does not say why it is not on '" + node.device + "'";
  }

  Problem CheckParts() const {
    for (const CallSpec& call : question_.calls) {
      const auto parts = PartitionCall(graph_, call, report_.placement);
      if (!parts.ok()) return "it cannot be cut: " + parts.status().ToString();
    }
    return std::nullopt;
  }

  Result<double> Estimate(const Placement& placement) const {
    return EstimateStepNs(graph_, question_.catalog, placement, question_.options);
  }

  Problem CheckEstimates() const {
    const PlacementCandidate& chosen = report_.candidates[report_.chosen];
    const Result<double> ns = Estimate(report_.placement);
    if (!ns.ok()) return "it cannot be estimated: " + ns.status().ToString();
    if (*ns != chosen.makespan_ns) {
      return chosen.name + " is said to take " + std::to_string(chosen.makespan_ns) +
             " ns, and is estimated at " + std::to_string(*ns);
    }
    for (const PlacementCandidate& candidate : report_.candidates) {
      const bool fits = candidate.lacks_memory < 0 || chosen.lacks_memory >= 0;
      if (candidate.makespan_ns < *ns && fits) return candidate.name + " would take less";
      if (candidate.lacks_memory < 0 && chosen.lacks_memory >= 0) {
        return candidate.name + " would fit the memory";
      }
    }
    for (size_t i = 0; i < question_.catalog.devices().size(); ++i) {
      if (Problem problem = CheckAllOn(i)) return problem;
    }
    return std::nullopt;
  }

  // Where every node may be on one device, that is the candidate of this place.
  Problem CheckAllOn(size_t device) const {
    const DeviceInfo& there = question_.catalog.devices()[device];
    for (const NodeId id : graph_.NodeIds()) {
      const Node& node = graph_.node(id);
      if (!needed_[Index(id)]) continue;
      if (!node.device.empty() || !DevicesFor(node, question_.catalog)[device]) {
        return std::nullopt;
      }
    }
    const Placement all{report_.placement.devices,
                        std::vector<std::string>(graph_.id_limit(), there.name)};
    const Result<double> ns = Estimate(all);
    if (!ns.ok()) return "all on '" + there.name + "': " + ns.status().ToString();
    const double said = report_.candidates[device].makespan_ns;
    if (*ns == said) return std::nullopt;
    return "all on '" + there.name + "' is estimated at " + std::to_string(*ns) + " ns, not " +
           std::to_string(said);
  }

  Problem CheckAgain() const {
    const auto again = Place(graph_, question_.catalog, question_.options);
    if (!again.ok()) return "a second time: " + again.status().ToString();
    const bool same = again->placement.device_of == report_.placement.device_of &&
                      again->reasons == report_.reasons && again->chosen == report_.chosen;
    return same ? Problem() : "a second time gives another placement";
  }

  const PlacementQuestion& question_;
  const Graph& graph_;
  const PlacementReport& report_;
  std::vector<bool> needed_;  // by node id
};

}  // namespace

std::optional<std::string> CheckPlacement(const PlacementQuestion& question,
                                          const PlacementReport& report) {
  return Checker(question, report).Check();
}

std::optional<std::string> CheckRefusal(const PlacementQuestion& question, const Status& status) {
  const Graph& graph = question.graph;
  const std::vector<NodeId> ids = graph.NodeIds();
  const bool asks =
      std::ranges::any_of(ids, [&graph](NodeId id) { return !graph.node(id).device.empty(); });
  if (question.options.soft || !asks) return "refused: " + status.ToString();
  if (status.code() != Code::kInvalidArgument) return "refused otherwise: " + status.ToString();
  if (graph.Find(status.node()) == NodeId::kNone) return "names no node: " + status.ToString();
  return std::nullopt;
}

}  // namespace tagflow::fuzz
