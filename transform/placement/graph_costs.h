#ifndef TAGFLOW_TRANSFORM_PLACEMENT_GRAPH_COSTS_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_GRAPH_COSTS_H_

// What the nodes of a graph cost on devices, and its tensors between them: cost_model.h, asked
// about the shapes that are known before anything runs.
//
// Cost: that of shape inference once. Thread safety: const access from any thread.
// Tested by graph_costs_test.cc.

#include <vector>

#include "graph/device_catalog.h"
#include "graph/graph.h"
#include "graph/partial_shape.h"
#include "transform/partition/partition.h"
#include "transform/placement/cost_model.h"

namespace tagflow {

class GraphCosts {
 public:
  // All of them outlive it.
  GraphCosts(const Graph& graph, const std::vector<DeviceInfo>& devices,
             const CostOptions& options);

  // Of one firing of the node, by device.
  std::vector<double> FiringNs(const Node& node) const;
  // Of a tensor; of a control edge those of a bool.
  double BytesOf(OutputRef output) const;
  // Whether it does more than hand on tensors, as they are or in lists.
  bool Computes(const Node& node) const;
  // Of one message with the tensor, from one device to another.
  double MessageNs(OutputRef output, int from, int to) const;

 private:
  PartialShape ShapeOf(OutputRef output) const;
  Work WorkOfNode(const Node& node) const;

  const Graph& graph_;
  const std::vector<DeviceInfo>& devices_;
  const CostOptions& options_;
  std::vector<std::vector<PartialShape>> shapes_;  // by node id, output
};

// For PartitionCall, of what is placed on the devices in this order. A node that hands on tensors
// may be no kernel, and takes no time. Both outlive it.
StepTimes StepTimesBy(const GraphCosts& costs, const Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_GRAPH_COSTS_H_
