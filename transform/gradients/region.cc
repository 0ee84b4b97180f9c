#include "transform/gradients/region.h"

#include <algorithm>
#include <utility>

#include "graph/builder/builder.h"
#include "graph/control_ops.h"

namespace tagflow::internal {
namespace {

// A node of the region, as its gradient function sees it.
class RegionNode : public NodeGradient {
 public:
  // A copy of the node: adding nodes moves those there are.
  RegionNode(Region& region, Node node)
      : region_(region),
        forward_(region.forward()),
        node_(std::move(node)),
        condition_(forward_.ConditionOf(node_.id)),
        scope_(WaitsForBranch() ? region.gates().Under(condition_) : region.scope()) {}

  const Node& node() const override { return node_; }
  const Scope& scope() const override { return scope_; }

  // What is in a branch may take what is there without it, and must not be asked for its derivative
  // where it does not fire: that may fail.
  Output input(size_t slot) override {
    const OutputRef tensor = node_.inputs[slot];
    return region_.gates().Gate(region_.values().Value(tensor), forward_.ConditionOf(tensor),
                                condition_);
  }
  Output output(size_t port) override { return region_.values().Value(Port(port)); }
  Output shape_of_input(size_t slot) override {
    return region_.values().ShapeOf(node_.inputs[slot]);
  }
  Output shape_of_output(size_t port) override { return region_.values().ShapeOf(Port(port)); }
  PartialShape input_shape(size_t slot) const override {
    return forward_.GradientShape(node_.inputs[slot]);
  }
  PartialShape output_shape(size_t port) const override {
    return forward_.state().shape(Port(port));
  }
  DType input_dtype(size_t slot) const override {
    return forward_.GradientDType(node_.inputs[slot]);
  }
  DType output_dtype(size_t port) const override { return forward_.state().type(Port(port)).dtype; }
  const Tensor* constant_input(size_t slot) const override {
    return forward_.state().ConstantValue(node_.inputs[slot]);
  }

  bool has_grad(size_t port) const override { return region_.Has(Port(port)); }
  Output grad(size_t port) override {
    if (has_grad(port)) return region_.Sum(Port(port));
    return region_.gates().Zeros(Port(port), condition_);
  }
  // A float that is given as the flow of an array and is none says nothing, and neither does a flow
  // that is taken for a float.
  bool wants(size_t slot) const override {
    const OutputRef input = node_.inputs[slot];
    return forward_.LeadsToX(input) && forward_.IsFlow(input) == TakesFlow(slot);
  }

  void Give(size_t slot, const Output& gradient) override {
    if (!gradient.valid() || !wants(slot)) return;
    const OutputRef input = node_.inputs[slot];
    const DType wanted = forward_.IsFlow(input) ? DType::kVariant : forward_.GradientDType(input);
    if (gradient.dtype() != wanted) {
      return scope().Fail(InvalidArgument("the gradient function of " + node_.op + " gives " +
                                          DTypeName(gradient.dtype()) + " for input " +
                                          std::to_string(slot) + " of '" + node_.name +
                                          "', which is " + DTypeName(wanted))
                              .WithNode(node_.name));
    }
    region_.Add(input, {condition_, gradient, nullptr});
  }
  void GiveUpdate(size_t slot, GradientUpdate update) override {
    if (!wants(slot)) return;
    region_.Add(node_.inputs[slot], {condition_, Output(), std::move(update)});
  }

 private:
  OutputRef Port(size_t port) const { return {node_.id, static_cast<int32_t>(port)}; }
  // Whether control edges alone put it into its branch.
  bool WaitsForBranch() const {
    return std::ranges::none_of(node_.inputs, [&](const OutputRef& input) {
      return forward_.ConditionOf(input) == condition_;
    });
  }
  // As an op of arrays, or to hand it on.
  bool TakesFlow(size_t slot) const {
    const std::vector<ArgDef>& args = node_.def->inputs;
    const bool is_named = slot < args.size() && args[slot].name == "flow_in";
    return is_named || forward_.IsFlow(Port(slot));
  }

