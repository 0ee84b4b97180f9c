// Tested by call_gradients_test.cc.

#include "fuzz/gradient/differentiable_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fuzz/gradient/real_values.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/story.h"
#include "graph/op_def.h"
#include "reference/kernel.h"
#include "reference/tape/adjoint.h"
#include "transform/gradients/array_flow.h"
#include "transform/gradients/gradients.h"

namespace tagflow::fuzz {
namespace {

constexpr int kTries = 4;  // to draw a call of real numbers
constexpr const char* kBeside = "beside";
constexpr const char* kSum = "sum";
constexpr const char* kAgain = "again";

std::vector<const OpDef*> DifferentiableOps() {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : OpRegistry::Standard().All()) {
    // Those that the tape knows, the graph has to know too; but a stack has no gradient.
    const GradientFunction* gradient = GradientRegistry::Standard().Find(op->name);
    const reference::AdjointFunction* adjoint = reference::AdjointTable::Standard().Find(op->name);
    const bool has_gradient = (gradient != nullptr && *gradient != nullptr) ||
                              (adjoint != nullptr && *adjoint != nullptr);
    // What reads a variable has a gradient by the variable alone: variable_gradients_test.cc.
    const bool reads_variable = op->name == "ReadVariableOp" || op->name == "ResourceGather" ||
                                op->name == "ResourceGatherNd";
    if (has_gradient && !reads_variable && !op->name.starts_with("Stack") &&
        op->name != "PreventGradient" &&
        reference::KernelRegistry::Standard().Find(op->name) != nullptr) {
      ops.push_back(op);
    }
  }
  return ops;
}

bool IsFed(const Node& node) { return node.op == "Placeholder" || node.op == "Const"; }

template <typename T>
Tensor Converted(const std::vector<double>& values, std::span<const int64_t> dims) {
  return Tensor::Of<T>(dims, std::vector<T>(values.begin(), values.end()));
}

NodeId AddTo(GraphSample& call, const std::string& name, const std::string& op,
             std::vector<OutputRef> inputs, DType dtype) {
  const NodeId id = *call.graph.AddNode(name, op);
  call.graph.mutable_node(id).inputs = std::move(inputs);
  call.graph.SetAttr(id, "T", dtype);
  return id;
}
NodeId AddFed(GraphSample& call, const std::string& name, const Tensor& value) {
  const NodeId id = *call.graph.AddNode(name, "Placeholder");
  call.graph.SetAttr(id, "dtype", value.dtype());
  for (NamedTensors& feeds : call.runs) feeds.emplace_back(name, value);
  return id;
}

// Another use of one of the inputs, so that its gradient is a sum; perhaps in a branch, and perhaps
// as a term of what the call gives.
void UseBeside(GraphSample& call, Choices& choices) {
  const std::vector<std::string> inputs = RealInputs(call);
  if (inputs.empty()) return;
  const OutputRef input{call.graph.Find(choices.Of(inputs)), 0};
  const DType dtype = *TypeAttr(call.graph.node(input.node), "dtype");
  OutputRef used;
  if (choices.Chance(kSometimes)) {
    const NodeId taken = AddFed(call, "taken", Tensor::Scalar<bool>(choices.Chance(kEvenly)));
    const NodeId branch = AddTo(call, "branch", "Switch", {input, {taken, 0}}, dtype);
    const NodeId changed = AddTo(call, "changed", "Neg", {{branch, 1}}, dtype);
    used.node = AddTo(call, kBeside, "Merge", {{branch, 0}, {changed, 0}}, dtype);
    call.graph.SetAttr(used.node, "N", 2);
  } else {
    used.node = AddTo(call, kBeside, "Neg", {input}, dtype);
  }
  const std::vector<std::string> fetches = RealFetches(call);
  if (!fetches.empty() && choices.Chance(kEvenly)) {
    const OutputRef term = *FindOutput(call.graph, choices.Of(fetches));
    const Result<Signature> signature = ResolveSignature(call.graph.node(term.node));
    const ArgType type = signature->outputs[static_cast<size_t>(term.index)];
    if (type.dtype == dtype && !type.is_ref) {  // a variable would be read when it pleases
      std::erase(call.fetches, OutputName(call.graph, term));
      used = {AddTo(call, kSum, "AddV2", {term, used}, dtype), 0};
    }
  }
  call.fetches.push_back(OutputName(call.graph, used));
}

// The same number or one beside it, somewhere; of no vector of none.
template <typename T>
Tensor Moved(const Tensor& whole, Choices& choices) {
  Tensor moved = *whole.Clone();
  const auto elements = moved.mutable_flat<T>();
  if (elements.empty()) return moved;
  T& element = elements[choices.Below(static_cast<uint32_t>(elements.size()))];
  element = static_cast<T>(element + (element > 0 && choices.Chance(kMostly) ? -1 : 1));
  return moved;
}

// The call once more, of the same inputs, or with one of the whole numbers among them, an index or
// a size as a rule, moved by one.
void CallAgain(GraphSample& call, Choices& choices) {
  const Node called = call.graph.node(call.graph.Find(kCalled));
  if (called.def->is_stateful || called.inputs.empty()) return;
  const Result<Signature> signature = ResolveSignature(called);
  const auto is_real = [](const ArgType& output) { return IsReal(output.dtype); };
  if (!signature.ok() || std::ranges::none_of(signature->outputs, is_real)) return;
  std::vector<OutputRef> inputs = called.inputs;
  std::vector<size_t> wholes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto value = FedValue(call, call.graph.node(inputs[i].node));
    if (!value) return;
    if (value->dtype() == DType::kInt32 || value->dtype() == DType::kInt64) wholes.push_back(i);
  }
  if (!wholes.empty() && choices.Chance(kMostly)) {
    const size_t moved = choices.Of(wholes);
    const Tensor value = *FedValue(call, call.graph.node(inputs[moved].node));
    const Tensor other = value.dtype() == DType::kInt32 ? Moved<int32_t>(value, choices)
                                                        : Moved<int64_t>(value, choices);
    inputs[moved] = {*call.graph.AddNode("moved", "Const"), 0};
    call.graph.SetAttr(inputs[moved].node, "dtype", value.dtype());
    call.graph.SetAttr(inputs[moved].node, "value", other);
  }
  const NodeId again = *call.graph.AddNode(kAgain, called.op);
  call.graph.mutable_node(again).inputs = std::move(inputs);
  call.graph.mutable_node(again).attrs = called.attrs;
  for (size_t i = 0; i < signature->outputs.size(); ++i) {
    if (!is_real(signature->outputs[i])) continue;
    call.fetches.push_back(OutputName(call.graph, {again, static_cast<int32_t>(i)}));
  }
}

