// Shape inference over cyclic graphs, as a fixed point from below.
//
// A node is visited once the shapes of all its inputs have been computed; a Merge as soon as one
// has, so that the Enter of a loop starts the loop and a cycle without a Merge is never begun. When
// the outputs of a node change, its consumers are visited again. Invariants:
//   1. Only the outputs of a Merge are widened: they are joined with what they were before. Every
//      cycle that is begun goes through a Merge, and a shape can be widened only rank + 1 times, so
//      this ends.
//   2. At the end the shapes hold for every iteration. Before, they may be those of the first one,
//      which a body may refuse although it never runs: errors count only at the end.
//   3. What a reference names is read when its consumer fires. If any Assign of the graph may give
//      a variable another shape (validate_shape is false), no reference has a known shape.
// A node whose inputs are not all there, or not as its op wants them, has unknown shapes here: what
// is wrong with it is the validator's to say.

#include "graph/shape_inference.h"

#include <algorithm>
#include <deque>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

// Whether the node may give a variable a shape that contradicts its definition.
bool ReshapesVariable(const Node& node) {
  if (node.op != "Assign") return false;
  const Result<bool> validate = BoolAttr(node, "validate_shape");
  return !validate.ok() || !*validate;
}

// Ops whose output is their first input, whatever that is.
bool PassesValueOn(const Node& node) {
  for (const char* op : {"Identity", "StopGradient", "PreventGradient", "Enter"}) {
    if (node.op == op) return true;
  }
  return false;
}

template <typename T>
Tensor IntTensor(const Dims& values, bool scalar) {
  if (scalar) return Tensor::Scalar<T>(static_cast<T>(values[0]));
  return Tensor::Vector<T>(std::vector<T>(values.begin(), values.end()));
}

// What Shape, Size and Rank give for a shape that is known.
std::optional<Tensor> ShapeValue(const Node& node, const PartialShape& shape) {
  if (node.op == "Rank") {
    if (!shape.known_rank()) return std::nullopt;
    return Tensor::Scalar<int32_t>(shape.rank());
  }
  if (!shape.fully_known() || (node.op != "Shape" && node.op != "Size")) return std::nullopt;
  const bool is_size = node.op == "Size";
  Dims values = shape.dims();
  if (is_size) {
    const Result<int64_t> elements = NumElements(shape.dims());
    if (!elements.ok()) return std::nullopt;
    values = {*elements};
  }
  const Result<DType> out_type = TypeAttr(node, "out_type");
  if (!out_type.ok()) return std::nullopt;
  return *out_type == DType::kInt64 ? IntTensor<int64_t>(values, is_size)
                                    : IntTensor<int32_t>(values, is_size);
}

class Inference {
 public:
  //   ids: with all that these nodes take, ascending
  Inference(const Graph& graph, std::vector<NodeId> ids)
      : graph_(graph), ids_(std::move(ids)), states_(graph.id_limit()) {
    const std::vector<NodeId> all = graph.NodeIds();
    reshapes_variables_ = std::any_of(all.begin(), all.end(),
                                      [&](NodeId id) { return ReshapesVariable(graph.node(id)); });
    for (const NodeId id : ids_) Prepare(graph.node(id));
  }

  Result<std::vector<std::vector<PartialShape>>> Run() {
    while (!queue_.empty()) {
      const NodeId id = queue_.front();
      queue_.pop_front();
      state(id).queued = false;
      Visit(graph_.node(id));
    }
    std::vector<std::vector<PartialShape>> shapes(states_.size());
    for (const NodeId id : ids_) {
      const Node& node = graph_.node(id);
      if (state(id).visited && state(id).can_infer) {
        const Result<std::vector<PartialShape>> outputs = Outputs(node);
        if (!outputs.ok()) return outputs.status();
      }
      shapes[Index(id)] = state(id).outputs;
    }
    return shapes;
  }

