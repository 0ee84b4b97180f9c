#include "transform/gradients/loop_history.h"

#include <utility>

namespace tagflow::internal {
namespace {

// What is known of the elements of a list, as EmptyTensorList takes it.
Tensor ElementShape(const PartialShape& shape) {
  if (!shape.known_rank()) return Tensor::Scalar(int32_t{-1});
  return Tensor::Vector(std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
}

}  // namespace

NodeId LoopHistory::Insert(NodeId like, const char* name, const char* op,
                           std::vector<OutputRef> inputs, AttrMap attrs,
                           std::vector<NodeId> controls) {
  if (!scope_.ok()) return NodeId::kNone;
  BuildState& state = forward_.state();
  NodeSpec spec;
  spec.name = forward_.FrameName(loop_.frame) + "/history/" + name;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.controls = std::move(controls);
  spec.attrs = std::move(attrs);
  spec.device = forward_.graph().node(like).device;
  spec.context = state.context_of(like);
  Result<NodeId> node = state.AddNode(std::move(spec));
  if (!node.ok()) scope_.Fail(node.status());
  return node.ok() ? *node : NodeId::kNone;
}

NodeId LoopHistory::AddInside(const char* name, const char* op, std::vector<OutputRef> inputs,
                              AttrMap attrs, std::vector<NodeId> controls) {
  return Insert(loop_.variables[0].merge, name, op, std::move(inputs), std::move(attrs),
                std::move(controls));
}

NodeId LoopHistory::AddOutside(const char* name, const char* op, std::vector<OutputRef> inputs,
                               AttrMap attrs, std::vector<NodeId> controls) {
  return Insert(loop_.variables[0].enter, name, op, std::move(inputs), std::move(attrs),
                std::move(controls));
}

// A node that is live exactly when the loop is entered; an Enter's own control edges lead inside.
NodeId LoopHistory::EntryPivot() {
  if (entry_pivot_) return *entry_pivot_;
  const Node& enter = forward_.graph().node(loop_.variables[0].enter);
  const OutputRef initial = enter.inputs[0];
  entry_pivot_ = AddOutside("entry", "Identity", {initial},
                            {{"T", forward_.state().type(initial).dtype}}, enter.control_inputs);
  return *entry_pivot_;
}

OutputRef LoopHistory::OutsideConst(const char* name, Tensor value) {
  const DType dtype = value.dtype();
  const NodeId node = AddOutside(name, "Const", {}, {{"dtype", dtype}, {"value", std::move(value)}},
                                 {EntryPivot()});
  return {node, 0};
}

// As the loop's own Enters have them: frame_name, parallel_iterations, marks for the gradient.
AttrMap LoopHistory::EnterAttrs(DType dtype, bool is_constant) const {
  AttrMap attrs = forward_.graph().node(loop_.variables[0].enter).attrs;
  std::erase_if(attrs, [](const auto& attr) {
    return attr.first == "T" || attr.first == "is_constant" || attr.first == "_class" ||
           attr.first == "_output_shapes";
  });
  attrs.emplace_back("T", dtype);
  attrs.emplace_back("is_constant", is_constant);  // which the loop's own may leave out
  return attrs;
}

OutputRef LoopHistory::EnterConstant(OutputRef value) {
  const DType dtype = forward_.state().type(value).dtype;
  return {AddOutside("Enter", "Enter", {value}, EnterAttrs(dtype, true)), 0};
}

LoopHistory::Variable LoopHistory::AddVariable(const char* name, OutputRef initial) {
  if (!scope_.ok()) return {};
  const DType dtype = forward_.state().type(initial).dtype;
  const NodeId enter = AddOutside(name, "Enter", {initial}, EnterAttrs(dtype, false));
  const NodeId merge = AddInside(name, "Merge", {{enter, 0}, {enter, 0}}, {{"N", 2}, {"T", dtype}});
  const NodeId ports = AddInside(name, "Switch", {{merge, 0}, loop_.predicate}, {{"T", dtype}});
  const int32_t body = loop_.repeats.value;
  return {merge, {ports, body}, {ports, 1 - body}};
}

OutputRef LoopHistory::Close(const char* name, const Variable& variable, OutputRef next) {
  if (!scope_.ok()) return {};
  const DType dtype = forward_.state().type(next).dtype;
  const NodeId again = AddInside(name, "NextIteration", {next}, {{"T", dtype}});
  scope_.Fail(forward_.state().ReplaceInput(variable.merge, 1, {again, 0}));
  const NodeId exit = AddOutside(name, "Exit", {variable.final}, {{"T", dtype}});
  forward_.NoteInserted(exit, loop_.entered);
  return {exit, 0};
}

OutputRef LoopHistory::TripCount() {
  if (trip_count_) return *trip_count_;
  one_ = EnterConstant(OutsideConst("one", Tensor::Scalar(int32_t{1})));
  const Variable count = AddVariable("count", OutsideConst("zero", Tensor::Scalar(int32_t{0})));
  count_ = count.body;
  counted_ = AddInside("count", "AddV2", {count_, one_}, {{"T", DType::kInt32}});
  trip_count_ = Close("count", count, {counted_, 0});
  if (scope_.ok()) next_count_ = forward_.graph().node(count.merge).inputs[1].node;
  return *trip_count_;
}

std::vector<OutputRef> LoopHistory::SaveBlockStarts() {
  TripCount();
  const AttrMap int32 = {{"T", DType::kInt32}};
  const Variable begin =
      AddVariable("block_begin", OutsideConst("zero", Tensor::Scalar(int32_t{0})));
  const Variable length =
      AddVariable("block_length", OutsideConst("one", Tensor::Scalar(int32_t{1})));
  const OutputRef due{AddInside("due", "Equal", {count_, begin.body}, int32), 0};
  const auto advance = [&](const char* name, const Variable& variable, OutputRef by) {
    const OutputRef more{AddInside(name, "AddV2", {variable.body, by}, int32), 0};
    const NodeId next = AddInside(name, "SelectV2", {due, more, variable.body}, int32);
    Close(name, variable, {next, 0});
  };
  advance("block_begin", begin, length.body);
  advance("block_length", length, one_);
  std::vector<OutputRef> lists;
  for (const ForwardVariable& variable : loop_.variables) {
    lists.push_back(SaveWhere(due, {variable.merge, 0}));
  }
  return lists;
}

// As Save, in the iterations where `due` is true.
OutputRef LoopHistory::SaveWhere(OutputRef due, OutputRef value) {
  const AttrMap variant = {{"T", DType::kVariant}};
  const Variable list = AddVariable("state", EmptyList(value));
  const NodeId ports = AddInside("state", "Switch", {list.body, due}, variant);
  const NodeId pushed = AddInside("state", "TensorListPushBack", {{ports, 1}, value},
                                  {{"element_dtype", forward_.state().type(value).dtype}});
  const NodeId next =
      AddInside("state", "Merge", {{ports, 0}, {pushed, 0}}, {{"N", 2}, {"T", DType::kVariant}});
  return Close("state", list, {next, 0});
}

OutputRef LoopHistory::EmptyList(OutputRef value) {
  const OutputRef shape =
      OutsideConst("element_shape", ElementShape(forward_.state().shape(value)));
  const OutputRef unlimited = OutsideConst("max_num_elements", Tensor::Scalar(int32_t{-1}));
  const NodeId list = AddOutside(
      "list", "EmptyTensorList", {shape, unlimited},
      {{"element_dtype", forward_.state().type(value).dtype}, {"shape_type", DType::kInt32}});
  return {list, 0};
}

OutputRef LoopHistory::Save(OutputRef value) {
  const auto found = saved_.find(value);
  if (found != saved_.end() || !scope_.ok())
    return found == saved_.end() ? OutputRef() : found->second;
  const ConditionId in_body = forward_.conditions().With(ConditionId::kAlways, loop_.repeats);
  const ConditionId live = forward_.conditions().Both(in_body, forward_.ConditionOf(value));
  const Variable list = AddVariable("list", EmptyList(value));
  const AttrMap attrs = {{"element_dtype", forward_.state().type(value).dtype}};
  const OutputRef next =
      Guarded(list.body, forward_.Path(in_body, live), [&](OutputRef so_far) -> OutputRef {
        return {AddInside("push", "TensorListPushBack", {so_far, value}, attrs), 0};
      });
  return saved_[value] = Close("list", list, next);
}

OutputRef LoopHistory::SaveOnStack(OutputRef value) {
  const auto found = saved_.find(value);
  if (found != saved_.end() || !scope_.ok()) {
    return found == saved_.end() ? OutputRef() : found->second;
  }
  TripCount();
  const DType dtype = forward_.state().type(value).dtype;
  const OutputRef unlimited = OutsideConst("max_size", Tensor::Scalar(int32_t{-1}));
  const NodeId stack =
      AddOutside("stack", "StackV2", {unlimited}, {{"elem_type", dtype}, {"stack_name", "history"}},
                 {EntryPivot()});
  forward_.NoteInserted(stack, loop_.entered);
  OutputRef handle = EnterConstant({stack, 0});
  const ConditionId in_body = forward_.conditions().With(ConditionId::kAlways, loop_.repeats);
  const ConditionId live = forward_.conditions().Both(in_body, forward_.ConditionOf(value));
  for (const ConditionLiteral& literal : forward_.Path(in_body, live)) {
    handle = {AddSwitch(handle, literal.predicate), literal.value};
  }
  const NodeId push = AddInside("push", "StackPushV2", {handle, value},
                                {{"T", dtype}, {"swap_memory", SwapsMemory()}}, {counted_});
  const NodeId pushed = AddInside("pushed", "ControlTrigger", {}, {}, {push});
  if (scope_.ok()) forward_.state().AddControl(next_count_, pushed);
  return saved_[value] = {stack, 0};
}

bool LoopHistory::SwapsMemory() const {
  const AttrValue* swap = FindAttr(forward_.graph().node(loop_.variables[0].enter), "_swap_memory");
  return swap != nullptr && *swap == AttrValue(true);
}

NodeId LoopHistory::AddSwitch(OutputRef value, int32_t predicate) {
  AttrMap attrs = {{"T", forward_.state().type(value).dtype}};
  const bool by_index = forward_.IsIndex(predicate);
  if (by_index) attrs.emplace_back("num_outs", int64_t{forward_.conditions().arity(predicate)});
  return AddInside("branch", by_index ? "_SwitchN" : "Switch",
                   {value, forward_.PredicateTensor(predicate)}, std::move(attrs));
}

OutputRef LoopHistory::Guarded(OutputRef list, std::span<const ConditionLiteral> literals,
                               const std::function<OutputRef(OutputRef)>& push) {
  if (literals.empty() || !scope_.ok()) return push(list);
  const ConditionLiteral literal = literals[0];
  const int64_t ways = forward_.conditions().arity(literal.predicate);
  const NodeId ports = AddSwitch(list, literal.predicate);
  std::vector<OutputRef> joined;
  for (int32_t i = 0; i < ways; ++i) joined.push_back({ports, i});
  OutputRef& taken = joined[static_cast<size_t>(literal.value)];
  taken = Guarded(taken, literals.subspan(1), push);
  return {AddInside("branch", "Merge", joined, {{"N", ways}, {"T", DType::kVariant}}), 0};
}

OutputRef LoopHistory::ShapeOf(OutputRef value) {
  const auto found = shapes_.find(value);
  if (found != shapes_.end()) return found->second;
  const NodeId shape =
      AddInside("shape", "Shape", {value},
                {{"T", forward_.state().type(value).dtype}, {"out_type", DType::kInt32}});
  if (scope_.ok()) forward_.NoteInserted(shape, forward_.ConditionOf(value));
  return shapes_[value] = {shape, 0};
}

OutputRef LoopHistory::FinalValue(const ForwardVariable& variable) {
  if (!variable.exits.empty()) return {variable.exits[0], 0};
  const auto found = finals_.find(variable.merge);
  if (found != finals_.end() || !scope_.ok())
    return found == finals_.end() ? OutputRef() : found->second;
  const DType dtype = forward_.state().type({variable.merge, 0}).dtype;
  const NodeId ports =
      variable.switches.empty()
          ? AddInside("last", "Switch", {{variable.merge, 0}, loop_.predicate}, {{"T", dtype}})
          : variable.switches[0];
  const NodeId exit =
      AddOutside("last", "Exit", {{ports, 1 - loop_.repeats.value}}, {{"T", dtype}});
  if (scope_.ok()) forward_.NoteInserted(exit, loop_.entered);
  return finals_[variable.merge] = {exit, 0};
}

}  // namespace tagflow::internal