// What nothing is made of.
void AddUnreached(GraphSample& call, Choices& choices) {
  const DType dtype = choices.Chance(kEvenly) ? DType::kFloat : DType::kDouble;
  AddFed(call, "unreached", DrawWeights(*Tensor::Allocate(dtype, Dims{2}), choices));
}

// Rows that are shared out and put together again, at places that are shared out the same way: all
// of a range, or drawn, some of them twice.
GraphSample DrawStitch(Choices& choices) {
  GraphSample call;
  call.runs.resize(1);
  const int rows = choices.Between(1, 5), parts = choices.Between(1, 3);
  std::vector<int32_t> places, owners;
  for (int i = 0; i < rows; ++i) {
    places.push_back(choices.Between(0, rows - 1));
    owners.push_back(choices.Between(0, parts - 1));
  }
  const OutputRef owner{AddFed(call, "owner", Tensor::Vector(owners)), 0};
  const auto constant = [&](const char* name, const Tensor& value) {
    const NodeId id = *call.graph.AddNode(name, "Const");
    call.graph.SetAttr(id, "dtype", value.dtype());
    call.graph.SetAttr(id, "value", value);
    return OutputRef{id, 0};
  };
  OutputRef place = constant("places", Tensor::Vector(places));
  if (choices.Chance(kEvenly)) {
    const OutputRef zero = constant("zero", Tensor::Scalar<int32_t>(0));
    const OutputRef one = constant("one", Tensor::Scalar<int32_t>(1));
    const OutputRef end = constant("end", Tensor::Scalar<int32_t>(rows));
    place = {*call.graph.AddNode("range", "Range"), 0};
    call.graph.mutable_node(place.node).inputs = {zero, end, one};
    call.graph.SetAttr(place.node, "Tidx", DType::kInt32);
  }
  const auto share_out = [&](const char* name, OutputRef values, DType dtype) {
    const NodeId id = AddTo(call, name, "DynamicPartition", {values, owner}, dtype);
    call.graph.SetAttr(id, "num_partitions", parts);
    return id;
  };
  const NodeId indices = share_out("indices", place, DType::kInt32);
  const Tensor like = *Tensor::Allocate(DType::kDouble, Dims{rows});
  const NodeId x = AddFed(call, "x", DrawWeights(like, choices));
  const NodeId data = share_out("data", {x, 0}, DType::kDouble);
  std::vector<OutputRef> inputs;
  for (const NodeId list : {indices, data}) {
    for (int part = 0; part < parts; ++part) inputs.push_back({list, part});
  }
  const NodeId called = AddTo(call, kCalled, "DynamicStitch", std::move(inputs), DType::kDouble);
  call.graph.SetAttr(called, "N", parts);
  call.fetches = call.targets = {kCalled};
  return call;
}