 private:
  struct State {
    std::vector<PartialShape> outputs;
    std::vector<NodeId> consumers;
    std::vector<size_t> shapeless;  // outputs that say nothing, by invariant 3
    bool can_infer = false;  // the op has a shape function, and the inputs are as many as it wants
    bool visited = false;
    bool queued = false;
  };

  State& state(NodeId id) { return states_[Index(id)]; }
  const State& state(NodeId id) const { return states_[Index(id)]; }

  bool Exists(NodeId id) const {
    return id != NodeId::kNone && Index(id) < states_.size() && !graph_.node(id).removed();
  }

  void Prepare(const Node& node) {
    State& mine = state(node.id);
    bool inputs_exist = true;
    for (const OutputRef& input : node.inputs) {
      if (!Exists(input.node)) {
        inputs_exist = false;
        continue;
      }
      State& producer = state(input.node);
      producer.consumers.push_back(node.id);
    }
    if (const Result<Signature> signature = ResolveSignature(node); signature.ok()) {
      mine.outputs.resize(signature->outputs.size());
      for (size_t i = 0; reshapes_variables_ && i < signature->outputs.size(); ++i) {
        if (signature->outputs[i].is_ref) mine.shapeless.push_back(i);
      }
      mine.can_infer = inputs_exist && node.def->shape_function != nullptr &&
                       signature->inputs.size() == node.inputs.size();
    }
    Enqueue(node.id);
  }

  void Enqueue(NodeId id) {
    if (state(id).queued) return;
    state(id).queued = true;
    queue_.push_back(id);
  }

  bool Ready(const Node& node) const {
    auto computed = [this](const OutputRef& input) {
      return !Exists(input.node) || state(input.node).visited;
    };
    if (IsMerge(node)) return std::any_of(node.inputs.begin(), node.inputs.end(), computed);
    return std::all_of(node.inputs.begin(), node.inputs.end(), computed);
  }

  PartialShape ShapeOf(const OutputRef& output) const {
    const std::vector<PartialShape>& shapes = state(output.node).outputs;
    const auto index = static_cast<size_t>(output.index);
    return index < shapes.size() ? shapes[index] : PartialShape();
  }

  void Visit(const Node& node) {
    if (!Ready(node)) return;
    State& mine = state(node.id);
    const bool first = !mine.visited;
    mine.visited = true;
    std::vector<PartialShape> outputs(mine.outputs.size());
    if (mine.can_infer) {
      Result<std::vector<PartialShape>> inferred = Outputs(node);
      if (inferred.ok()) outputs = *std::move(inferred);
    }
    for (const size_t i : mine.shapeless) outputs[i] = PartialShape();
    if (!first && IsMerge(node)) {
      for (size_t i = 0; i < outputs.size(); ++i) {
        outputs[i] = JoinShapes(mine.outputs[i], outputs[i]);
      }
    }
    // The value of Shape may have changed although its shape has not.
    const bool tells_values = node.op == "Shape" || node.op == "Size" || node.op == "Rank";
    if (!first && outputs == mine.outputs && !tells_values) return;
    mine.outputs = std::move(outputs);
    for (const NodeId consumer : mine.consumers) Enqueue(consumer);
  }

  // REQUIRES: can_infer and Ready.
  Result<std::vector<PartialShape>> Outputs(const Node& node) const {
    std::vector<PartialShape> inputs;
    std::vector<std::optional<Tensor>> constants;
    inputs.reserve(node.inputs.size());
    constants.reserve(node.inputs.size());
    for (const OutputRef& input : node.inputs) {
      // What has not been computed yet adds nothing to a Merge: any other input stands in for it.
      const OutputRef& seen = state(input.node).visited ? input : FirstVisited(node);
      inputs.push_back(ShapeOf(seen));
      constants.push_back(ConstantOf(seen));
    }
    return InferNodeShapes(node, state(node.id).outputs.size(), std::move(inputs),
                           std::move(constants));
  }

