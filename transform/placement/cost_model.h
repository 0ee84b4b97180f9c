#ifndef TAGFLOW_TRANSFORM_PLACEMENT_COST_MODEL_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_COST_MODEL_H_

// What a firing costs on a device, and a tensor on its way to another one. Every figure is a
// parameter; the defaults are round numbers for machines as they are, and are meant to get orders
// of magnitude right.
//
// A firing takes firing_ns and then the longer of its operations and its bytes (work.h) at the
// device's speed. Where a run has measured the node, its mean time is taken on the kind of device
// that was measured, and on another kind the same time as many times as the estimate there is of
// the estimate on the one that was measured.
//
// Tested by cost_model_test.cc.

#include <map>
#include <string>
#include <utility>

#include "graph/device_catalog.h"
#include "transform/placement/measured_times.h"
#include "transform/placement/work.h"

namespace tagflow {

struct DeviceSpeed {
  double firing_ns = 100;  // of whatever op: to start it, and to tell that it is done
  double operations_per_ns = 4;
  double bytes_per_ns = 10;  // of its own memory
};

struct LinkSpeed {
  double latency_ns = 1000;  // of an empty message
  double bytes_per_ns = 10;
};

struct CostOptions {
  double unknown_dim = 16;     // how long a dimension is taken to be that is not known
  double unknown_trips = 100;  // how often a loop is taken to run that no run has measured
  // By name of a device, or else by its kind. The rest: kind CPU as DeviceSpeed says, any other an
  // accelerator of 5000 ns a firing, 100 operations and 200 bytes a ns.
  std::map<std::string, DeviceSpeed> devices;
  // From one device to another, both by name or both by kind. The rest: between two of kind CPU as
  // LinkSpeed says, any other 10000 ns and 10 bytes a ns.
  std::map<std::pair<std::string, std::string>, LinkSpeed> links;
  MeasuredTimes measured;
  std::string measured_on = "CPU";  // the kind of device
};

// A speed that is not above 0 counts as the default's.
DeviceSpeed SpeedOf(const CostOptions& options, const DeviceInfo& device);
LinkSpeed LinkBetween(const CostOptions& options, const DeviceInfo& from, const DeviceInfo& to);

double EstimatedNs(const Work& work, const DeviceSpeed& speed);
// Of one firing of the node, measured or estimated.
double FiringNs(const CostOptions& options, const Node& node, const Work& work,
                const DeviceInfo& device);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_COST_MODEL_H_
