#include "fuzz/kernels/call_contexts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/values.h"

namespace tagflow::fuzz {
namespace {

// Kernels that work element by element and do not round: engines make them one with their
// neighbours.
constexpr const char* kExactChanges[] = {"Neg", "Abs", "Relu"};
constexpr char kElsewhere[] = "called_elsewhere";  // the node of a call with another number
constexpr const char* kSums[] = {"AddV2", "Add", "AddN"};
constexpr int32_t kCutAxes[] = {-1, -2, 0};  // the last is what kernels take apart row by row

bool IsPlain(ArgType type) { return !IsMade(type) && IsTensorDType(type.dtype); }

// Through one of these kernels, or two.
OutputRef Changed(OutputRef value, DType dtype, CallGraph& call) {
  for (int more = call.choices().Between(kOneOrTwo); more > 0; --more) {
    const char* change = kExactChanges[call.choices().Below(std::size(kExactChanges))];
    if (!CallGraph::Allows(change, dtype)) return value;
    value = call.Add(change, {value}, dtype);
  }
  return value;
}

// The results, but for references, each made anew.
template <typename F>
void ChangeResults(MadeCall& made, const F& change) {
  for (CallResult& result : made.results) {
    if (!result.type.is_ref) result.output = change(result.output, result.type.dtype);
  }
}

void GoThroughOthers(MadeCall& made) {
  ChangeResults(made,
                [&](OutputRef value, DType dtype) { return Changed(value, dtype, made.call); });
}

// The sum of the halves of what is there twice, each half changed by itself.
void GoInHalves(MadeCall& made) {
  CallGraph& call = made.call;
  ChangeResults(made, [&](OutputRef value, DType dtype) {
    if (!CallGraph::Allows("Neg", dtype) || !CallGraph::Allows("AddV2", dtype)) return value;
    const OutputRef axis =
        call.Constant(Tensor::Scalar<int32_t>(kCutAxes[call.choices().Below(std::size(kCutAxes))]));
    const OutputRef twice = call.Add("ConcatV2", {value, value, axis}, dtype);
    call.graph().SetAttr(twice.node, "N", 2);
    call.graph().SetAttr(twice.node, "Tidx", DType::kInt32);
    const NodeId halves = call.Add("Split", {axis, Changed(twice, dtype, call)}, dtype).node;
    call.graph().SetAttr(halves, "num_split", 2);
    const OutputRef left = Changed({halves, 0}, dtype, call);
    const OutputRef right = Changed({halves, 1}, dtype, call);
    if (call.choices().Chance(kSometimes)) call.Fetch({halves, 1});
    return call.Add("AddV2", {left, right}, dtype);
  });
}

// Of a product of two matrices that are known.
std::optional<Dims> DimsOfProduct(const CallGraph& call, const Node& node) {
  if (node.inputs.size() != 2) return std::nullopt;
  const std::optional<Tensor> a = call.ValueOf(node.inputs[0]), b = call.ValueOf(node.inputs[1]);
  if (!a || !b || a->rank() != 2 || b->rank() != 2) return std::nullopt;
  const Result<bool> turns_a = BoolAttr(node, "transpose_a");
  const Result<bool> turns_b = BoolAttr(node, "transpose_b");
  return Dims{a->dims()[turns_a.ok() && *turns_a ? 1 : 0],
              b->dims()[turns_b.ok() && *turns_b ? 0 : 1]};
}

using DrawTerm = OutputRef (*)(MadeCall& made, OutputRef product, DType dtype, const Dims& dims);

// The product of two matrices and something, which an engine adds in one pass.
template <DrawTerm kTerm>
void AddToProduct(MadeCall& made) {
  CallGraph& call = made.call;
  const std::optional<Dims> dims = DimsOfProduct(call, call.node(made.called));
  if (!dims) return;
  ChangeResults(made, [&](OutputRef product, DType dtype) {
    if (!CallGraph::Allows("AddV2", dtype)) return product;
    const OutputRef term = kTerm(made, product, dtype, *dims);
    if (call.choices().Chance(kSometimes)) call.Fetch(product);
    const std::string op = kSums[call.choices().Below(std::size(kSums))];
    const bool is_first = call.choices().Chance(kEvenly);
    const OutputRef sum =
        call.Add(op, {is_first ? product : term, is_first ? term : product}, dtype);
    if (op == "AddN") call.graph().SetAttr(sum.node, "N", 2);
    return sum;
  });
}

// Of the product's shape; perhaps there before the product, and nobody else's.
OutputRef LikeTerm(MadeCall& made, OutputRef, DType dtype, const Dims& dims) {
  Choices& choices = made.call.choices();
  const OutputRef term = made.call.Given(DrawTensor(dtype, dims, choices));
  if (choices.Chance(kEvenly)) return term;
  const OutputRef computed = made.call.Computed(term, dtype);
  if (choices.Chance(kMostly)) {
    made.call.graph().mutable_node(made.called).control_inputs = {computed.node};
  }
  return computed;
}

// Of another shape: where the product is a row times a column, that of the column times the row.
OutputRef UnlikeTerm(MadeCall& made, OutputRef, DType dtype, const Dims& dims) {
  CallGraph& call = made.call;
  const int64_t n = call.ValueOf(call.node(made.called).inputs[0])->dims()[0];
  const bool is_dot = dims == Dims{1, 1} && call.choices().Chance(kMostly);
  const Dims unlike = is_dot ? Dims{n, n} : DrawDimsLike(dims, call.choices());
  return call.Given(DrawTensor(dtype, unlike, call.choices()));
}
OutputRef ProductAsTerm(MadeCall&, OutputRef product, DType, const Dims&) { return product; }
OutputRef ChangedProduct(MadeCall& made, OutputRef product, DType dtype, const Dims&) {
  return Changed(product, dtype, made.call);
}
OutputRef FactorAsTerm(MadeCall& made, OutputRef, DType, const Dims&) {
  return made.call.choices().Of(made.call.node(made.called).inputs);
}

constexpr DrawTerm kOtherTerms[] = {UnlikeTerm, ProductAsTerm, ChangedProduct, FactorAsTerm};
OutputRef OtherTerm(MadeCall& made, OutputRef product, DType dtype, const Dims& dims) {
  const DrawTerm draw = kOtherTerms[made.call.choices().Below(std::size(kOtherTerms))];
  return draw(made, product, dtype, dims);
}

// One result more, or its sum with another of its dtype.
void AddResult(MadeCall& made, const CallResult& result) {
  const auto like = std::ranges::find_if(made.results, [&](const CallResult& other) {
    return !other.type.is_ref && other.type.dtype == result.type.dtype;
  });
  const bool is_alone =
      like == made.results.end() || !CallGraph::Allows("AddV2", result.type.dtype);
  if (is_alone || made.call.choices().Chance(kEvenly)) return made.results.push_back(result);
  like->output = made.call.Add("AddV2", {like->output, result.output}, result.type.dtype);
  like->hangs_on_call = like->hangs_on_call || result.hangs_on_call;
}

// Another use of an input: it sees nothing of what a kernel does in its memory, and the gradient by
// the input is a sum.
using Use = OutputRef (*)(MadeCall& made, OutputRef input, DType dtype);

OutputRef Same(MadeCall&, OutputRef input, DType) { return input; }
OutputRef Change(MadeCall& made, OutputRef input, DType dtype) {
  return Changed(input, dtype, made.call);
}
OutputRef ChangeInBranch(MadeCall& made, OutputRef input, DType dtype) {
  CallGraph& call = made.call;
  const OutputRef taken = call.Given(Tensor::Scalar<bool>(call.choices().Chance(kEvenly)));
  const NodeId branch = call.Add("Switch", {input, taken}, dtype).node;
  const OutputRef merged =
      call.Add("Merge", {{branch, 0}, Changed({branch, 1}, dtype, call)}, dtype);
  call.graph().SetAttr(merged.node, "N", 2);
  return merged;
}
constexpr Use kUses[] = {Same, Change, ChangeInBranch};

void UseBeside(MadeCall& made) {
  std::vector<TypedOutput> inputs;
  for (const OutputRef input : made.call.node(made.called).inputs) {
    const ArgType type = made.call.TypeOf(input);
    if (IsPlain(type)) inputs.push_back({input, type});
  }
  if (inputs.empty()) return;
  const TypedOutput input = made.call.choices().Of(inputs);
  const OutputRef used =
      kUses[made.call.choices().Below(std::size(kUses))](made, input.output, input.type.dtype);
  const NodeId beside = made.call.AddNode(kBeside, "Identity", {used});
  made.call.graph().SetAttr(beside, "T", input.type.dtype);
  const bool is_afterwards = made.call.choices().Chance(kMostly);
  if (is_afterwards) made.call.graph().mutable_node(beside).control_inputs = {made.called};
  AddResult(made, {{{beside, 0}, input.type}, is_afterwards});
}

// The same again after it, of these inputs: each has its own memory and its own random numbers.
// Perhaps both are added up.
void CallAgain(MadeCall& made, const std::string& name, std::vector<OutputRef> inputs) {
  CallGraph& call = made.call;
  const NodeId again = call.AddNode(name, call.node(made.called).op, std::move(inputs));
  call.graph().mutable_node(again).control_inputs = {made.called};
  call.graph().mutable_node(again).attrs = call.node(made.called).attrs;
  for (const TypedOutput& value : call.ValuesOf(again)) AddResult(made, {value});
}

// A reference shows what the second call did, too.
bool GivesNoReference(const OpDef& op) {
  return std::ranges::none_of(op.outputs, [](const ArgDef& output) { return output.is_ref; });
}
void CallTwice(MadeCall& made) { CallAgain(made, kAgain, made.call.node(made.called).inputs); }

// The same or one beside it, somewhere in a tensor that is not empty.
template <typename T>
Tensor Moved(const Tensor& whole, Choices& choices) {
  Tensor moved = *whole.Clone();
  const auto elements = moved.mutable_flat<T>();
  T& element = elements[choices.Below(elements.size())];
  element = static_cast<T>(element + (element > 0 && choices.Chance(kMostly) ? -1 : 1));
  return moved;
}

bool IsPure(const OpDef& op) {
  return !op.is_stateful && GivesNoReference(op) &&
         std::ranges::none_of(op.inputs, [](const ArgDef& arg) { return IsMade(arg); });
}

// The call once more with one of the whole numbers among its inputs, an index or a size as a rule,
// moved by one.
void CallAgainElsewhere(MadeCall& made) {
  CallGraph& call = made.call;
  std::vector<OutputRef> inputs = call.node(made.called).inputs;
  std::vector<std::pair<size_t, Tensor>> wholes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType dtype = call.TypeOf(inputs[i]).dtype;
    const std::optional<Tensor> value = call.ValueOf(inputs[i]);
    const bool is_whole = dtype == DType::kInt32 || dtype == DType::kInt64;
    if (value && is_whole && value->num_elements() > 0) wholes.emplace_back(i, *value);
  }
  if (wholes.empty()) return;
  const auto& [place, value] = call.choices().Of(wholes);
  inputs[place] =
      call.Constant(value.dtype() == DType::kInt32 ? Moved<int32_t>(value, call.choices())
                                                   : Moved<int64_t>(value, call.choices()));
  CallAgain(made, kElsewhere, std::move(inputs));
}

// In one of so many branches: whatever the call, left out it fails nothing. The others give a
// scalar in its place.
void PutIntoBranch(MadeCall& made, const std::string& op, OutputRef chosen, int branches) {
  CallGraph& call = made.call;
  const auto branch = [&](OutputRef value, DType dtype) {
    const NodeId id = call.Add(op, {value, chosen}, dtype).node;
    if (op == "_SwitchN") call.graph().SetAttr(id, "num_outs", branches);
    return id;
  };
  const int side = static_cast<int>(call.choices().Below(static_cast<size_t>(branches)));
  const DType dtype = call.TypeOf(chosen).dtype;
  const OutputRef pivot = call.Add("Identity", {{branch(chosen, dtype), side}}, dtype);
  call.graph().mutable_node(made.called).control_inputs.push_back(pivot.node);
  std::erase_if(made.results, [](const CallResult& result) { return !IsPlain(result.type); });
  for (CallResult& result : made.results) {
    if (!result.hangs_on_call) continue;
    const DType result_dtype = result.type.dtype;
    const NodeId other =
        branch(call.Given(DrawTensor(result_dtype, Dims{}, call.choices())), result_dtype);
    std::vector<OutputRef> ends;
    for (int i = 0; i < branches; ++i) {
      ends.push_back(i == side ? result.output : OutputRef{other, i});
    }
    result.output = call.Add("Merge", ends, result_dtype);
    call.graph().SetAttr(result.output.node, "N", branches);
    result.hangs_on_call = false;
  }
}

constexpr int kBranchesOfCond = 2;

void PutIntoCond(MadeCall& made) {
  const bool is_taken = made.call.choices().Chance(kEvenly);
  PutIntoBranch(made, "Switch", made.call.Given(Tensor::Scalar<bool>(is_taken)), kBranchesOfCond);
}

void PutIntoCase(MadeCall& made) {
  Choices& choices = made.call.choices();
  const int branches = choices.Between(kTwoToFour);
  const OutputRef chosen =
      made.call.Given(Tensor::Scalar<int32_t>(choices.Between(0, branches)));  // or none of them
  PutIntoBranch(made, "_SwitchN", chosen, branches);
}

constexpr CallContext kContexts[] = {
    {.name = "inputs made in the step", .form = &CallForm::are_computed},
    {.name = "inputs made in the step and kept", .form = &CallForm::are_kept},
    {.name = "inputs by reference", .form = &CallForm::are_referred},
    {.name = "all pairs of corners", .suits = IsOfPairs, .form = &CallForm::are_pairs},
    {.name = "a product plus a term", .suits = IsProduct, .apply = AddToProduct<LikeTerm>},
    {.name = "a product plus another term", .suits = IsProduct, .apply = AddToProduct<OtherTerm>},
    {.name = "through other kernels", .apply = GoThroughOthers},
    {.name = "in halves", .apply = GoInHalves},
    {.name = "twice", .suits = GivesNoReference, .apply = CallTwice},
    {.name = "again elsewhere", .suits = IsPure, .apply = CallAgainElsewhere},
    {.name = "used beside", .apply = UseBeside},
    {.name = "in a cond", .apply = PutIntoCond},
    {.name = "in a case", .apply = PutIntoCase},
};

}  // namespace

std::vector<const CallContext*> DrawContexts(const OpDef& op, Choices& choices) {
  std::vector<const CallContext*> suiting;
  for (const CallContext& context : kContexts) {
    if (context.suits == nullptr || context.suits(op)) suiting.push_back(&context);
  }
  std::vector<const CallContext*> drawn;
  for (int more = choices.Between(kUpToThree); more > 0; --more) {
    const CallContext* context = choices.Of(suiting);
    if (std::ranges::find(drawn, context) == drawn.end()) drawn.push_back(context);
  }
  std::ranges::sort(drawn);
  return drawn;
}

}  // namespace tagflow::fuzz
