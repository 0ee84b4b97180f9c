#include "transform/lower/lower.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/shape_inference.h"
#include "graph/unknown_ops.h"
#include "transform/lower/inliner.h"
#include "transform/lower/node_lowering.h"

namespace tagflow {
namespace {

bool IsCall(std::string_view op) {
  return op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "RemoteCall";
}

bool IsGradient(std::string_view op) { return op == "SymbolicGradient"; }

class CallLowering : public NodeLowering {
 public:
  using NodeLowering::NodeLowering;

 private:
  Status Lower() override {
    NameAttrList function = {op_, node().attrs};
    if (IsCall(op_)) {
      TAGFLOW_ASSIGN_OR_RETURN(function, FunctionAttr("f"));
    }
    const bool is_remote = op_ == "RemoteCall";
    std::vector<ArgType> takes = signature_.inputs;
    if (is_remote) takes.erase(takes.begin());
    TAGFLOW_ASSIGN_OR_RETURN(
        FunctionBody body, inliner_.Instantiate(task_, function, name_, takes, signature_.outputs));
    if (is_remote) MoveToTarget();
    Outputs args = Gate();
    if (is_remote) args.erase(args.begin());
    const Inlined inlined = inliner_.Put(task_, function, std::move(body), args, pivot_, name_);
    Become(inlined.returns, {inlined.done, pivot_}, inlined.done == NodeId::kNone);
    return Status();
  }

  // A target that only the run knows leaves the body where the call is.
  void MoveToTarget() {
    const Node& target = graph_.node(node().inputs[0].node);
    const Result<Tensor> device = TensorAttr(target, "value");
    if (target.op != "Const" || !device.ok() || device->dtype() != DType::kString ||
        device->num_elements() != 1) {
      return;
    }
    graph_.mutable_node(task_.node).device = *device->data<std::string>();
  }
};

std::unique_ptr<NodeLowering> NewLowering(Graph& graph, Inliner& inliner, LoweringTask task) {
  const std::string& op = graph.node(task.node).op;
  if (IsIf(op) || IsCase(op)) return NewBranchLowering(graph, inliner, std::move(task));
  if (IsGradient(op)) return NewGradientLowering(graph, inliner, std::move(task));
  if (IsWhile(op) || IsFor(op)) return NewWhileLowering(graph, inliner, std::move(task));
  return std::make_unique<CallLowering>(graph, inliner, std::move(task));
}

}  // namespace

namespace {

// What is known to be a scalar bool needs no ToBool.
void LeaveOutToBools(Graph& graph, size_t first_added) {
  std::vector<NodeId> found;
  for (size_t i = first_added; i < graph.id_limit(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = graph.node(id);
    if (node.removed() || node.op != "ToBool") continue;
    const Result<DType> dtype = TypeAttr(node, "T");
    if (dtype.ok() && *dtype == DType::kBool) found.push_back(id);
  }
  if (found.empty()) return;
  const auto shapes = InferShapes(graph);
  if (!shapes.ok()) return;
  for (const NodeId id : found) {
    const OutputRef from = graph.node(id).inputs[0];
    const std::vector<PartialShape>& outputs = (*shapes)[Index(from.node)];
    const auto index = static_cast<size_t>(from.index);
    if (index >= outputs.size() || !outputs[index].known_rank() || outputs[index].rank() > 0) {
      continue;
    }
    Node& node = graph.mutable_node(id);
    node.op = "Identity";
    node.def = graph.registry().Find(node.op);
  }
}

}  // namespace

bool IsFunctional(const Graph& graph, const Node& node) {
  const std::string& op = node.op;
  if (IsCall(op) || IsIf(op) || IsCase(op) || IsWhile(op) || IsFor(op) || IsGradient(op)) {
    return true;
  }
  return graph.registry().Find(node.op) == nullptr && graph.library.Find(node.op) != nullptr;
}

void LowerFunctions(Graph& graph) { LowerFunctionsWithin(graph, {}); }

void LowerFunctionsWithin(Graph& graph, const std::vector<std::string>& within) {
  Inliner inliner(graph);
  std::deque<LoweringTask>& tasks = inliner.tasks();
  for (const NodeId id : graph.NodeIds()) {
    if (IsFunctional(graph, graph.node(id))) tasks.push_back({id, NodeId::kNone, false, within});
  }
  if (tasks.empty()) return;
  const size_t first_added = graph.id_limit();
  const bool among_primitives = HasPrimitives(graph);
  for (LoweringTask& task : tasks) task.among_primitives = among_primitives;
  while (!tasks.empty()) {
    LoweringTask task = std::move(tasks.front());
    tasks.pop_front();
    const NodeId id = task.node;
    const Status status = NewLowering(graph, inliner, std::move(task))->Run();
    if (!status.ok()) NoteCannotRun(graph, id, status);
  }
  inliner.Rewire();
  LeaveOutToBools(graph, first_added);
}

}  // namespace tagflow