  Region& region_;
  Forward& forward_;
  Node node_;
  const ConditionId condition_;
  const Scope scope_;
};

bool PassesOn(const Node& node) {
  const ControlOp op = ControlOpOf(node.op);
  return op == ControlOp::kSwitch || op == ControlOp::kNextIteration || IsSwitchN(node);
}

}  // namespace

void Region::Add(OutputRef tensor, Contribution contribution) {
  if (!forward_.LeadsToX(tensor)) return;
  if (gates_.UnderBase(contribution.condition) == ConditionId::kNever) return;
  received_[tensor].push_back({std::move(contribution), std::nullopt});
}

std::vector<Contribution> Region::Contributions(OutputRef tensor) const {
  std::vector<Contribution> all;
  struct Place {
    const std::vector<Received>* list;
    size_t next = 0;
  };
  std::vector<Place> open = {{&received_.at(tensor)}};
  while (!open.empty()) {
    Place& place = open.back();
    if (place.next == place.list->size()) {
      open.pop_back();
      continue;
    }
    const Received& received = (*place.list)[place.next++];
    if (received.all_of) {
      open.push_back({&received_.at(*received.all_of)});
    } else {
      all.push_back(received.contribution);
    }
  }
  return all;
}

Output Region::Sum(OutputRef tensor) {
  const auto found = sums_.find(tensor);
  if (found != sums_.end()) return found->second;
  return sums_[tensor] = gates_.Sum(tensor, Contributions(tensor));
}

// Whether the way back ends here: at a variable of the frame's loop, or outside the frame.
bool Region::IsEnd(const Node& node) const {
  if (IsEnter(node)) return forward_.FrameOf(node.id) != frame_;
  if (!IsMerge(node) || frame_ == FrameTree::kRoot) return false;
  return std::ranges::any_of(node.inputs, [&](const OutputRef& input) {
    const Node& from = forward_.graph().node(input.node);
    return IsEnter(from);
  });
}

bool Region::Produces(OutputRef tensor, Item* item) const {
  if (!forward_.OnPath(tensor.node)) return false;
  const Node& node = forward_.graph().node(tensor.node);
  if (IsEnd(node)) return false;
  *item = IsExit(node) ? Item{NodeId::kNone, forward_.FrameOf(node.id)} : Item{node.id, 0};
  return true;
}

Result<std::vector<OutputRef>> Region::InputsOf(Item item) const {
  if (item.node != NodeId::kNone) return forward_.graph().node(item.node).inputs;
  TAGFLOW_ASSIGN_OR_RETURN(const ForwardLoop* loop, forward_.LoopOf(item.loop));
  std::vector<OutputRef> inputs;
  for (const ForwardVariable& variable : loop->variables) {
    inputs.push_back(forward_.graph().node(variable.enter).inputs[0]);
  }
  for (const NodeId constant : loop->constants) {
    inputs.push_back(forward_.graph().node(constant).inputs[0]);
  }
  return inputs;
}

// What is behind the tensors with contributions, each before what its inputs come from.
Result<std::vector<Region::Item>> Region::Order() const {
  struct Open {
    Item item;
    std::vector<OutputRef> inputs;
    size_t next = 0;
  };
  std::map<Item, bool> finished;  // there: begun
  std::vector<Item> order;
  std::vector<Open> stack;
  const auto open = [&](OutputRef tensor) -> Status {
    Item item;
    if (!Produces(tensor, &item)) return Status();
    const auto [place, is_new] = finished.try_emplace(item, false);
    if (is_new) {
      TAGFLOW_ASSIGN_OR_RETURN(std::vector<OutputRef> inputs, InputsOf(item));
      stack.push_back({item, std::move(inputs)});
    } else if (!place->second) {
      return Unimplemented("'" + forward_.graph().node(tensor.node).name +
                           "' is part of a loop that is entered by what leaves it: gradients need "
                           "loops that are entered and left as a whole");
    }
    return Status();
  };
  for (const auto& [tensor, received] : received_) {
    TAGFLOW_RETURN_IF_ERROR(open(tensor));
    while (!stack.empty()) {
      Open& top = stack.back();
      if (top.next < top.inputs.size()) {
        TAGFLOW_RETURN_IF_ERROR(open(top.inputs[top.next++]));
        continue;
      }
      finished[top.item] = true;
      order.push_back(top.item);
      stack.pop_back();
    }
  }
  std::ranges::reverse(order);
  return order;
}

Status Region::Walk() {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Item> order, Order());
  for (const Item& item : order) {
    if (item.node != NodeId::kNone) {
      TAGFLOW_RETURN_IF_ERROR(Visit(item.node));
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(const ForwardLoop* loop, forward_.LoopOf(item.loop));
      TAGFLOW_RETURN_IF_ERROR(AddLoopGradient(*this, *loop));
    }
    TAGFLOW_RETURN_IF_ERROR(scope_.status());
  }
  return Status();
}

Status Region::Visit(NodeId id) {
  const Node node = forward_.graph().node(id);
  if (PassesOn(node)) {
    PassOn(node);
  } else if (IsMerge(node)) {
    SplitMerge(node);
  } else {
    RegionNode gradient(*this, node);
    bool reached = false;
    for (size_t port = 0; port < forward_.state().output_types(id).size(); ++port) {
      reached = reached || gradient.has_grad(port);
    }
    if (reached) return (*forward_.registry().Find(node.op))(gradient).WithNode(node.name);
  }
  return Status();
}

void Region::PassOn(const Node& node) {
  for (size_t port = 0; port < forward_.state().output_types(node.id).size(); ++port) {
    const OutputRef output{node.id, static_cast<int32_t>(port)};
    if (Has(output) && forward_.LeadsToX(node.inputs[0])) {
      received_[node.inputs[0]].push_back({{}, output});
    }
  }
}

void Region::SplitMerge(const Node& node) {
  const OutputRef value{node.id, 0};
  if (!Has(value)) return;
  const Output gradient = Sum(value);
  for (const OutputRef& input : node.inputs) {
    if (!forward_.LeadsToX(input)) continue;
    const ConditionId live = forward_.ConditionOf(input);
    if (gates_.UnderBase(live) == ConditionId::kNever) continue;
    Add(input, {live, gates_.Gate(gradient, forward_.ConditionOf(value), live), nullptr});
  }
}

}  // namespace tagflow::internal
