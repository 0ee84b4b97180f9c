#include "fuzz/kernels/kernel_call.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fuzz/kernels/attrs.h"
#include "fuzz/kernels/call_base.h"
#include "fuzz/kernels/fitting.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/story.h"
#include "fuzz/kernels/values.h"
#include "reference/kernel.h"

namespace tagflow::fuzz {
namespace {

constexpr int kDeepest = 3;       // of ops that make what an op needs
constexpr size_t kMostArgs = 12;  // that are given to a node, or fetched of it

// Whether it takes two of a dtype, and nothing says how.
bool IsOfTwo(const OpDef& op) {
  return op.inputs.size() == 2 && op.attrs.size() == 1 && !op.inputs[0].is_ref &&
         !op.inputs[0].type_attr.empty() && op.inputs[0].type_attr == op.inputs[1].type_attr;
}
bool HasCorners(DType dtype) {
  return IsTensorDType(dtype) && IsPlainDType(dtype) && !IsComplex(dtype);
}

class CallMaker : CallBase {
 public:
  // preferred: dtypes of what is called, where it may have them
  explicit CallMaker(Choices& choices, std::vector<DType> preferred = {})
      : CallBase(choices), base_(DrawDims(choices)), preferred_(std::move(preferred)) {}

  GraphSample Make(const OpDef& op) {
    is_of_pairs_ = IsOfTwo(op) && choices_.Chance(kSeldom);
    if (!is_of_pairs_ && choices_.Chance(kMostly)) fitting_.emplace(op, choices_);
    const NodeId called = AddNode(kCalled, op, 0, {});
    if (choices_.Chance(kSeldom)) {
      PutIntoBranch(called);
    } else {
      ChooseOutputs(called);
      if (choices_.Chance(kSeldom)) AlsoRead(called);
      // A reference shows what the second did, too.
      const bool gives_reference =
          std::ranges::any_of(op.outputs, [](const ArgDef& output) { return output.is_ref; });
      if (!gives_reference && choices_.Chance(kSeldom)) AddTwin(called);
    }
    sample_.targets = {kCalled};
    sample_.runs = {feeds_, feeds_};
    return std::move(sample_);
  }

  GraphSample MakeRivals(const OpDef& op) {
    if (choices_.Chance(kMostly)) fitting_.emplace(op, choices_);
    lacks_values_ = kSometimes;
    const NodeId called = AddNode(kCalled, op, 0, {});
    ChooseOutputs(called);
    sample_.targets = {kCalled};
    if (const std::optional<OutputRef> state = StateOf(called)) AddRival(called, *state);
    sample_.runs = {feeds_};
    return std::move(sample_);
  }

 private:
  // given: the first inputs, where they are known.
  NodeId AddNode(const std::string& name, const OpDef& op, int depth,
                 const std::vector<OutputRef>& given) {
    const bool fits = depth == 0 && fitting_.has_value();
    const bool tame = depth > 0 || fits || choices_.Chance(kEvenly);
    const NodeId id = *graph().AddNode(name, op.name);
    for (const AttrDef& attr : op.attrs) {
      if (auto value = DrawAttr(op, attr, tame, choices_)) graph().SetAttr(id, attr.name, *value);
    }
    if (depth == 0) Prefer(op, id);
    if (fits) {
      fitting_->FitAttrs(graph(), id);
      element_ = ElementOf(graph().node(id));
    } else if (element_.has_value()) {
      FitMaker(op, id);
    }
    const Result<Signature> signature = ResolveSignature(graph().node(id));
    std::vector<ArgType> types(op.inputs.size(), ArgType{DType::kFloat, false});
    if (signature.ok()) types = signature->inputs;
    if (types.size() > kMostArgs) types.resize(kMostArgs);
    if (depth == 0 && !fits && choices_.Chance(kRarely))
      types.resize(types.size() + choices_.Below(2));
    std::vector<OutputRef> inputs = given;
    while (inputs.size() < types.size()) {
      inputs.push_back(Input(inputs.size(), types[inputs.size()], op.name, depth, id));
    }
    graph().mutable_node(id).inputs = std::move(inputs);
    return id;
  }

