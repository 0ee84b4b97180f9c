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
  return op == "PartitionedCall" || op == "StatefulPartitionedCall";
}

class CallLowering : public NodeLowering {
 public:
  using NodeLowering::NodeLowering;

 private:
  Status Lower() override {
    NameAttrList function = {op_, node().attrs};
    if (IsCall(op_)) {
      TAGFLOW_ASSIGN_OR_RETURN(function, FunctionAttr("f"));
    }
    TAGFLOW_ASSIGN_OR_RETURN(
        FunctionBody body,
        inliner_.Instantiate(task_, function, name_, signature_.inputs, signature_.outputs));
    const Outputs args = Gate();
    const Inlined inlined = inliner_.Put(task_, function, std::move(body), args, pivot_, name_);
    Become(inlined.returns, {inlined.done, pivot_}, inlined.done == NodeId::kNone);
    return Status();
  }
};

std::unique_ptr<NodeLowering> NewLowering(Graph& graph, Inliner& inliner, LoweringTask task) {
  const std::string& op = graph.node(task.node).op;
  if (IsIf(op) || IsCase(op)) return NewBranchLowering(graph, inliner, std::move(task));
  if (IsWhile(op)) return NewWhileLowering(graph, inliner, std::move(task));
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
  if (IsCall(node.op) || IsIf(node.op) || IsCase(node.op) || IsWhile(node.op)) return true;
  return graph.registry().Find(node.op) == nullptr && graph.library.Find(node.op) != nullptr;
}

void LowerFunctions(Graph& graph) {
  Inliner inliner(graph);
  std::deque<LoweringTask>& tasks = inliner.tasks();
  for (const NodeId id : graph.NodeIds()) {
    if (IsFunctional(graph, graph.node(id))) tasks.push_back({id, NodeId::kNone, false, {}});
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
