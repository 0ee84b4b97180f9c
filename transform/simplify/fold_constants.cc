#include "transform/simplify/fold_constants.h"

#include <optional>
#include <utility>
#include <vector>

#include "graph/shape_inference.h"
#include "transform/deadness/dependency_order.h"
#include "transform/simplify/anchors.h"
#include "transform/simplify/call_view.h"
#include "transform/simplify/rewiring.h"

namespace tagflow {
namespace {

// Of the strings themselves where that is what a tensor holds.
size_t BytesOf(const Tensor& tensor) {
  size_t bytes = tensor.byte_size();
  if (tensor.dtype() != DType::kString) return bytes;
  for (const std::string& text : tensor.flat<std::string>()) bytes += text.size();
  return bytes;
}

bool MayBeConstant(DType dtype) { return dtype != DType::kResource && dtype != DType::kVariant; }

class Folder {
 public:
  Folder(Graph& graph, const CallSpec& call, const Evaluate& evaluate, const FoldLimits& limits)
      : graph_(graph),
        view_(graph, call),
        evaluate_(evaluate),
        limits_(limits),
        taken_(graph.id_limit()) {}

  int64_t Run() {
    const OpDef* constant = graph_.registry().Find("Const");
    if (constant == nullptr || constant->FindAttr("value") == nullptr) return 0;
    const std::vector<bool> needed = NeededFlags();
    for (const NodeId id : view_.needed()) {
      for (const OutputRef& input : graph_.node(id).inputs) taken_[Index(input.node)] = true;
    }
    for (const NodeId id : DependencyOrder(graph_, needed, view_.fed())) Visit(id);
    rewiring_.Apply(graph_, view_.needed());
    return folded_;
  }

 private:
  std::vector<bool> NeededFlags() const {
    std::vector<bool> needed(graph_.id_limit());
    for (const NodeId id : view_.needed()) needed[Index(id)] = true;
    return needed;
  }

  void Visit(NodeId id) {
    if (!view_.Has(id, kPure) || view_.Has(id, kFed)) return;
    const Node& node = graph_.node(id);
    if (node.inputs.empty()) return;
    std::vector<Tensor> inputs;
    size_t bytes = 0;
    for (const OutputRef& input : node.inputs) {
      const Tensor* value = view_.ConstantOf(rewiring_.empty() ? input : rewiring_.Find(input));
      if (value == nullptr || (bytes += BytesOf(*value)) > limits_.operand_bytes) return;
      inputs.push_back(*value);
    }
    const std::optional<std::vector<NodeId>> controls = Controls(node);
    if (!controls) return;
    std::optional<std::vector<Tensor>> outputs = Compute(node, inputs);
    if (!outputs) return;
    if (outputs->size() == 1) {
      BecomeConst(id, *controls, std::move((*outputs)[0]));
    } else {
      ReplaceOutputs(id, *controls, *std::move(outputs));
    }
    ++folded_;
  }

  // What a Const must wait for to be live when the node is; nothing where that is more than before.
  std::optional<std::vector<NodeId>> Controls(const Node& node) {
    std::vector<NodeId> controls = node.control_inputs;
    for (const OutputRef& input : node.inputs) {
      AddAnchors(view_, rewiring_.empty() ? input : rewiring_.Find(input), controls);
      if (controls.size() > 2 * (node.inputs.size() + node.control_inputs.size())) break;
    }
    RemoveRepeated(controls);
    if (controls.size() > node.inputs.size() + node.control_inputs.size()) return std::nullopt;
    return controls;
  }

  // Nothing where the result is too large, or cannot be had.
  std::optional<std::vector<Tensor>> Compute(const Node& node, const std::vector<Tensor>& inputs) {
    const Result<Signature> signature = ResolveSignature(node);
    if (!signature.ok() || !HasSmallOutputs(node, *signature, inputs)) return std::nullopt;
    if (signature->outputs.size() > 1 && !taken_[Index(node.id)]) return std::nullopt;
    Result<std::vector<Tensor>> outputs = evaluate_(node, inputs);
    if (!outputs.ok() || outputs->size() != signature->outputs.size()) return std::nullopt;
    size_t bytes = 0;
    for (size_t i = 0; i < outputs->size(); ++i) {
      const Tensor& output = (*outputs)[i];
      if (!output.has_value() || output.dtype() != signature->outputs[i].dtype) return std::nullopt;
      bytes += BytesOf(output);
    }
    // Strings may turn out to be long.
    if (bytes > limits_.result_bytes || bytes > limits_.total_bytes - total_bytes_) {
      return std::nullopt;
    }
    total_bytes_ += bytes;
    return *std::move(outputs);
  }

  bool HasSmallOutputs(const Node& node, const Signature& signature,
                       const std::vector<Tensor>& inputs) const {
    std::vector<PartialShape> shapes;
    for (const Tensor& input : inputs) {
      shapes.push_back(PartialShape(Dims(input.dims().begin(), input.dims().end())));
    }
    const Result<std::vector<PartialShape>> outputs =
        InferNodeShapes(node, signature.outputs.size(), std::move(shapes),
                        std::vector<std::optional<Tensor>>(inputs.begin(), inputs.end()));
    if (!outputs.ok()) return false;
    size_t bytes = 0;
    for (size_t i = 0; i < outputs->size(); ++i) {
      const DType dtype = signature.outputs[i].dtype;
      if (!MayBeConstant(dtype) || !(*outputs)[i].fully_known()) return false;
      const Result<int64_t> elements = NumElements((*outputs)[i].dims());
      if (!elements.ok() || static_cast<size_t>(*elements) > limits_.result_bytes) return false;
      bytes += static_cast<size_t>(*elements) * DTypeSize(dtype);
    }
    return bytes <= limits_.result_bytes;
  }

  void BecomeConst(NodeId id, const std::vector<NodeId>& controls, Tensor value) {
    Node& node = graph_.mutable_node(id);
    BecomeOp(graph_, id, "Const");
    node.inputs.clear();
    node.control_inputs = controls;
    // Those that begin so are not the op's but belong to whoever made the graph.
    std::erase_if(node.attrs, [](const auto& attr) { return !attr.first.starts_with('_'); });
    graph_.SetAttr(id, "dtype", value.dtype());
    graph_.SetAttr(id, "value", std::move(value));
    view_.Update(id);
  }

  void ReplaceOutputs(NodeId id, const std::vector<NodeId>& controls, std::vector<Tensor> outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string name = graph_.node(id).name + "/output_" + std::to_string(i);
      const NodeId made = *graph_.AddNode(graph_.UniqueName(name), "Const");
      graph_.mutable_node(made).device = graph_.node(id).device;
      BecomeConst(made, controls, std::move(outputs[i]));
      rewiring_.Replace({id, static_cast<int32_t>(i)}, {made, 0});
    }
  }

  Graph& graph_;
  CallView view_;
  const Evaluate& evaluate_;
  const FoldLimits& limits_;
  std::vector<bool> taken_;  // by node id: some node takes an output of it
  Rewiring rewiring_;
  size_t total_bytes_ = 0;
  int64_t folded_ = 0;
};

}  // namespace

int64_t FoldConstants(Graph& graph, const CallSpec& call, const Evaluate& evaluate,
                      const FoldLimits& limits) {
  return Folder(graph, call, evaluate, limits).Run();
}

}  // namespace tagflow