  void Prefer(const OpDef& op, NodeId id) {
    for (const AttrDef& attr : op.attrs) {
      if (preferred_.empty() || attr.kind != AttrKind::kType) continue;
      const DType dtype = choices_.Of(preferred_);
      const bool is_allowed =
          attr.allowed_types.empty() ||
          std::ranges::find(attr.allowed_types, dtype) != attr.allowed_types.end();
      if (is_allowed && choices_.Chance(kNearlyAlways)) graph().SetAttr(id, attr.name, dtype);
    }
  }

  static std::optional<DType> ElementOf(const Node& node) {
    for (const char* name : {"dtype", "element_dtype", "elem_type", "T"}) {
      const Result<DType> type = TypeAttr(node, name);
      if (type.ok()) return *type;
    }
    return std::nullopt;
  }

  // What a handle names holds what the call asks of it.
  void FitMaker(const OpDef& op, NodeId id) {
    for (const AttrDef& attr : op.attrs) {
      const bool is_type = attr.kind == AttrKind::kType;
      if (is_type && (attr.name == "dtype" || attr.name == "element_dtype")) {
        graph().SetAttr(id, attr.name, *element_);
      }
      if (attr.kind == AttrKind::kShape) graph().SetAttr(id, attr.name, PartialShape());
    }
  }

  OutputRef Input(size_t index, ArgType type, const std::string& for_op, int depth, NodeId user) {
    const bool fits = depth == 0 && fitting_.has_value();
    if (depth == 0 && is_of_pairs_ && HasCorners(type.dtype)) {
      return Fed(AllPairs(type.dtype, static_cast<int>(index)));
    }
    if (depth == 0 && !fits && choices_.Chance(kRarely))
      type = {DType::kInt32, false};  // of the wrong dtype
    if (type.is_ref) return Reference(type.dtype, user);
    if (!IsMade(type)) {
      if (depth > 0 && choices_.Chance(kNearlyAlways)) {
        if (std::optional<Tensor> asked = AskedByMaker(for_op, index, type.dtype)) {
          return Fed(*std::move(asked));
        }
      }
      // Of a reference the op takes what it refers to.
      const std::vector<ArgDef>& args = OpRegistry::Standard().Find(for_op)->inputs;
      const bool is_beside_one = index == 1 && args[0].is_ref;
      if (depth == 0 && choices_.Chance(is_beside_one ? kSeldom : kRarely))
        return Reference(type.dtype, user);
      const OutputRef value =
          fits ? Fed(fitting_->Input(index, Plain(type.dtype))) : Value(type.dtype);
      return depth == 0 && choices_.Chance(kSometimes) ? Computed(value, type.dtype) : value;
    }
    if (depth >= kDeepest || choices_.Chance(kRarely) || MakersOf(type.dtype).empty()) {
      return Value(type.dtype);  // an empty one
    }
    std::vector<OutputRef>& made = made_[type.dtype];
    if (!made.empty() && choices_.Chance(kMostly)) return made.back();
    const OpDef* maker = DrawMaker(for_op, type.dtype, choices_);
    const OutputRef output{AddNode(NewName(), *maker, depth + 1, {}), 0};
    made.push_back(output);
    if (type.dtype == DType::kResource) Touch(output, maker->name, for_op, depth, user);
    return output;
  }

  // Lets other ops write to what a handle names, one after the other, before the user of the handle
  // comes.
  void Touch(OutputRef handle, const std::string& maker, const std::string& for_op, int depth,
             NodeId user) {
    const OpDef* assign = OpRegistry::Standard().Find("AssignVariableOp");
    NodeId last = NodeId::kNone;
    const auto touch = [&](const OpDef& op) {
      const NodeId id = AddNode(NewName(), op, depth + 1, {handle});
      if (last != NodeId::kNone) graph().mutable_node(id).control_inputs.push_back(last);
      graph().mutable_node(user).control_inputs.push_back(id);
      last = id;
    };
    if (maker == "VarHandleOp" && assign != nullptr && choices_.Chance(kNearlyAlways))
      touch(*assign);
    if (depth + 1 >= kDeepest || !choices_.Chance(kEvenly)) return;
    const std::vector<const OpDef*> akin = AkinTo(for_op, TakersOfHandles());
    if (!akin.empty()) touch(*choices_.Of(akin));
  }

