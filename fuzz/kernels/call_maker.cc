#include "fuzz/kernels/call_maker.h"

#include <algorithm>
#include <utility>

#include "fuzz/kernels/attrs.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/values.h"

namespace tagflow::fuzz {
namespace {

constexpr int kDeepest = 3;  // of ops that make what an op needs

bool HasCorners(DType dtype) {
  return IsTensorDType(dtype) && IsPlainDType(dtype) && !IsComplex(dtype);
}
DType Plain(DType dtype) { return IsTensorDType(dtype) ? dtype : DType::kFloat; }

// The dtype of what the node's handle holds.
std::optional<DType> ElementOf(const Node& node) {
  for (const char* name : {"dtype", "element_dtype", "elem_type", "T"}) {
    const Result<DType> type = TypeAttr(node, name);
    if (type.ok()) return *type;
  }
  return std::nullopt;
}

void Prefer(const std::vector<DType>& preferred, const OpDef& op, NodeId id, CallGraph& call) {
  for (const AttrDef& attr : op.attrs) {
    if (preferred.empty() || attr.kind != AttrKind::kType) continue;
    const DType dtype = call.choices().Of(preferred);
    const bool is_allowed =
        attr.allowed_types.empty() ||
        std::ranges::find(attr.allowed_types, dtype) != attr.allowed_types.end();
    if (is_allowed && call.choices().Chance(kNearlyAlways)) {
      call.graph().SetAttr(id, attr.name, dtype);
    }
  }
}

// Whether the handle that it takes is of a generator's state, which is int64 whatever is drawn.
bool TakesGenerator(const OpDef& op) {
  return op.inputs.size() > 1 && op.inputs[0].dtype == DType::kResource &&
         op.inputs[1].role == ArgRole::kAlgorithm;
}

// Lets a handle name what the call asks for.
void FitElements(const OpDef& op, DType element, NodeId id, Graph& graph) {
  for (const AttrDef& attr : op.attrs) {
    const bool is_element =
        attr.name == "dtype" || attr.name == "element_dtype" || attr.name == "elem_type";
    if (attr.kind == AttrKind::kType && is_element) graph.SetAttr(id, attr.name, element);
    if (attr.kind == AttrKind::kShape) graph.SetAttr(id, attr.name, PartialShape());
  }
}

}  // namespace

CallMaker::CallMaker(CallGraph& call, const CallForm& form)
    : call_(call), choices_(call.choices()), form_(form), base_(DrawDims(choices_)) {}

NodeId CallMaker::Call(const std::string& name, const OpDef& op) {
  if (!form_.are_pairs && choices_.Chance(kMostly)) fitting_.emplace(op, choices_);
  return AddNode(name, op, 0, {});
}

NodeId CallMaker::CallOn(const std::string& name, const OpDef& op,
                         const std::vector<OutputRef>& inputs) {
  const ArgType type = call_.TypeOf(inputs[0]);
  const std::optional<DType> element =
      type.is_ref ? type.dtype : ElementOf(call_.node(inputs[0].node));
  if (element) element_ = element;  // an array of gradients is of what its array is
  const NodeId id = AddNode(name, op, 1, inputs);
  if (type.is_ref) call_.graph().SetAttr(id, "T", type.dtype);
  return id;
}

// given: the first inputs, where they are known
NodeId CallMaker::AddNode(const std::string& name, const OpDef& op, int depth,
                          const std::vector<OutputRef>& given) {
  const NodeId id = call_.AddNode(name, op.name, {});
  DrawAttrs(op, id, depth);
  const std::vector<ArgType> types = InputTypes(op, id, depth);
  std::vector<OutputRef> inputs = given;
  while (inputs.size() < types.size()) {
    inputs.push_back(Input(inputs.size(), types[inputs.size()], op, depth, id));
  }
  call_.graph().mutable_node(id).inputs = std::move(inputs);
  return id;
}

void CallMaker::DrawAttrs(const OpDef& op, NodeId id, int depth) {
  Graph& graph = call_.graph();
  const bool is_tame = depth > 0 || fitting_.has_value() || choices_.Chance(kEvenly);
  for (const AttrDef& attr : op.attrs) {
    if (auto value = DrawAttr(op, attr, is_tame, choices_)) graph.SetAttr(id, attr.name, *value);
  }
  if (depth == 0) Prefer(form_.preferred, op, id, call_);
  if (Fits(depth)) {
    fitting_->FitAttrs(graph, id);
    element_ = TakesGenerator(op) ? DType::kInt64 : ElementOf(graph.node(id));
  } else if (element_.has_value()) {
    FitElements(op, *element_, id, graph);
  }
}

std::vector<ArgType> CallMaker::InputTypes(const OpDef& op, NodeId id, int depth) {
  const Result<Signature> signature = ResolveSignature(call_.node(id));
  std::vector<ArgType> types(op.inputs.size(), ArgType{DType::kFloat, false});
  if (signature.ok()) types = signature->inputs;
  if (types.size() > kMostArgs) types.resize(kMostArgs);
  const bool is_hostile = depth == 0 && !fitting_.has_value();
  if (is_hostile && choices_.Chance(kRarely)) {
    types.resize(types.size() + static_cast<size_t>(choices_.Between(kNoneOrOne)));
  }
  return types;
}

OutputRef CallMaker::Input(size_t index, ArgType type, const OpDef& op, int depth, NodeId user) {
  if (depth == 0 && form_.are_pairs && HasCorners(type.dtype)) {
    return call_.Given(AllPairs(type.dtype, static_cast<int>(index)));
  }
  const bool is_hostile = depth == 0 && !fitting_.has_value();
  if (is_hostile && choices_.Chance(kRarely)) type = {DType::kInt32, false};  // the wrong dtype
  if (type.is_ref) return Reference(type.dtype, user);
  return IsMade(type) ? MadeInput(type.dtype, op, depth, user)
                      : PlainInput(index, type.dtype, op, depth, user);
}

OutputRef CallMaker::PlainInput(size_t index, DType dtype, const OpDef& op, int depth,
                                NodeId user) {
  if (depth > 0 && choices_.Chance(kNearlyAlways)) {
    if (auto asked = AskedByOther(op, index, dtype, choices_))
      return call_.Given(*std::move(asked));
  }
  if (depth == 0 && form_.are_referred && choices_.Chance(kEvenly)) return Reference(dtype, user);
  const OutputRef value =
      call_.Given(Fits(depth) ? fitting_->Input(index, Plain(dtype)) : AnyTensor(dtype));
  const bool are_computed = form_.are_computed || form_.are_kept;
  if (depth > 0 || !are_computed || !choices_.Chance(kMostly)) return value;
  const OutputRef computed = call_.Computed(value, dtype);
  if (form_.are_kept) call_.Fetch(computed);
  return computed;
}

// A handle or a variant; now and then an empty one.
OutputRef CallMaker::MadeInput(DType dtype, const OpDef& op, int depth, NodeId user) {
  if (depth >= kDeepest || choices_.Chance(kRarely) || MakersOf(dtype).empty()) {
    return call_.Given(AnyTensor(dtype));
  }
  std::vector<OutputRef>& made = made_[dtype];
  if (!made.empty() && choices_.Chance(kMostly)) return made.back();
  const OpDef& maker = DrawMaker(op, dtype, choices_);
  const OutputRef output{AddNode(call_.NewName(), maker, depth + 1, {}), 0};
  made.push_back(output);
  if (dtype == DType::kResource) Write(output, maker, op, depth, user);
  return output;
}

// Lets other ops write to what a handle names, one after the other, before the user of the handle
// comes.
void CallMaker::Write(OutputRef handle, const OpDef& maker, const OpDef& op, int depth,
                      NodeId user) {
  NodeId last = NodeId::kNone;
  const auto write = [&](const OpDef& writer) {
    const NodeId id = AddNode(call_.NewName(), writer, depth + 1, {handle});
    if (last != NodeId::kNone) call_.graph().mutable_node(id).control_inputs.push_back(last);
    call_.graph().mutable_node(user).control_inputs.push_back(id);
    last = id;
  };
  if (IsVariable(maker) && choices_.Chance(kNearlyAlways)) write(StandardOp("AssignVariableOp"));
  if (depth + 1 >= kDeepest || !choices_.Chance(kEvenly)) return;
  const std::vector<const OpDef*> akin = AkinTo(op.name, TakersOfHandles());
  if (!akin.empty()) write(*choices_.Of(akin));
}

// A reference variable that has a value, more often than not: by the variable, or by what set it.
OutputRef CallMaker::Reference(DType dtype, NodeId user) {
  if (!IsTensorDType(dtype)) return call_.Given(AnyTensor(DType::kFloat));
  Graph& graph = call_.graph();
  const OutputRef value = call_.Given(AnyTensor(dtype));
  const NodeId variable = call_.AddNode(call_.NewName(), "VariableV2", {});
  graph.SetAttr(variable, "dtype", dtype);
  const bool is_fed = choices_.Chance(kRarely);
  const bool is_declared = choices_.Chance(kEvenly) && !is_fed;
  graph.SetAttr(variable, "shape", is_declared ? PartialShape(AnyDims()) : PartialShape());
  if (is_fed) call_.Feed(variable, AnyTensor(dtype));
  if (is_fed && choices_.Chance(kEvenly)) {  // and runs nevertheless
    graph.mutable_node(user).control_inputs.push_back(variable);
    return {variable, 0};
  }
  if (choices_.Chance(form_.without_value)) return {variable, 0};
  const OutputRef assign = call_.Add("Assign", {{variable, 0}, value}, dtype);
  graph.SetAttr(assign.node, "validate_shape", false);
  graph.mutable_node(user).control_inputs.push_back(assign.node);
  return choices_.Chance(kEvenly) ? OutputRef{variable, 0} : assign;
}

Tensor CallMaker::AnyTensor(DType dtype) { return DrawTensor(Plain(dtype), AnyDims(), choices_); }

Dims CallMaker::AnyDims() {
  return fitting_.has_value() ? fitting_->dims() : DrawDimsLike(base_, choices_);
}

}  // namespace tagflow::fuzz
