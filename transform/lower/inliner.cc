#include "transform/lower/inliner.h"

#include <algorithm>

#include "graph/control_ops.h"
#include "transform/deadness/dependency_order.h"
#include "transform/limits.h"
#include "transform/lower/lower.h"

namespace tagflow {
namespace {

std::string TypesText(const std::vector<ArgType>& types) {
  std::string text;
  for (const ArgType& type : types) text += (text.empty() ? "" : ", ") + DTypeName(type.dtype);
  return "(" + text + ")";
}

bool AreSame(const std::vector<ArgType>& a, const std::vector<ArgType>& b) {
  return std::ranges::equal(a, b, {}, &ArgType::dtype, &ArgType::dtype);
}

// The type of an output of a body's graph.
Result<ArgType> TypeOf(const Graph& graph, OutputRef output) {
  TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(graph.node(output.node)));
  const auto index = static_cast<size_t>(output.index);
  if (index < signature.outputs.size()) return signature.outputs[index];
  return InvalidArgument("node '" + graph.node(output.node).name + "' has no output " +
                         std::to_string(index));
}

}  // namespace

bool HasPrimitives(const Graph& graph) {
  return std::ranges::any_of(graph.NodeIds(), [&](NodeId id) {
    const Node& node = graph.node(id);
    return IsSwitch(node) || IsMerge(node) || IsEnter(node);
  });
}

NodeId Inliner::Add(const std::string& name, const char* op, const std::string& device,
                    std::vector<OutputRef> inputs, const std::vector<NodeId>& control) {
  const NodeId id = *graph_.AddNode(graph_.UniqueName(name), op);
  Node& node = graph_.mutable_node(id);
  node.device = device;
  node.inputs = std::move(inputs);
  for (const NodeId from : control) {
    if (from != NodeId::kNone) node.control_inputs.push_back(from);
  }
  return id;
}

NodeId Inliner::AddTyped(const std::string& name, const char* op, const std::string& device,
                         DType dtype, std::vector<OutputRef> inputs,
                         const std::vector<NodeId>& control) {
  const NodeId id = Add(name, op, device, std::move(inputs), control);
  graph_.SetAttr(id, "T", AttrValue(dtype));
  return id;
}

Result<FunctionBody> Inliner::Instantiate(const LoweringTask& task, const NameAttrList& function,
                                          const std::string& prefix,
                                          const std::vector<ArgType>& takes,
                                          const std::optional<std::vector<ArgType>>& gives) {
  const bool is_recursive = std::ranges::count(task.within, function.name) > 0;
  if (DepthOf(task) >= kMostNestedCalls || (is_recursive && num_recursive_ > kMostRecursiveNodes)) {
    return ResourceExhausted("calls are nested more than " + std::to_string(DepthOf(task)) +
                             " deep, up to one of function '" + function.name +
                             "': a recursion needs an end")
        .WithRule("functional.recursion");
  }
  if (num_lowered_ > kMostLoweredNodes) {
    return ResourceExhausted("the functions that this graph calls have more than " +
                             std::to_string(kMostLoweredNodes) +
                             " nodes where each call is put in its place, before this one of '" +
                             function.name + "'")
        .WithRule("functional.recursion");
  }
  TAGFLOW_ASSIGN_OR_RETURN(FunctionBody body, InstantiateFunction(graph_, function, prefix));
  num_lowered_ += static_cast<int64_t>(body.graph.num_nodes());
  if (is_recursive) num_recursive_ += static_cast<int64_t>(body.graph.num_nodes());
  std::vector<ArgType> taken, given;
  for (const NodeId arg : body.args) {
    TAGFLOW_ASSIGN_OR_RETURN(const ArgType type, TypeOf(body.graph, {arg, 0}));
    taken.push_back(type);
  }
  for (const OutputRef result : body.returns) {
    TAGFLOW_ASSIGN_OR_RETURN(const ArgType type, TypeOf(body.graph, result));
    given.push_back(type);
  }
  const std::vector<ArgType>& wanted = gives.has_value() ? *gives : given;
  if (AreSame(taken, takes) && AreSame(given, wanted)) return body;
  return InvalidArgument("function '" + function.name + "' takes " + TypesText(taken) +
                         " and gives " + TypesText(given) + "; it is called with " +
                         TypesText(takes) + " for " + TypesText(wanted))
      .WithRule("functional.call");
}