  // A reference variable that has a value, more often than not.
  OutputRef Reference(DType dtype, NodeId user) {
    if (!IsTensorDType(dtype)) return Value(DType::kFloat);
    const OutputRef value = Value(dtype);
    const NodeId variable = *graph().AddNode(NewName(), "VariableV2");
    graph().SetAttr(variable, "dtype", dtype);
    const bool is_fed = choices_.Chance(kRarely);
    const bool is_declared = choices_.Chance(kEvenly) && !is_fed;
    graph().SetAttr(variable, "shape", is_declared ? PartialShape(AnyDims()) : PartialShape());
    if (is_fed) feeds_.emplace_back(graph().node(variable).name, AnyTensor(dtype));
    if (is_fed && choices_.Chance(kEvenly)) {  // and runs nevertheless
      graph().mutable_node(user).control_inputs.push_back(variable);
      return {variable, 0};
    }
    if (choices_.Chance(lacks_values_)) return {variable, 0};
    const NodeId assign = *graph().AddNode(NewName(), "Assign");
    graph().SetAttr(assign, "T", dtype);
    graph().SetAttr(assign, "validate_shape", false);
    graph().mutable_node(assign).inputs = {OutputRef{variable, 0}, value};
    graph().mutable_node(user).control_inputs.push_back(assign);
    return {choices_.Chance(kEvenly) ? variable : assign, 0};
  }

  static DType Plain(DType dtype) { return IsTensorDType(dtype) ? dtype : DType::kFloat; }

  OutputRef Value(DType dtype) { return Fed(AnyTensor(dtype)); }
  Tensor AnyTensor(DType dtype) { return DrawTensor(Plain(dtype), AnyDims(), choices_); }
  Dims AnyDims() { return fitting_.has_value() ? fitting_->dims() : DrawDimsLike(base_, choices_); }

  ArgType TypeOf(OutputRef output) {
    const Result<Signature> signature = ResolveSignature(graph().node(output.node));
    const bool is_there = signature.ok() && signature->outputs.size() > size_t(output.index);
    return is_there ? signature->outputs[static_cast<size_t>(output.index)] : ArgType();
  }

  // What a node takes that others may change.
  std::optional<OutputRef> StateOf(NodeId id) {
    for (const OutputRef input : graph().node(id).inputs) {
      const ArgType type = TypeOf(input);
      if (type.is_ref || type.dtype == DType::kResource) return input;
    }
    return std::nullopt;
  }

  // Another op on the state, after the called one; and then one that looks what came of it.
  void AddRival(NodeId called, OutputRef state) {
    const ArgType type = TypeOf(state);
    const OpDef& maker = *graph().node(state.node).def;
    const NodeId rival = AddOn(kRival, *DrawRival(maker, type), {state}, type);
    for (const NodeId before : graph().node(called).control_inputs) {
      graph().mutable_node(rival).control_inputs.push_back(before);
    }
    std::vector<NodeId> both = {called, rival};
    graph().mutable_node(rival).control_inputs.push_back(called);
    for (const auto& [output, output_type] : ValuesOf(rival)) Fetch(output);
    sample_.targets.push_back(kRival);
    const NodeId after = maker.name.starts_with("TensorArray") ? AddReader(both, state, type)
                         : type.is_ref ? AddOn("after", "Identity", {state}, type)
                         : maker.name.starts_with("Stack")
                             ? AddOn("after", "StackPopV2", {state}, type)
                             : AddOn("after", "ReadVariableOp", {state}, type);
    graph().mutable_node(after).control_inputs = std::move(both);
    Fetch({after, 0});
  }

