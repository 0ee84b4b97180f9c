#include "optimized/target_watch.h"

#include <algorithm>
#include <utility>

namespace tagflow::optimized {
namespace {

// What a witness is: an op that there is, without inputs, which makes a variable of the step.
constexpr const char* kWitnessOp = "TemporaryVariable";
constexpr const char* kVariableAttr = "var_name";
// No variable of a graph is called so by accident.
constexpr std::string_view kRan = "\x01ran ";

std::string VariableOf(const std::string& target) { return std::string(kRan) + target; }

void AddWitness(NodeId target, Graph& graph, CallSpec& call) {
  const std::string name = graph.node(target).name;
  const Result<NodeId> added = graph.AddNode(graph.UniqueName(name + "/ran"), kWitnessOp);
  if (!added.ok()) return;  // a target whose name is none: the call has said so
  Node& witness = graph.mutable_node(*added);
  witness.device = graph.node(target).device;
  witness.control_inputs.push_back(target);
  graph.SetAttr(*added, "dtype", DType::kBool);
  graph.SetAttr(*added, "shape", PartialShape(Dims{}));
  graph.SetAttr(*added, kVariableAttr, VariableOf(name));
  AttrList place;
  place.strings.push_back("loc:@" + name);
  graph.SetAttr(*added, "_class", std::move(place));
  call.targets.push_back(*added);
}

Binder WitnessBinder(const Binder& bind) {
  return [bind](const Binding& binding) -> Result<BoundKernel> {
    const AttrValue* const attr = FindAttr(binding.node, kVariableAttr);
    const std::string* const name = attr != nullptr ? attr->Get<std::string>() : nullptr;
    if (name == nullptr || !name->starts_with(kRan)) return bind(binding);
    return BoundKernel([name = *name](KernelContext& context) -> Status {
      // It may be there, of an earlier iteration.
      (void)context.step().CreateVariable(name);
      context.set_output_variable(0, std::make_shared<Variable>(name));
      return Status();
    });
  };
}

}  // namespace

CallGraph WithWitnesses(const Graph& graph, const CallSpec& call) {
  CallGraph watched{graph.Clone(), call};
  for (NodeId target : call.targets) AddWitness(target, watched.graph, watched.call);
  return watched;
}

std::unique_ptr<KernelRegistry> WitnessKernels(const KernelRegistry& kernels) {
  return kernels.WithBinders([](const std::string& op, const KernelEntry& entry) {
    return op == kWitnessOp ? WitnessBinder(entry.bind) : entry.bind;
  });
}

std::vector<std::string> DeadTargets(const std::vector<std::string>& targets, StepState& step) {
  std::vector<std::string> dead;
  for (const std::string& target : targets) {
    const bool is_new = std::ranges::find(dead, target) == dead.end();
    if (is_new && step.TakeVariable(VariableOf(target)) == nullptr) dead.push_back(target);
  }
  return dead;
}

}  // namespace tagflow::optimized
