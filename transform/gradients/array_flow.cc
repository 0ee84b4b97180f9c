#include "transform/gradients/array_flow.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"

namespace tagflow {
namespace {

// Begins with what makes flows, and follows each to where it is handed on.
class FlowSearch {
 public:
  FlowSearch(const Graph& graph, std::map<OutputRef, DType> known)
      : graph_(graph), flows_(std::move(known)), hand_on_(graph.id_limit()) {}

  std::map<OutputRef, DType> Run() {
    for (const auto& [flow, dtype] : flows_) work_.push_back(flow);
    for (const NodeId id : graph_.NodeIds()) Visit(graph_.node(id));
    while (!work_.empty()) {
      const OutputRef flow = work_.back();
      work_.pop_back();
      for (const NodeId id : hand_on_[Index(flow.node)]) HandOn(graph_.node(id), flow);
    }
    return std::move(flows_);
  }

 private:
  void Visit(const Node& node) {
    const std::string_view op = node.op;
    if (op == "TensorArrayV3") {
      Note({node.id, 1}, DTypeOf(node, "dtype"));
    } else if (op == "TensorArrayGradV3" || op == "TensorArrayGradWithShape") {
      Note({node.id, 1}, DTypeOf(ArrayOf(node), "dtype"));
    } else if (op == "TensorArrayWriteV3" || op == "TensorArrayScatterV3" ||
               op == "TensorArraySplitV3") {
      Note({node.id, 0}, DTypeOf(node, "T"));
    } else if (std::ranges::find(kPassOps, op) != std::end(kPassOps)) {
      for (const OutputRef& input : node.inputs) hand_on_[Index(input.node)].push_back(node.id);
    }
  }

  void HandOn(const Node& node, OutputRef flow) {
    const DType dtype = flows_.at(flow);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (node.inputs[slot] != flow) continue;
      if (node.op == "IdentityN") {
        Note({node.id, static_cast<int32_t>(slot)}, dtype);
      } else if (node.op != "Switch") {
        Note({node.id, 0}, dtype);
      } else if (slot == 0) {
        Note({node.id, 0}, dtype);
        Note({node.id, 1}, dtype);
      }
    }
  }

  void Note(OutputRef output, DType dtype) {
    if (flows_.try_emplace(output, dtype).second) work_.push_back(output);
  }

  // The node that makes the array whose handle is the first input, or as near as can be seen.
  const Node& ArrayOf(const Node& node) const {
    const Node* source = &node;
    do {
      source = &graph_.node(source->inputs[0].node);
    } while (source->op == "Enter" || source->op == "Switch" || source->op == "Identity");
    return *source;
  }

  static DType DTypeOf(const Node& node, std::string_view attr) {
    const Result<DType> dtype = TypeAttr(node, attr);
    return dtype.ok() ? *dtype : DType::kFloat;
  }

  static constexpr std::string_view kPassOps[] = {
      "Identity", "IdentityN", "EnsureShape", "Switch", "Merge", "Enter", "Exit", "NextIteration"};
  const Graph& graph_;
  std::map<OutputRef, DType> flows_;
  std::vector<std::vector<NodeId>> hand_on_;  // by node id: who may hand on what it gives
  std::vector<OutputRef> work_;
};

}  // namespace

std::map<OutputRef, DType> FindArrayFlows(const Graph& graph, std::map<OutputRef, DType> known) {
  return FlowSearch(graph, std::move(known)).Run();
}

Output ZeroFlow(const Scope& scope, DType dtype) {
  return Op(scope, "EmptyTensorList", {-1, -1}, {{"element_dtype", dtype}});
}

Output GrownTo(const Scope& scope, const Output& list, const Output& size) {
  const Output length = Op(scope, "TensorListLength", {list});
  return Op(scope, "TensorListResize", {list, Maximum(scope, length, size)});
}

Output SizeToHold(const Scope& scope, const Output& indices) {
  // -1 among them: an empty vector has no greatest.
  const Output all = Concat(scope, {indices, Const(scope, std::vector<int32_t>{-1})}, 0);
  return Add(scope, Max(scope, all, 0), 1);
}

Output AddFlows(const Scope& scope, const OutputList& lists) {
  Output longest = Op(scope, "TensorListLength", {lists[0]});
  for (size_t i = 1; i < lists.size(); ++i) {
    longest = Maximum(scope, longest, Op(scope, "TensorListLength", {lists[i]}));
  }
  OutputList same;
  for (const Output& list : lists) same.push_back(Op(scope, "TensorListResize", {list, longest}));
  return AddN(scope, same);
}

}  // namespace tagflow