  // One that reads a variable, more often than not, or writes it.
  const OpDef* DrawRival(const OpDef& maker, ArgType type) {
    const auto find = [](const char* op) { return OpRegistry::Standard().Find(op); };
    static const auto& reads = *new std::vector<const OpDef*>{find("Identity"), find("Neg")};
    const bool is_variable = type.is_ref || maker.name == "VarHandleOp";
    if (is_variable && choices_.Chance(kEvenly)) {
      return type.is_ref ? choices_.Of(reads) : find("ReadVariableOp");
    }
    if (is_variable && choices_.Chance(kSometimes)) {
      return find(type.is_ref ? "Assign" : "AssignVariableOp");
    }
    return choices_.Of(type.is_ref ? TakersOfReferences() : TakersOf(maker));
  }

  // Of a gradient array that one of the two makes, what it has of the array's; or else of that.
  NodeId AddReader(const std::vector<NodeId>& both, OutputRef array, ArgType type) {
    const std::optional<DType> element = ElementOf(graph().node(array.node));
    for (const NodeId id : both) {
      if (graph().node(id).op.starts_with("TensorArrayGrad")) array = {id, 0};
    }
    const NodeId after =
        choices_.Chance(kEvenly)
            ? AddOn("after", "TensorArrayConcatV3", {array}, type)
            : AddOn("after", "TensorArrayReadV3",
                    {array, Fed(Tensor::Scalar<int32_t>(choices_.Between(0, 3)))}, type);
    if (element) graph().SetAttr(after, "dtype", *element);
    return after;
  }

  NodeId AddOn(const std::string& name, const std::string& op, std::vector<OutputRef> inputs,
               ArgType type) {
    return AddOn(name, *OpRegistry::Standard().Find(op), std::move(inputs), type);
  }
  // A node that takes the state first, and as it is.
  NodeId AddOn(const std::string& name, const OpDef& op, std::vector<OutputRef> inputs,
               ArgType type) {
    element_ = type.is_ref ? type.dtype : ElementOf(graph().node(inputs[0].node));
    const NodeId id = AddNode(name, op, 1, inputs);
    if (type.is_ref) graph().SetAttr(id, "T", type.dtype);
    if (op.FindAttr("elem_type") != nullptr) graph().SetAttr(id, "elem_type", *element_);
    return id;
  }

  // The same value, made in the step, so that its memory may be used again; where it is fetched as
  // well, it may not.
  OutputRef Computed(OutputRef value, DType dtype) {
    if (!Allows("AddV2", dtype)) return value;
    const NodeId zero = *graph().AddNode(NewName(), "Const");
    graph().SetAttr(zero, "dtype", dtype);
    graph().SetAttr(zero, "value", *Tensor::Allocate(dtype, Dims{}));
    const NodeId sum = Add("AddV2", {value, {zero, 0}}, dtype);
    if (choices_.Chance(kEvenly)) also_fetched_.push_back(OutputName(graph(), {sum, 0}));
    return {sum, 0};
  }

  // Who else has an input sees nothing of what a kernel does in its memory.
  void AlsoRead(NodeId called) {
    const std::vector<OutputRef> inputs = graph().node(called).inputs;
    if (inputs.empty()) return;
    const OutputRef input = choices_.Of(inputs);
    const ArgType type = TypeOf(input);
    if (type.is_ref || IsMade(type) || !IsTensorDType(type.dtype)) return;
    const NodeId read = Add("Identity", {input}, type.dtype);
    if (choices_.Chance(kMostly)) graph().mutable_node(read).control_inputs = {called};
    Fetch({read, 0});
  }

  // The same again after it, of the same inputs: each has its own memory and its own random
  // numbers. Perhaps they are added up.
  void AddTwin(NodeId called) {
    const NodeId twin = *graph().AddNode(std::string(kCalled) + "_again", graph().node(called).op);
    Node& node = graph().mutable_node(twin);
    node.inputs = graph().node(called).inputs;
    node.control_inputs = {called};
    node.attrs = graph().node(called).attrs;
    const bool is_summed = AddUp(called, twin);
    if (!is_summed || choices_.Chance(kEvenly)) ChooseOutputs(twin);
  }