// The more often the more inputs it has that are no matter of its derivative, and attrs.
size_t DerivativesOf(const OpDef& op) {
  return 1 + 2 * (std::max<size_t>(op.inputs.size(), 1) - 1) +
         (std::max<size_t>(op.attrs.size(), 1) - 1);
}

}  // namespace

std::vector<std::string> RealInputs(const GraphSample& call) {
  std::vector<std::string> names;
  for (const NodeId id : call.graph.NodeIds()) {
    const Node& node = call.graph.node(id);
    const Result<DType> dtype = TypeAttr(node, "dtype");
    if (IsFed(node) && dtype.ok() && IsReal(*dtype)) names.push_back(node.name);
  }
  return names;
}

std::vector<std::string> RealFetches(const GraphSample& call) {
  const std::map<OutputRef, DType> flows = FindArrayFlows(call.graph);
  std::vector<std::string> names;
  for (const std::string& fetch : call.fetches) {
    const Result<OutputRef> output = FindOutput(call.graph, fetch);
    const Result<Signature> signature = ResolveSignature(call.graph.node(output->node));
    if (!signature.ok()) return {};
    const ArgType type = signature->outputs[static_cast<size_t>(output->index)];
    if (IsReal(type.dtype) && !flows.contains(*output)) names.push_back(fetch);
  }
  return names;
}

bool IsWeighed(const std::string& node) {
  return node == kCalled || node == kBeside || node == kAgain;
}

Tensor DrawWeights(const Tensor& like, Choices& choices) {
  std::vector<double> values(static_cast<size_t>(like.num_elements()));
  for (double& value : values)
    value = choices.Between(1, 8) / (choices.Chance(kEvenly) ? 4.0 : -4.0);
  return like.dtype() == DType::kFloat ? Converted<float>(values, like.dims())
                                       : Converted<double>(values, like.dims());
}

GraphSample DrawDifferentiableCall(Choices& choices) {
  static const auto& ops = *new std::vector<const OpDef*>([] {
    std::vector<const OpDef*> all;
    for (const OpDef* op : DifferentiableOps()) all.insert(all.end(), DerivativesOf(*op), op);
    return all;
  }());
  static const auto& reals = *new std::vector<DType>{DType::kFloat, DType::kDouble};
  if (choices.Chance(kRarely)) return DrawStitch(choices);
  GraphSample call;
  for (int tries = 0; tries < kTries; ++tries) {
    call =
        choices.Chance(kSometimes) ? DrawStory(choices) : CallOf(*choices.Of(ops), reals, choices);
    if (!RealInputs(call).empty() && !RealFetches(call).empty()) break;
  }
  if (choices.Chance(kSometimes)) UseBeside(call, choices);
  if (choices.Chance(kSometimes)) CallAgain(call, choices);
  if (choices.Chance(kSeldom)) AddUnreached(call, choices);
  return call;
}

}  // namespace tagflow::fuzz
