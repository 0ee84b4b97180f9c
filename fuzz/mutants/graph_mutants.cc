// Mutants of what a graph may be.

#include <algorithm>

#include "fuzz/mutants/edit.h"
#include "fuzz/mutants/sections.h"
#include "graph/call.h"
#include "graph/validate.h"

namespace tagflow::fuzz {
namespace {

// Every cycle is refused: a depth-first walk that does not stop at NextIteration.
class CycleFinder {
 public:
  explicit CycleFinder(const Graph& graph) : graph_(graph), state_(graph.id_limit(), kNew) {}

  Status Find() {
    for (NodeId id : graph_.NodeIds()) {
      if (!Visit(id))
        return InvalidArgument("the graph has a cycle").WithNode(graph_.node(id).name);
    }
    return Status();
  }

 private:
  enum State : uint8_t { kNew, kOpen, kDone };

  bool Visit(NodeId id) {
    State& state = state_[Index(id)];
    if (state != kNew) return state == kDone;
    state = kOpen;
    for (OutputRef input : graph_.node(id).inputs) {
      if (!Visit(input.node)) return false;
    }
    for (NodeId input : graph_.node(id).control_inputs) {
      if (!Visit(input)) return false;
    }
    state_[Index(id)] = kDone;
    return true;
  }

  const Graph& graph_;
  std::vector<State> state_;
};

// Where a cycle has no NextIteration, one edge of it is as if it were not there.
Status BreakCycles(Graph& graph, Call& call, const Past&) {
  Mend(graph, call, "graph.2", [](Graph& wrong, Node& node) {
    const Result<Signature> signature = ResolveSignature(node);
    if (!node.control_inputs.empty()) {
      node.control_inputs.clear();
      return;
    }
    if (!signature.ok()) return;
    const std::string name = node.name;
    const DType dtype = signature->outputs.empty() ? DType::kFloat : signature->outputs[0].dtype;
    if (!IsPlainDType(dtype)) return;
    node.op = "Const";
    node.def = wrong.registry().Find("Const");
    node.inputs.clear();
    node.attrs = {{"dtype", AttrValue(dtype)}, {"value", AttrValue(*Tensor::Allocate(dtype, {}))}};
  });
  return Status();
}

// Inputs more than the op has are dropped, and a Merge counts its own.
Status CountInputs(Graph& graph, Call&, const Past&) {
  for (NodeId id : graph.NodeIds()) {
    if (IsOp(graph.node(id), "Merge"))
      graph.SetAttr(id, "N", static_cast<int64_t>(graph.node(id).inputs.size()));
    const Result<Signature> signature = ResolveSignature(graph.node(id));
    if (!signature.ok()) continue;
    std::vector<OutputRef>& inputs = graph.mutable_node(id).inputs;
    if (inputs.size() > signature->inputs.size()) inputs.resize(signature->inputs.size());
  }
  return Status();
}

Status RefusePartialDevices(Graph& graph, Call&, const Past&) {
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (!node.device.empty() && node.device.find("/job:") == std::string::npos)
      return InvalidArgument("the device is not complete").WithNode(node.name);
  }
  return Status();
}

Status RefuseUnknownOps(Graph& graph, Call& call, const Past&) {
  std::vector<std::string> feeds;
  for (const auto& [name, value] : call.feeds) feeds.push_back(name);
  TAGFLOW_ASSIGN_OR_RETURN(const CallSpec spec,
                           ResolveCall(graph, feeds, call.fetches, call.targets));
  const std::vector<bool> needed = NeededNodes(graph, spec);
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (needed[Index(id)] && node.def == nullptr) return ResolveSignature(node).status();
  }
  return Status();
}

}  // namespace

void AddGraphMutants(std::vector<Mutant>& all) {
  Add(all, "graph.1", "the-whole-graph-is-checked", "what nothing needs must be right as well")
      .rewrite = [](Graph& graph, Call&, const Past&) {
    const std::vector<Status> wrong = ValidateGraph(graph);
    return wrong.empty() ? Status() : wrong.front();
  };
  Add(all, "graph.1", "inputs-are-not-counted", "too many inputs are cut, N is what there is")
      .rewrite = CountInputs;
  Add(all, "graph.1", "unknown-ops-are-refused-at-once",
      "an unknown op is refused where it is dead",
      "a graph with a check of another system in a dead branch could not be run")
      .rewrite = RefuseUnknownOps;
  Add(all, "graph.2", "no-cycle-at-all", "a cycle through a NextIteration is refused",
      "a loop failed at random when its nodes were sorted")
      .rewrite = [](Graph& graph, Call&, const Past&) { return CycleFinder(graph).Find(); };
  Add(all, "graph.2", "any-cycle", "a cycle without a NextIteration is cut somewhere").rewrite =
      BreakCycles;
  Add(all, "graph.4", "any-device", "a device that is not there is ignored").rewrite =
      [](Graph& graph, Call&, const Past&) {
        ForEachNode(graph, [](Node& node) { node.device.clear(); });
        return Status();
      };
  Add(all, "graph.4", "only-whole-names", "a device must be named in full").rewrite =
      RefusePartialDevices;
}

}  // namespace tagflow::fuzz
