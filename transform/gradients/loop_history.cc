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
  spec.name = forward_.Frame(loop_.frame).name + "/history/" + name;
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

AttrMap EnterAttrsLike(const Node& enter, DType dtype, bool is_constant) {
  AttrMap attrs = enter.attrs;
  std::erase_if(attrs, [](const auto& attr) {
    return attr.first == "T" || attr.first == "is_constant" || attr.first == "_class" ||
           attr.first == "_output_shapes";
  });
  attrs.emplace_back("T", dtype);
  attrs.emplace_back("is_constant", is_constant);  // which this one may leave out
  return attrs;
}

AttrMap LoopHistory::EnterAttrs(DType dtype, bool is_constant) const {
  return EnterAttrsLike(forward_.graph().node(loop_.variables[0].enter), dtype, is_constant);
}

OutputRef LoopHistory::EnterConstant(OutputRef value) {
  const DType dtype = forward_.state().type(value).dtype;
  return {AddOutside("Enter", "Enter", {value}, EnterAttrs(dtype, true)), 0};
}

template <typename Key>
OutputRef LoopHistory::Once(std::map<Key, OutputRef>& known, const Key& key,
                            const std::function<OutputRef()>& make) {
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return scope_.ok() ? known[key] = make() : OutputRef();
}

NodeId LoopHistory::AddMerge(const char* name, OutputRef initial) {
  if (!scope_.ok()) return NodeId::kNone;
  const DType dtype = forward_.state().type(initial).dtype;
  const NodeId enter = AddOutside(name, "Enter", {initial}, EnterAttrs(dtype, false));
  return AddInside(name, "Merge", {{enter, 0}, {enter, 0}}, {{"N", 2}, {"T", dtype}});
}

// `value`: what the variable is after this frame's predicate.
LoopHistory::Variable LoopHistory::AddPorts(const char* name, NodeId merge, OutputRef value) {
  if (!scope_.ok()) return {};
  const DType dtype = forward_.state().type(value).dtype;
  const NodeId ports = AddInside(name, "Switch", {value, loop_.predicate}, {{"T", dtype}});
  const int32_t body = loop_.repeats.value;
  return {merge, {ports, body}, {ports, 1 - body}};
}

LoopHistory::Variable LoopHistory::AddVariable(const char* name, OutputRef initial) {
  const NodeId merge = AddMerge(name, initial);
  return AddPorts(name, merge, {merge, 0});
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

LoopHistory::Blocks LoopHistory::SaveBlockStarts() {
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
    return Close(name, variable, {next, 0});
  };
  advance("block_begin", begin, length.body);
  const OutputRef next_length = advance("block_length", length, one_);
  return {next_length, SaveStates(due)};
}

// One variable more counts how many of the iterations have been: it stays at the last.
std::vector<OutputRef> LoopHistory::SaveBefore(const std::vector<int32_t>& iterations) {
  TripCount();
  const AttrMap int32 = {{"T", DType::kInt32}};
  const auto last = static_cast<int32_t>(iterations.size()) - 1;
  const OutputRef all = EnterConstant(OutsideConst("iterations", Tensor::Vector(iterations)));
  const OutputRef limit = EnterConstant(OutsideConst("last", Tensor::Scalar(last)));
  const OutputRef axis = EnterConstant(OutsideConst("axis", Tensor::Scalar(int32_t{0})));
  const Variable index = AddVariable("index", OutsideConst("zero", Tensor::Scalar(int32_t{0})));
  const NodeId named = AddInside(
      "named", "GatherV2", {all, index.body, axis},
      {{"Tparams", DType::kInt32}, {"Tindices", DType::kInt32}, {"Taxis", DType::kInt32}});
  const OutputRef due{AddInside("due", "Equal", {count_, {named, 0}}, int32), 0};
  const NodeId more = AddInside("index", "AddV2", {index.body, one_}, int32);
  const NodeId bounded = AddInside("index", "Minimum", {{more, 0}, limit}, int32);
  const NodeId next = AddInside("index", "SelectV2", {due, {bounded, 0}, index.body}, int32);
  Close("index", index, {next, 0});
  return SaveStates(due);
}