  const OutputRef& FirstVisited(const Node& node) const {
    return *std::find_if(node.inputs.begin(), node.inputs.end(),
                         [this](const OutputRef& input) { return state(input.node).visited; });
  }

  std::optional<Tensor> ConstantOf(OutputRef output) const {
    // A chain of a hundred is no chain that a graph has; a cycle may be.
    for (int steps = 0; steps < 100; ++steps) {
      if (!Exists(output.node) || output.index != 0) return std::nullopt;
      const Node& node = graph_.node(output.node);
      if (node.op == "Const") {
        const AttrValue* value = FindAttr(node, "value");
        const Tensor* tensor = value == nullptr ? nullptr : value->Get<Tensor>();
        if (tensor == nullptr || !tensor->has_value()) return std::nullopt;
        return *tensor;
      }
      if (node.inputs.empty() || !Exists(node.inputs[0].node)) return std::nullopt;
      if (!PassesValueOn(node)) return ShapeValue(node, ShapeOf(node.inputs[0]));
      output = node.inputs[0];
    }
    return std::nullopt;
  }

  const Graph& graph_;
  const std::vector<NodeId> ids_;
  bool reshapes_variables_ = false;
  std::vector<State> states_;
  std::deque<NodeId> queue_;
};

std::string InputsText(const ShapeContext& context) {
  std::string text;
  for (int i = 0; i < context.num_inputs(); ++i) {
    text += (i == 0 ? "" : ", ") + context.input(i).ToString();
  }
  return text;
}

}  // namespace

Result<std::vector<PartialShape>> InferNodeShapes(const Node& node, size_t num_outputs,
                                                  std::vector<PartialShape> inputs,
                                                  std::vector<std::optional<Tensor>> constants) {
  if (node.def == nullptr || node.def->shape_function == nullptr) {
    return std::vector<PartialShape>(num_outputs);
  }
  for (size_t i = 0; i < constants.size(); ++i) {
    // A shape function may count on a constant having the shape that it is told.
    if (!constants[i].has_value()) continue;
    const DimsView dims = constants[i]->dims();
    if (inputs[i].Accepts(dims)) {
      inputs[i] = PartialShape(Dims(dims.begin(), dims.end()));
    } else {
      constants[i].reset();
    }
  }
  ShapeContext context(node, num_outputs, std::move(inputs), std::move(constants));
  if (const Status status = node.def->shape_function(context); !status.ok()) {
    return Status(status.code(), "node '" + node.name + "' (op " + node.op +
                                     ") cannot take inputs of shapes (" + InputsText(context) +
                                     "): " + status.message())
        .WithNode(node.name);
  }
  return context.outputs();
}

const Node* ConstantBehind(const Graph& graph, OutputRef output) {
  const Node* node = &graph.node(output.node);
  while (PassesValueOn(*node) || IsSwitch(*node)) node = &graph.node(node->inputs[0].node);
  return node->op == "Const" ? node : nullptr;
}

Result<std::vector<std::vector<PartialShape>>> InferShapes(const Graph& graph) {
  return Inference(graph, graph.NodeIds()).Run();
}

Result<std::vector<std::vector<PartialShape>>> InferShapesOf(const Graph& graph,
                                                             const std::vector<NodeId>& nodes) {
  std::vector<bool> is_reached(graph.id_limit());
  std::vector<NodeId> reached;
  const auto reach = [&](NodeId id) {
    if (id == NodeId::kNone || Index(id) >= is_reached.size() || is_reached[Index(id)]) return;
    if (graph.node(id).removed()) return;
    is_reached[Index(id)] = true;
    reached.push_back(id);
  };
  for (const NodeId id : nodes) reach(id);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const OutputRef& input : graph.node(reached[i]).inputs) reach(input.node);
  }
  std::sort(reached.begin(), reached.end());
  return Inference(graph, std::move(reached)).Run();
}

}  // namespace tagflow
