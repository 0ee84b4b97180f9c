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

// The functions that a functional node calls: its op, where that is a function's name, and its
// attrs.
std::vector<std::string> FunctionsOf(const Node& node) {
  std::vector<std::string> names = {node.op};
  for (const auto& [name, value] : node.attrs) {
    if (const NameAttrList* const function = value.function()) names.push_back(function->name);
    if (value.list() == nullptr) continue;
    for (const auto& function : value.list()->functions) names.push_back(function->name);
  }
  return names;
}

bool IsKept(const Node& node, const std::vector<std::string>& within, KeptCalls kept) {
  if (kept == KeptCalls::kNone || IsGradient(node.op)) return false;
  if (kept == KeptCalls::kAll) return true;
  return std::ranges::any_of(FunctionsOf(node), [&](const std::string& name) {
    return std::ranges::find(within, name) != within.end();
  });
}

// As a node of an op that has effects, since its functions may have some; a call by name becomes
// one of an op.
Status KeepCall(Graph& graph, NodeId id, int depth) {
  TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(graph.node(id)));
  Node& node = graph.mutable_node(id);
  constexpr std::string_view kStateless = "Stateless";
  if (node.op.starts_with(kStateless)) {
    node.op = node.op.substr(kStateless.size());
  } else if (node.op == "PartitionedCall") {
    node.op = "StatefulPartitionedCall";
  } else if (graph.registry().Find(node.op) == nullptr) {
    NameAttrList function = {node.op, std::move(node.attrs)};
    node.attrs.clear();
    AttrList takes, gives;
    takes.types = signature.inputs;
    gives.types = signature.outputs;
    node.op = "StatefulPartitionedCall";
    graph.SetAttr(id, "f", AttrValue(std::move(function)));
    graph.SetAttr(id, "Tin", AttrValue(std::move(takes)));
    graph.SetAttr(id, "Tout", AttrValue(std::move(gives)));
  }
  node.def = graph.registry().Find(node.op);
  graph.SetAttr(id, kCallDepthAttr, AttrValue(int64_t{depth}));
  return Status();
}

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
  const auto shapes = InferShapesOf(graph, found);
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

void LowerFunctions(Graph& graph, const LoweringOptions& options) {
  Inliner inliner(graph, options.depth);
  std::deque<LoweringTask>& tasks = inliner.tasks();
  for (const NodeId id : graph.NodeIds()) {
    if (!IsFunctional(graph, graph.node(id))) continue;
    tasks.push_back({id, NodeId::kNone, false, options.within});
  }
  if (tasks.empty()) return;
  const size_t first_added = graph.id_limit();
  const bool among_primitives = HasPrimitives(graph);
  for (LoweringTask& task : tasks) task.among_primitives = among_primitives;
  while (!tasks.empty()) {
    LoweringTask task = std::move(tasks.front());
    tasks.pop_front();
    const NodeId id = task.node;
    const Status status = IsKept(graph.node(id), task.within, options.kept)
                              ? KeepCall(graph, id, inliner.DepthOf(task))
                              : NewLowering(graph, inliner, std::move(task))->Run();
    if (!status.ok()) NoteCannotRun(graph, id, status);
  }
  inliner.Rewire();
  LeaveOutToBools(graph, first_added);
}

}  // namespace tagflow
