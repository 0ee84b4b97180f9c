#include "transform/gradients/array_flow.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"

namespace tagflow {
namespace {

// Goes over the graph until nothing new is found: what a NextIteration hands on is known after the
// Merge that it leads to.
class FlowSearch {
 public:
  FlowSearch(const Graph& graph, std::map<OutputRef, DType> known)
      : graph_(graph), flows_(std::move(known)) {}

  std::map<OutputRef, DType> Run() {
    while (changed_) {
      changed_ = false;
      for (const NodeId id : graph_.NodeIds()) Visit(graph_.node(id));
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
    } else if (op == "IdentityN") {
      for (size_t i = 0; i < node.inputs.size(); ++i) HandOn(node, i, static_cast<int32_t>(i));
    } else if (op == "Switch") {
      HandOn(node, 0, 0);
      HandOn(node, 0, 1);
    } else if (std::ranges::find(kPassOps, op) != std::end(kPassOps)) {
      for (size_t i = 0; i < node.inputs.size(); ++i) HandOn(node, i, 0);
    }
  }

  void HandOn(const Node& node, size_t slot, int32_t port) {
    const auto flow = flows_.find(node.inputs[slot]);
    if (flow != flows_.end()) Note({node.id, port}, flow->second);
  }

  void Note(OutputRef output, DType dtype) {
    changed_ = flows_.try_emplace(output, dtype).second || changed_;
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

  static constexpr std::string_view kPassOps[] = {"Identity", "EnsureShape", "Merge",
                                                  "Enter",    "Exit",        "NextIteration"};
  const Graph& graph_;
  std::map<OutputRef, DType> flows_;
  bool changed_ = true;
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
