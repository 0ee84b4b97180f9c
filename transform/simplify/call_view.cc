#include "transform/simplify/call_view.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

#include "graph/control_ops.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow {
namespace {

bool IsIn(std::string_view op, std::initializer_list<std::string_view> ops) {
  return std::ranges::find(ops, op) != ops.end();
}

bool TouchesObjects(const std::vector<ArgDef>& args) {
  return std::ranges::any_of(
      args, [](const ArgDef& arg) { return arg.is_ref || arg.dtype == DType::kResource; });
}

bool CallsFunctions(const OpDef& def) {
  return std::ranges::any_of(def.attrs, [](const AttrDef& attr) {
    return attr.kind == AttrKind::kFunction || attr.kind == AttrKind::kListFunction;
  });
}

uint16_t TraitsOfControl(ControlOp op, std::string_view name) {
  switch (op) {
    case ControlOp::kSwitch:
      return name == "Switch" ? kSwitch : 0;
    case ControlOp::kMerge:
      return name == "Merge" ? kMerge : 0;
    case ControlOp::kEnter:
    case ControlOp::kNextIteration:
      return kFrameEdge;
    default:
      return 0;
  }
}

// Functions of their inputs by their definition, and yet not to be moved or shared: placeholders,
// random numbers, messages, what ends a step.
bool IsApart(std::string_view name) {
  return name.starts_with("Placeholder") || name.starts_with("Stateless") || name == "Abort" ||
         IsIn(name, {"_Send", "_HostSend", "_Recv", "_HostRecv", "_SwitchN"});
}

// Whether an Enter is constant, its attrs say.
uint16_t TraitsOfNode(const Node& node, uint16_t of_op) {
  const bool is_constant = (of_op & kFrameEdge) != 0 && node.op == "Enter" && IsConstantEnter(node);
  return is_constant ? uint16_t{kConstantEnter} : of_op;
}

}  // namespace

uint16_t TraitsOf(const OpDef* def) {
  if (def == nullptr) return 0;
  const std::string_view name = def->name;
  uint16_t traits = std::ranges::any_of(def->outputs, &ArgDef::is_ref) ? kReference : 0;
  const ControlOp control = ControlOpOf(name);
  if (control != ControlOp::kNone) return traits | TraitsOfControl(control, name);
  if (name == "Const") return traits | kConst;
  if (IsIn(name, {"Identity", "StopGradient", "PreventGradient"})) return traits | kForwards;
  const bool pure = !def->is_stateful && !def->outputs.empty() && !IsApart(name) &&
                    !TouchesObjects(def->inputs) && !TouchesObjects(def->outputs) &&
                    !CallsFunctions(*def);
  return pure ? traits | kPure : traits;
}

CallView::CallView(const Graph& graph, const CallSpec& call)
    : CallView(graph, call, NeededNodes(graph, call)) {}

CallView::CallView(const Graph& graph, const CallSpec& call, const std::vector<bool>& needed)
    : graph_(graph), fed_(graph, call.feeds), traits_(graph.id_limit()) {
  for (const OutputRef& feed : call.feeds) traits_[Index(feed.node)] |= kFed;
  for (const OutputRef& fetch : call.fetches) traits_[Index(fetch.node)] |= kFetched;
  for (const NodeId target : call.targets) traits_[Index(target)] |= kTarget;
  std::unordered_map<const OpDef*, uint16_t> of_op;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    const NodeId id{static_cast<int32_t>(i)};
    needed_.push_back(id);
    traits_[i] |= kNeeded;
    const Node& node = graph.node(id);
    if (fed_.IsFedPlaceholder(node)) continue;
    const auto [place, is_new] = of_op.try_emplace(node.def);
    if (is_new) place->second = TraitsOf(node.def);
    traits_[i] |= TraitsOfNode(node, place->second);
  }
}

void CallView::Update(NodeId id) {
  if (Index(id) >= traits_.size()) traits_.resize(graph_.id_limit());
  const Node& node = graph_.node(id);
  traits_[Index(id)] =
      (traits_[Index(id)] & kRoot) | kNeeded | TraitsOfNode(node, TraitsOf(node.def));
}

bool CallView::TakesReference(const Node& node) const {
  return std::ranges::any_of(node.inputs, [&](OutputRef input) { return IsReference(input); });
}

const Tensor* CallView::ConstantOf(OutputRef output) const {
  // No graph has a longer chain, and a wrong one may have a cycle.
  for (int steps = 0; steps < 100; ++steps) {
    if (output.index != 0 || IsFed(output)) return nullptr;
    if (Has(output.node, kConst)) return ConstValue(graph_.node(output.node));
    if (!Has(output.node, kForwards | kConstantEnter)) return nullptr;
    const Node& node = graph_.node(output.node);
    if (node.inputs.size() != 1 || IsReference(node.inputs[0])) return nullptr;
    output = node.inputs[0];
  }
  return nullptr;
}

void BecomeOp(Graph& graph, NodeId id, std::string_view op) {
  Node& node = graph.mutable_node(id);
  node.op = op;
  node.def = graph.registry().Find(op);
}

const Tensor* ConstValue(const Node& node) {
  const AttrValue* attr = FindAttr(node, "value");
  const Tensor* value = attr == nullptr ? nullptr : attr->Get<Tensor>();
  const Result<DType> dtype = TypeAttr(node, "dtype");
  return value != nullptr && dtype.ok() && value->dtype() == *dtype ? value : nullptr;
}

}  // namespace tagflow