  // What both give; whether or not anyone else asks for it.
  bool AddUp(NodeId called, NodeId twin) {
    const auto values = ValuesOf(called);
    if (values.empty() || !choices_.Chance(kEvenly)) return false;
    const auto& [output, type] = values.front();
    if (type.is_ref || !Allows("AddV2", type.dtype)) return false;
    Fetch({Add("AddV2", {output, {twin, output.index}}, type.dtype), 0});
    return true;
  }

  // In a branch that is taken or not: whatever the call, left out it fails nothing. By a truth, or
  // by the number of one of a few ways.
  void PutIntoBranch(NodeId called) {
    const bool is_by_number = choices_.Chance(kSometimes);
    const int ways = is_by_number ? choices_.Between(2, 3) : 2;
    const OutputRef chosen = is_by_number ? Fed(Tensor::Scalar<int32_t>(choices_.Between(0, ways)))
                                          : Fed(Tensor::Scalar<bool>(choices_.Chance(kEvenly)));
    const auto branch = [&](OutputRef value, DType dtype) {
      const NodeId id = Add(is_by_number ? "_SwitchN" : "Switch", {value, chosen}, dtype);
      if (is_by_number) graph().SetAttr(id, "num_outs", ways);
      return id;
    };
    const int side = choices_.Between(0, ways - 1);
    const DType dtype = is_by_number ? DType::kInt32 : DType::kBool;
    const NodeId pivot = Add("Identity", {{branch(chosen, dtype), side}}, dtype);
    graph().mutable_node(called).control_inputs.push_back(pivot);
    for (const auto& [output, type] : ValuesOf(called)) {
      if (type.is_ref || !IsTensorDType(type.dtype)) continue;
      const NodeId other = branch(Fed(DrawTensor(type.dtype, Dims{}, choices_)), type.dtype);
      std::vector<OutputRef> ends;
      for (int way = 0; way < ways; ++way)
        ends.push_back(way == side ? output : OutputRef{other, way});
      const NodeId either = Add("Merge", ends, type.dtype);
      graph().SetAttr(either, "N", ways);
      Fetch({either, 0});
    }
  }

  // What it gives that can be fetched.
  std::vector<std::pair<OutputRef, ArgType>> ValuesOf(NodeId called) {
    const Result<Signature> signature = ResolveSignature(graph().node(called));
    std::vector<std::pair<OutputRef, ArgType>> values;
    for (size_t i = 0; signature.ok() && i < std::min(signature->outputs.size(), kMostArgs); ++i) {
      const ArgType type = signature->outputs[i];
      if (IsMade(ArgType{type.dtype, false})) continue;
      values.emplace_back(OutputRef{called, static_cast<int>(i)}, type);
    }
    return values;
  }

  void ChooseOutputs(NodeId called) {
    for (const auto& [output, type] : ValuesOf(called)) {
      Fetch(type.is_ref ? output : GoesOn(output, type.dtype));
    }
    sample_.fetches.insert(sample_.fetches.end(), also_fetched_.begin(), also_fetched_.end());
    also_fetched_.clear();
  }

  // Through other kernels, which an engine may make one with it.
  OutputRef GoesOn(OutputRef value, DType dtype) {
    const bool is_product = graph().node(value.node).op == "MatMul";
    if (is_product && choices_.Chance(kEvenly)) value = Summed(value, dtype);
    const bool has_layouts = graph().node(value.node).op == "BiasAdd";
    if (choices_.Chance(has_layouts ? kEvenly : kSometimes)) {
      value = Changed(value, dtype);
    }
    return choices_.Chance(kRarely) ? Halved(value, dtype) : value;
  }

  // Through a kernel or two that work element by element, and do not round.
  OutputRef Changed(OutputRef value, DType dtype) {
    static const std::vector<std::string> changes = {"Neg", "Abs", "Relu"};
    for (int more = choices_.Between(1, 2); more > 0; --more) {
      const std::string& change = choices_.Of(changes);
      if (!Allows(change, dtype)) return value;
      value = {Add(change, {value}, dtype), 0};
    }
    return value;
  }

