#include "transform/placement/cost_model.h"

#include <algorithm>

namespace tagflow {
namespace {

DeviceSpeed DefaultSpeed(const std::string& kind) {
  return kind == "CPU" ? DeviceSpeed() : DeviceSpeed{5000, 100, 200};
}

LinkSpeed DefaultLink(const std::string& from, const std::string& to) {
  return from == "CPU" && to == "CPU" ? LinkSpeed() : LinkSpeed{10000, 10};
}

double PositiveOr(double speed, double otherwise) { return speed > 0 ? speed : otherwise; }

DeviceSpeed SpeedOfKind(const CostOptions& options, const std::string& kind) {
  const auto found = options.devices.find(kind);
  return found == options.devices.end() ? DefaultSpeed(kind) : found->second;
}

}  // namespace

DeviceSpeed SpeedOf(const CostOptions& options, const DeviceInfo& device) {
  const auto found = options.devices.find(device.name);
  DeviceSpeed speed =
      found == options.devices.end() ? SpeedOfKind(options, device.kind) : found->second;
  const DeviceSpeed otherwise = DefaultSpeed(device.kind);
  speed.firing_ns = std::max(speed.firing_ns, 0.0);
  speed.operations_per_ns = PositiveOr(speed.operations_per_ns, otherwise.operations_per_ns);
  speed.bytes_per_ns = PositiveOr(speed.bytes_per_ns, otherwise.bytes_per_ns);
  return speed;
}

LinkSpeed LinkBetween(const CostOptions& options, const DeviceInfo& from, const DeviceInfo& to) {
  auto found = options.links.find({from.name, to.name});
  if (found == options.links.end()) found = options.links.find({from.kind, to.kind});
  const LinkSpeed otherwise = DefaultLink(from.kind, to.kind);
  if (found == options.links.end()) return otherwise;
  return {std::max(found->second.latency_ns, 0.0),
          PositiveOr(found->second.bytes_per_ns, otherwise.bytes_per_ns)};
}

double EstimatedNs(const Work& work, const DeviceSpeed& speed) {
  return speed.firing_ns +
         std::max(work.operations / speed.operations_per_ns, work.bytes / speed.bytes_per_ns);
}

double FiringNs(const CostOptions& options, const Node& node, const Work& work,
                const DeviceInfo& device) {
  const double estimate = EstimatedNs(work, SpeedOf(options, device));
  const auto measured = options.measured.find(node.name);
  if (measured == options.measured.end()) return estimate;
  if (device.kind == options.measured_on) return measured->second.mean_ns;
  const DeviceInfo there{options.measured_on, options.measured_on};
  const double estimate_there = EstimatedNs(work, SpeedOf(options, there));
  return estimate_there > 0 ? measured->second.mean_ns * estimate / estimate_there : estimate;
}

}  // namespace tagflow
