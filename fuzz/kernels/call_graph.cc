#include "fuzz/kernels/call_graph.h"

#include <algorithm>

#include "fuzz/kernels/op_families.h"

namespace tagflow::fuzz {
namespace {

// The shape, or what is known of it.
PartialShape Known(DimsView dims, Choices& choices) {
  Dims known(dims.begin(), dims.end());
  if (choices.Chance(kEvenly)) {
    for (int64_t& dim : known) dim = choices.Chance(kEvenly) ? PartialShape::kUnknownDim : dim;
  }
  return PartialShape(std::move(known));
}

}  // namespace

NodeId CallGraph::AddNode(const std::string& name, const std::string& op,
                          std::vector<OutputRef> inputs) {
  const NodeId id = *graph().AddNode(name, op);
  graph().mutable_node(id).inputs = std::move(inputs);
  return id;
}

OutputRef CallGraph::Add(const std::string& op, std::vector<OutputRef> inputs, DType type) {
  const NodeId id = AddNode(NewName(), op, std::move(inputs));
  graph().SetAttr(id, "T", type);
  return {id, 0};
}

OutputRef CallGraph::Constant(Tensor value) {
  const NodeId id = AddNode(NewName(), "Const", {});
  graph().SetAttr(id, "dtype", value.dtype());
  graph().SetAttr(id, "value", std::move(value));
  return {id, 0};
}

OutputRef CallGraph::Placeholder(const std::string& name, Tensor value) {
  const NodeId id = AddNode(name, "Placeholder", {});
  graph().SetAttr(id, "dtype", value.dtype());
  Feed(id, std::move(value));
  return {id, 0};
}

OutputRef CallGraph::Given(Tensor value) {
  const bool is_fed = !IsTensorDType(value.dtype()) || choices_.Chance(fed_);
  if (!is_fed) return Constant(std::move(value));
  const Dims dims(value.dims().begin(), value.dims().end());
  const OutputRef fed = Placeholder(NewName(), std::move(value));
  if (choices_.Chance(kEvenly)) graph().SetAttr(fed.node, "shape", Known(dims, choices_));
  return fed;
}

GraphSample CallGraph::Take(std::vector<std::string> targets, size_t runs) {
  sample_.targets = std::move(targets);
  sample_.runs.assign(runs, feeds_);
  return std::move(sample_);
}

bool CallGraph::Allows(const std::string& op, DType dtype) {
  const AttrDef* types = OpRegistry::Standard().Find(op)->FindAttr("T");
  return std::ranges::find(types->allowed_types, dtype) != types->allowed_types.end();
}

ArgType CallGraph::TypeOf(OutputRef output) const {
  const Result<Signature> signature = ResolveSignature(node(output.node));
  const bool is_there = signature.ok() && signature->outputs.size() > size_t(output.index);
  return is_there ? signature->outputs[static_cast<size_t>(output.index)] : ArgType();
}

std::vector<TypedOutput> CallGraph::ValuesOf(NodeId id) const {
  const Result<Signature> signature = ResolveSignature(node(id));
  std::vector<TypedOutput> values;
  for (size_t i = 0; signature.ok() && i < std::min(signature->outputs.size(), kMostArgs); ++i) {
    const ArgType type = signature->outputs[i];
    if (IsMade(ArgType{type.dtype, false})) continue;
    values.push_back({{id, static_cast<int>(i)}, type});
  }
  return values;
}

std::optional<Tensor> CallGraph::ValueOf(OutputRef output) const {
  const Node& from = node(output.node);
  if (from.op == "AddV2") return ValueOf(from.inputs[0]);
  const Result<Tensor> constant = TensorAttr(from, "value");
  if (constant.ok()) return *constant;
  const auto fed = std::ranges::find(feeds_, from.name, &NamedTensors::value_type::first);
  return fed == feeds_.end() ? std::nullopt : std::optional(fed->second);
}

OutputRef CallGraph::Computed(OutputRef value, DType dtype) {
  if (!Allows("AddV2", dtype)) return value;
  return Add("AddV2", {value, Constant(*Tensor::Allocate(dtype, Dims{}))}, dtype);
}

}  // namespace tagflow::fuzz