std::vector<OutputRef> LoopHistory::SaveStates(OutputRef due) {
  std::vector<OutputRef> lists;
  for (const ForwardVariable& variable : loop_.variables) {
    const OutputRef value{variable.merge, 0};
    if (!forward_.IsFlow(value)) lists.push_back(SaveWhere(due, value));
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

OutputRef LoopHistory::Push(OutputRef list, OutputRef value) {
  return {AddInside("push", "TensorListPushBack", {list, value},
                    {{"element_dtype", forward_.state().type(value).dtype}}),
          0};
}

// The list with an element more, which has no value.
OutputRef LoopHistory::Skip(OutputRef list, OutputRef one) {
  const NodeId length = AddInside("skip", "TensorListLength", {list}, {});
  const NodeId more = AddInside("skip", "AddV2", {{length, 0}, one}, {{"T", DType::kInt32}});
  return {AddInside("skip", "TensorListResize", {list, {more, 0}}, {}), 0};
}

OutputRef LoopHistory::Save(OutputRef value) {
  return Once(saved_, value, [&]() -> OutputRef {
    const ConditionId in_body = forward_.conditions().With(ConditionId::kAlways, loop_.repeats);
    const ConditionId live = forward_.conditions().Both(in_body, forward_.ConditionOf(value));
    const Variable list = AddVariable("list", EmptyList(value));
    const OutputRef next =
        Guarded(list.body, forward_.Path(in_body, live),
                [&](OutputRef so_far) -> OutputRef { return Push(so_far, value); });
    return Close("list", list, next);
  });
}

OutputRef LoopHistory::SaveEach(OutputRef value) {
  return Once(each_, value, [&]() -> OutputRef {
    TripCount();
    const ConditionId in_body = forward_.conditions().With(ConditionId::kAlways, loop_.repeats);
    const ConditionId live = forward_.ConditionOf(value);
    const auto saved = [&](OutputRef list, ConditionId base) -> OutputRef {
      return Guarded(
          list, forward_.Path(base, live), [&](OutputRef so_far) { return Push(so_far, value); },
          [&](OutputRef so_far) { return Skip(so_far, one_); });
    };
    const NodeId merge = AddMerge("each", EmptyList(value));
    if (!scope_.ok()) return {};
    if (forward_.conditions().Implied(in_body, live)) {
      const Variable list = AddPorts("each", merge, {merge, 0});
      return Close("each", list, saved(list.body, in_body));
    }
    const Variable list = AddPorts("each", merge, saved({merge, 0}, ConditionId::kAlways));
    return Close("each", list, list.body);
  });
}

OutputRef LoopHistory::SaveOnStack(OutputRef value) {
  return Once(saved_, value, [&]() -> OutputRef { return PushOnStack(value); });
}

OutputRef LoopHistory::PushOnStack(OutputRef value) {
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
  return {stack, 0};
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
                               const Change& push, const Change& otherwise) {
  if (literals.empty() || !scope_.ok()) return push(list);
  const ConditionLiteral literal = literals[0];
  const int64_t ways = forward_.conditions().arity(literal.predicate);
  const NodeId ports = AddSwitch(list, literal.predicate);
  std::vector<OutputRef> joined;
  for (int32_t i = 0; i < ways; ++i) {
    const OutputRef port{ports, i};
    if (i == literal.value) {
      joined.push_back(Guarded(port, literals.subspan(1), push, otherwise));
    } else {
      joined.push_back(otherwise ? otherwise(port) : port);
    }
  }
  return {AddInside("branch", "Merge", joined, {{"N", ways}, {"T", DType::kVariant}}), 0};
}

OutputRef LoopHistory::ShapeOf(OutputRef value) {
  return Once(shapes_, value, [&]() -> OutputRef {
    const NodeId shape =
        AddInside("shape", "Shape", {value},
                  {{"T", forward_.state().type(value).dtype}, {"out_type", DType::kInt32}});
    if (scope_.ok()) forward_.NoteInserted(shape, forward_.ConditionOf(value));
    return {shape, 0};
  });
}

OutputRef LoopHistory::FinalValue(const ForwardVariable& variable) {
  if (!variable.exits.empty()) return {variable.exits[0], 0};
  return Once(finals_, variable.merge, [&]() -> OutputRef {
    const DType dtype = forward_.state().type({variable.merge, 0}).dtype;
    const NodeId ports =
        variable.switches.empty()
            ? AddInside("last", "Switch", {{variable.merge, 0}, loop_.predicate}, {{"T", dtype}})
            : variable.switches[0];
    const NodeId exit =
        AddOutside("last", "Exit", {{ports, 1 - loop_.repeats.value}}, {{"T", dtype}});
    if (scope_.ok()) forward_.NoteInserted(exit, loop_.entered);
    return {exit, 0};
  });
}

}  // namespace tagflow::internal