  // A product of matrices, added to something; which may be there before it, and be nobody else's.
  OutputRef Summed(OutputRef product, DType dtype) {
    const std::optional<Dims> dims = DimsOfProduct(graph().node(product.node));
    if (!dims || !Allows("AddV2", dtype)) return product;
    const OutputRef term = Term(product, dtype, *dims);
    if (choices_.Chance(kSometimes)) also_fetched_.push_back(OutputName(graph(), product));
    static const std::vector<std::string> ops = {"AddV2", "AddV2", "Add", "AddN"};
    const std::string& op = choices_.Of(ops);
    const bool is_first = choices_.Chance(kEvenly);
    const NodeId sum = Add(op, {is_first ? product : term, is_first ? term : product}, dtype);
    if (op == "AddN") graph().SetAttr(sum, "N", 2);
    return {sum, 0};
  }

  OutputRef Term(OutputRef product, DType dtype, const Dims& dims) {
    constexpr int kWeights[] = {70, 10, 8, 12}, kOfDots[] = {30, 60, 5, 5};
    switch (choices_.Weighted(dims == Dims{1, 1} ? kOfDots : kWeights)) {
      case 0:
        break;
      case 1: {
        // What it would be of a column and a row.
        const int64_t n = DimsOf(graph().node(product.node).inputs[0])->front();
        const bool is_dot = dims == Dims{1, 1} && choices_.Chance(kMostly);
        const Dims others = is_dot ? Dims{n, n} : DrawDimsLike(dims, choices_);
        return Fed(DrawTensor(dtype, others, choices_));
      }
      case 2:
        return choices_.Chance(kEvenly) ? product : Changed(product, dtype);
      default:
        return graph().node(product.node).inputs[choices_.Below(2)];
    }
    const OutputRef term = Fed(DrawTensor(dtype, dims, choices_));
    if (choices_.Chance(kEvenly)) return term;
    const OutputRef computed = Computed(term, dtype);
    if (choices_.Chance(kMostly))
      graph().mutable_node(product.node).control_inputs = {computed.node};
    return computed;
  }

  // What is fed or constant there, or that and nothing added to it.
  std::optional<Dims> DimsOf(OutputRef value) {
    const Node& node = graph().node(value.node);
    if (node.op == "AddV2") return DimsOf(node.inputs[0]);
    const Result<Tensor> constant = TensorAttr(node, "value");
    if (constant.ok()) return Dims(constant->dims().begin(), constant->dims().end());
    const auto fed =
        std::ranges::find_if(feeds_, [&](const auto& feed) { return feed.first == node.name; });
    if (fed == feeds_.end()) return std::nullopt;
    return Dims(fed->second.dims().begin(), fed->second.dims().end());
  }
  std::optional<Dims> DimsOfProduct(const Node& node) {
    if (node.inputs.size() != 2) return std::nullopt;
    const std::optional<Dims> a = DimsOf(node.inputs[0]), b = DimsOf(node.inputs[1]);
    const Result<bool> turns_a = BoolAttr(node, "transpose_a");
    const Result<bool> turns_b = BoolAttr(node, "transpose_b");
    if (!a || !b || a->size() != 2 || b->size() != 2) return std::nullopt;
    return Dims{(*a)[turns_a.ok() && *turns_a ? 1 : 0], (*b)[turns_b.ok() && *turns_b ? 0 : 1]};
  }

