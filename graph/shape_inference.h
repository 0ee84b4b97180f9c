#ifndef TAGFLOW_GRAPH_SHAPE_INFERENCE_H_
#define TAGFLOW_GRAPH_SHAPE_INFERENCE_H_

// Shape inference: an op's shape function sees its node, what is known of the inputs' shapes, and
// the values of inputs that are constants; it sets output shapes, or says why no shapes can fit.

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/partial_shape.h"

namespace tagflow {

class ShapeContext {
 public:
  ShapeContext(const Node& node, size_t num_outputs, std::vector<PartialShape> inputs,
               std::vector<std::optional<Tensor>> constants)
      : node_(node),
        inputs_(std::move(inputs)),
        constants_(std::move(constants)),
        outputs_(num_outputs) {}

  const Node& node() const { return node_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return inputs_[static_cast<size_t>(i)]; }
  // The value of input i where it is a constant of the graph, else null.
  const Tensor* constant(int i) const {
    const auto& value = constants_[static_cast<size_t>(i)];
    return value.has_value() ? &*value : nullptr;
  }
  void set_output(int i, PartialShape shape) {
    outputs_[static_cast<size_t>(i)] = std::move(shape);
  }
  const std::vector<PartialShape>& outputs() const { return outputs_; }

 private:
  const Node& node_;
  std::vector<PartialShape> inputs_;
  std::vector<std::optional<Tensor>> constants_;
  std::vector<PartialShape> outputs_;
};

// Shapes of the outputs of one node. REQUIRES: ResolveSignature(node) passes, and gives num_outputs
// outputs and as many inputs as there are here.
//   Errors: INVALID_ARGUMENT naming the node and the shapes that cannot fit.
Result<std::vector<PartialShape>> InferNodeShapes(const Node& node, size_t num_outputs,
                                                  std::vector<PartialShape> inputs,
                                                  std::vector<std::optional<Tensor>> constants);

// The constant whose value an output has: its node, seen through what passes values on (Identity,
// Enter, Switch). Null where the graph does not say.
const Node* ConstantBehind(const Graph& graph, OutputRef output);

// Shapes of every output of every node, by node id; cycles are solved by joining at Merge until
// nothing changes, so that what varies from iteration to iteration is unknown. Values of constants
// are seen through Identity and Enter. A node of an unknown op or with illegal attrs has unknown
// shapes, or none at all where the number of its outputs is not known.
//   Errors: INVALID_ARGUMENT naming the node whose inputs cannot fit.
Result<std::vector<std::vector<PartialShape>>> InferShapes(const Graph& graph);
// The same of `nodes` and all that they take, directly or through others; other nodes have none.
Result<std::vector<std::vector<PartialShape>>> InferShapesOf(const Graph& graph,
                                                             const std::vector<NodeId>& nodes);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SHAPE_INFERENCE_H_