Inlined Inliner::Put(const LoweringTask& task, const NameAttrList& function, FunctionBody body,
                     const std::vector<OutputRef>& args, NodeId pivot, const std::string& prefix) {
  const std::string device = graph_.node(task.node).device;
  const bool among_primitives = HasPrimitives(body.graph);
  std::vector<NodeId> made(body.graph.id_limit(), NodeId::kNone);
  std::vector<int> arg_of(body.graph.id_limit(), -1);
  for (size_t i = 0; i < body.args.size(); ++i) arg_of[Index(body.args[i])] = static_cast<int>(i);
  const auto mapped = [&](OutputRef output) {
    const int arg = arg_of[Index(output.node)];
    if (arg >= 0) return args[static_cast<size_t>(arg)];
    return OutputRef{made[Index(output.node)], output.index};
  };

  std::vector<std::string> within = task.within;
  within.push_back(function.name);
  const std::vector<NodeId> ids = body.graph.NodeIds();
  for (const NodeId id : ids) {
    if (arg_of[Index(id)] >= 0) continue;
    Node& from = body.graph.mutable_node(id);
    const NodeId to = *graph_.AddNode(graph_.UniqueName(from.name), from.op);
    made[Index(id)] = to;
    Node& node = graph_.mutable_node(to);
    node.device = from.device.empty() ? device : from.device;
    node.attrs = std::move(from.attrs);
    node.unknown_fields = std::move(from.unknown_fields);
    if (IsFunctional(graph_, node)) tasks_.push_back({to, pivot, among_primitives, within});
  }
  for (const NodeId id : ids) {
    if (arg_of[Index(id)] >= 0) continue;
    const Node& from = body.graph.node(id);
    Node& node = graph_.mutable_node(made[Index(id)]);
    for (const OutputRef input : from.inputs) node.inputs.push_back(mapped(input));
    for (const NodeId input : from.control_inputs) {
      if (arg_of[Index(input)] < 0) node.control_inputs.push_back(made[Index(input)]);
    }
    // What hangs on nothing of the branch or iteration would run whether or not that does: in the
    // last iteration, a NextIteration of it would begin one more.
    const bool is_outside =
        node.control_inputs.empty() && std::ranges::all_of(node.inputs, [&](OutputRef input) {
          return IsConstantEnter(graph_.node(input.node));
        });
    if (is_outside && pivot != NodeId::kNone) node.control_inputs.push_back(pivot);
  }

  Inlined inlined;
  for (const OutputRef output : body.returns) inlined.returns.push_back(mapped(output));
  std::vector<NodeId> effects;
  for (const NodeId effect : body.effects) {
    if (arg_of[Index(effect)] < 0) effects.push_back(made[Index(effect)]);
  }
  if (effects.empty()) return inlined;
  // Where some of them may be dead, the others have happened all the same.
  const char* const op = among_primitives ? "ControlTrigger" : "NoOp";
  NodeId done = Add(prefix + "/done", op, device, {}, effects);
  if (among_primitives) done = Add(prefix + "/done", "NoOp", device, {}, {done, pivot});
  inlined.done = done;
  return inlined;
}

void Inliner::Rewire() {
  if (passed_on_.empty()) return;
  for (const NodeId id : graph_.NodeIds()) {
    for (OutputRef& input : graph_.mutable_node(id).inputs) {
      // A result may be that of a call in turn.
      for (auto at = passed_on_.find(input); at != passed_on_.end(); at = passed_on_.find(input)) {
        input = at->second;
      }
    }
  }
}

}  // namespace tagflow