  // The sum of the halves of what is there twice, each changed by itself.
  OutputRef Halved(OutputRef value, DType dtype) {
    if (!Allows("Neg", dtype) || !Allows("AddV2", dtype)) return value;
    const OutputRef axis{*graph().AddNode(NewName(), "Const"), 0};
    graph().SetAttr(axis.node, "dtype", DType::kInt32);
    constexpr int32_t kAxes[] = {-1, -2, 0};
    constexpr int kWeights[] = {65, 25, 10};
    graph().SetAttr(axis.node, "value",
                    Tensor::Scalar<int32_t>(kAxes[choices_.Weighted(kWeights)]));
    const NodeId twice = Add("ConcatV2", {value, value, axis}, dtype);
    graph().SetAttr(twice, "N", 2);
    graph().SetAttr(twice, "Tidx", DType::kInt32);
    const NodeId halves = Add("Split", {axis, Changed({twice, 0}, dtype)}, dtype);
    graph().SetAttr(halves, "num_split", 2);
    const OutputRef left = Changed({halves, 0}, dtype), right = Changed({halves, 1}, dtype);
    if (choices_.Chance(kSometimes)) also_fetched_.push_back(OutputName(graph(), {halves, 1}));
    return {Add("AddV2", {left, right}, dtype), 0};
  }

  static bool Allows(const std::string& op, DType dtype) {
    const AttrDef* types = OpRegistry::Standard().Find(op)->FindAttr("T");
    return std::ranges::find(types->allowed_types, dtype) != types->allowed_types.end();
  }

  const Dims base_;
  const std::vector<DType> preferred_;
  bool is_of_pairs_ = false;
  Odds lacks_values_ = kRarely;     // of variables that are referred to
  std::optional<Fitting> fitting_;  // of the call itself
  std::optional<DType> element_;    // of what its handles name
  std::vector<std::string> also_fetched_;
  std::map<DType, std::vector<OutputRef>> made_;
};

// What the op is there for, or is seldom used for and has rules of its own about.
std::vector<DType> PreferredBy(const OpDef& op, Choices& choices) {
  if (op.name.find("Scatter") != op.name.npos && choices.Chance(kSometimes)) return {DType::kBool};
  if (op.name.find("Conj") != op.name.npos) return {DType::kComplex64, DType::kComplex128};
  if (op.name != "Cast") return {};
  return {DType::kDouble,   DType::kFloat,     DType::kHalf,
          DType::kBFloat16, DType::kComplex64, DType::kComplex128};
}

}  // namespace

GraphSample CallOf(const OpDef& op, Choices& choices) { return CallMaker(choices).Make(op); }

GraphSample CallOf(const OpDef& op, const std::vector<DType>& preferred, Choices& choices) {
  return CallMaker(choices, preferred).Make(op);
}

GraphSample DrawRivals(Choices& choices) {
  return CallMaker(choices).MakeRivals(*choices.Of(TakersOfState()));
}

GraphSample DrawKernelCall(Choices& choices) {
  if (choices.Chance(kSometimes)) return DrawStory(choices);
  if (choices.Chance(kRarely)) {
    const OpDef& product = *OpRegistry::Standard().Find("MatMul");
    return CallMaker(choices, {DType::kFloat, DType::kDouble}).Make(product);
  }
  static const auto& ops = *new std::vector<const OpDef*>([] {
    std::vector<const OpDef*> all;
    for (const OpDef* op : OpsWhere([](const OpDef&) { return true; })) {
      all.insert(all.end(), FormsOf(*op), op);
    }
    return all;
  }());
  const OpDef& op = *choices.Of(ops);
  return CallOf(op, PreferredBy(op, choices), choices);
}

std::optional<Tensor> FedValue(const GraphSample& call, const Node& node) {
  const Result<Tensor> value = TensorAttr(node, "value");
  if (node.op == "Const" && value.ok()) return *value;
  for (const auto& [name, fed] : call.runs[0]) {
    if (name == node.name) return fed;
  }
  return std::nullopt;
}

bool HasManyFactors(const GraphSample& call) {
  constexpr int64_t kMany = 100;
  const std::string& op = call.graph.node(call.graph.Find(kCalled)).op;
  if (op.find("Prod") == op.npos && op != "Cumprod") return false;
  return std::ranges::any_of(call.graph.NodeIds(), [&](NodeId id) {
    const std::optional<Tensor> value = FedValue(call, call.graph.node(id));
    return value && value->num_elements() > kMany;
  });
}

}  // namespace tagflow::fuzz
