#include "graph/builder/build_state.h"

#include <algorithm>

#include "graph/control_ops.h"
#include "graph/shape_inference.h"
#include "graph/unknown_ops.h"

namespace tagflow::internal {
namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// By node id: one more than the greatest index of an output that another node takes.
std::vector<size_t> UsedOutputs(const Graph& graph) {
  std::vector<size_t> used(graph.id_limit());
  for (const NodeId id : graph.NodeIds()) {
    for (const OutputRef& input : graph.node(id).inputs) {
      size_t& count = used[tagflow::Index(input.node)];
      count = std::max(count, static_cast<size_t>(input.index) + 1);
    }
  }
  return used;
}

// A captured constant is still one: Switch, constant Enter and Identity hand it on as it is.
bool HandsOn(const Node& node) {
  if (node.op == "Identity" || node.op == "Switch") return true;
  const AttrValue* constant = node.op == "Enter" ? FindAttr(node, "is_constant") : nullptr;
  return constant != nullptr && *constant == AttrValue(true);
}

}  // namespace

BuildState::BuildState(const OpRegistry& registry) : graph_(registry) {
  contexts_.emplace_back();  // the root
  current_.emplace_back();
}

BuildState::BuildState(const BuildState& other)
    : graph_(other.graph_.Clone()),
      status_(other.status_),
      info_(other.info_),
      contexts_(other.contexts_),
      cond_frames_(other.cond_frames_),
      loop_frames_(other.loop_frames_),
      while_contexts_(other.while_contexts_),
      scope_names_(other.scope_names_),
      frame_names_(other.frame_names_),
      current_(other.current_) {}

std::unique_ptr<BuildState> BuildState::Copy() const {
  return std::unique_ptr<BuildState>(new BuildState(*this));
}

Result<std::unique_ptr<BuildState>> BuildState::Open(Graph graph) {
  auto state = std::make_unique<BuildState>(graph.registry());
  StandInForUnknownOps(graph);
  TAGFLOW_ASSIGN_OR_RETURN(auto shapes, InferShapes(graph));
  const std::vector<size_t> outputs = UsedOutputs(graph);
  state->info_.resize(graph.id_limit());
  for (const NodeId id : graph.NodeIds()) {
    const size_t i = tagflow::Index(id);
    NodeInfo& info = state->info_[i];
    // What is wrong with a node that nobody needs is nobody's business: it has outputs of no type.
    if (Result<Signature> signature = ResolveSignature(graph.node(id)); signature.ok()) {
      info.signature = *std::move(signature);
    }
    const size_t count = std::max(info.signature.outputs.size(), outputs[i]);
    info.signature.outputs.resize(count);
    info.shapes = std::move(shapes[i]);
    info.shapes.resize(count);
    if (!IsEnter(graph.node(id))) continue;
    if (Result<std::string> frame = StringAttr(graph.node(id), "frame_name"); frame.ok()) {
      state->scope_names_.insert(*frame);
      state->frame_names_.insert(*std::move(frame));
    }
  }
  state->graph_ = std::move(graph);
  return state;
}

void BuildState::Fail(const Status& status) {
  if (status_.ok()) status_ = status;
}

Result<NodeId> BuildState::AddNode(NodeSpec spec) {
  std::sort(spec.attrs.begin(), spec.attrs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Node probe;
  probe.name = spec.name;
  probe.op = spec.op;
  probe.def = graph_.registry().Find(spec.op);
  probe.attrs = spec.attrs;
  TAGFLOW_ASSIGN_OR_RETURN(Signature signature, ResolveSignature(probe));
  return AddChecked(std::move(spec), std::move(signature));
}

Result<NodeId> BuildState::AddChecked(NodeSpec spec, Signature signature) {
  TAGFLOW_RETURN_IF_ERROR(CheckInputs(spec, signature));
  TAGFLOW_ASSIGN_OR_RETURN(const bool needs_pivot, NeedsPivot(spec));
  if (needs_pivot) {
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId pivot, Pivot(spec.context));
    spec.controls.push_back(pivot);
  }
  std::sort(spec.controls.begin(), spec.controls.end());
  spec.controls.erase(std::unique(spec.controls.begin(), spec.controls.end()), spec.controls.end());
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId id, graph_.AddNode(graph_.UniqueName(spec.name), spec.op));
  Node& node = graph_.mutable_node(id);
  node.inputs = std::move(spec.inputs);
  node.control_inputs = std::move(spec.controls);
  node.device = std::move(spec.device);
  for (auto& [name, value] : spec.attrs) graph_.SetAttr(id, name, std::move(value));
  NodeInfo info{.context = spec.context, .signature = std::move(signature), .shapes = {}};
  TAGFLOW_ASSIGN_OR_RETURN(info.shapes, InferNodeShapes(node, info.signature.outputs.size()));
  info_.push_back(std::move(info));
  return id;
}

Status BuildState::CheckInputs(const NodeSpec& spec, const Signature& signature) const {
  const std::string who = Quoted(spec.name) + " (op " + spec.op + ")";
  if (spec.inputs.size() != signature.inputs.size()) {
    return InvalidArgument(who + " takes " + std::to_string(signature.inputs.size()) +
                           " inputs, not " + std::to_string(spec.inputs.size()))
        .WithNode(spec.name);
  }
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const ArgType wanted = signature.inputs[i];
    const ArgType given = type(spec.inputs[i]);
    if (wanted.dtype == given.dtype && (given.is_ref || !wanted.is_ref)) continue;
    return InvalidArgument(who + ": input " + std::to_string(i) + " must be " +
                           ArgTypeName(wanted) + ", and " + Quoted(Name(spec.inputs[i])) + " is " +
                           ArgTypeName(given))
        .WithNode(spec.name);
  }
  return Status();
}

Result<std::vector<PartialShape>> BuildState::InferNodeShapes(const Node& node,
                                                              size_t num_outputs) const {
  if (!node.def->shape_function) return std::vector<PartialShape>(num_outputs);
  std::vector<PartialShape> inputs;
  std::vector<std::optional<Tensor>> constants;
  for (const OutputRef input : node.inputs) {
    inputs.push_back(shape(input));
    const Tensor* constant = ConstantValue(input);
    constants.push_back(constant == nullptr ? std::nullopt : std::make_optional(*constant));
  }
  ShapeContext context(node, num_outputs, std::move(inputs), std::move(constants));
  TAGFLOW_RETURN_IF_ERROR(node.def->shape_function(context).WithNode(node.name));
  return context.outputs();
}

const Tensor* BuildState::ConstantValue(OutputRef output) const {
  const Node& node = graph_.node(Origin(output).node);
  const AttrValue* value = node.op == "Const" ? FindAttr(node, "value") : nullptr;
  return value == nullptr ? nullptr : value->Get<Tensor>();
}

// What a tensor was captured of. In a branch in n branches it is n Switches away, for each of the
// tensors on the way.
OutputRef BuildState::Origin(OutputRef output) const {
  std::vector<OutputRef> way;
  while (HandsOn(graph_.node(output.node))) {
    const auto known = origins_.find(output);
    if (known != origins_.end()) {
      output = known->second;
      break;
    }
    way.push_back(output);
    output = graph_.node(output.node).inputs[0];
  }
  for (const OutputRef& passed : way) origins_[passed] = output;
  return output;
}

Status BuildState::ReplaceInput(NodeId node, size_t index, OutputRef input) {
  Node& changed = graph_.mutable_node(node);
  const std::vector<ArgType>& wanted = info_[tagflow::Index(node)].signature.inputs;
  if (index >= wanted.size()) {
    return InvalidArgument(Quoted(changed.name) + " has no input " + std::to_string(index));
  }
  if (type(input).dtype != wanted[index].dtype || (wanted[index].is_ref && !type(input).is_ref)) {
    return InvalidArgument(Quoted(changed.name) + ": input " + std::to_string(index) + " must be " +
                           ArgTypeName(wanted[index]) + ", and " + Quoted(Name(input)) + " is " +
                           ArgTypeName(type(input)));
  }
  changed.inputs[index] = input;
  if (HandsOn(changed)) origins_.clear();
  return Status();
}

void BuildState::AddControl(NodeId node, NodeId control) {
  std::vector<NodeId>& controls = graph_.mutable_node(node).control_inputs;
  const auto place = std::lower_bound(controls.begin(), controls.end(), control);
  if (place == controls.end() || *place != control) controls.insert(place, control);
}

void BuildState::SetShape(OutputRef output, PartialShape shape) {
  info_[tagflow::Index(output.node)].shapes[static_cast<size_t>(output.index)] = std::move(shape);
}

ContextId BuildState::AddContext(Context context) {
  contexts_.push_back(std::move(context));
  return ContextId{static_cast<int32_t>(contexts_.size() - 1)};
}

size_t BuildState::AddCondFrame(CondFrame frame) {
  cond_frames_.push_back(std::move(frame));
  return cond_frames_.size() - 1;
}

size_t BuildState::AddLoopFrame(LoopFrame frame) {
  WhileContext record;
  record.name = frame.name;
  record.frame_name = frame.frame_name;
  record.parent = InnermostLoop(frame.parent);
  record.parallel_iterations = frame.parallel_iterations;
  record.back_prop = frame.back_prop;
  record.swap_memory = frame.swap_memory;
  while_contexts_.push_back(std::move(record));
  loop_frames_.push_back(std::move(frame));
  return loop_frames_.size() - 1;
}

bool BuildState::Encloses(ContextId outer, ContextId inner) const {
  while (inner != outer && inner != ContextId::kRoot) inner = context(inner).parent;
  return inner == outer;
}

int BuildState::InnermostLoop(ContextId id) const {
  for (; id != ContextId::kRoot; id = context(id).parent) {
    const ContextKind kind = context(id).kind;
    if (kind == ContextKind::kLoopCond || kind == ContextKind::kLoopBody) {
      return static_cast<int>(context(id).frame);
    }
  }
  return -1;
}

std::string BuildState::Describe(ContextId id) const {
  const Context& c = context(id);
  switch (c.kind) {
    case ContextKind::kBranch:
      return std::string("the ") + (c.branch ? "true" : "false") + " branch of cond " +
             Quoted(cond_frames_[c.frame].name);
    case ContextKind::kLoopCond:
      return "the predicate of loop " + Quoted(loop_frames_[c.frame].name);
    case ContextKind::kLoopBody:
      return "the body of loop " + Quoted(loop_frames_[c.frame].name);
    case ContextKind::kRoot:
      break;
  }
  return "the root of the graph";
}

std::string BuildState::UniqueScopeName(const std::string& prefix) {
  std::string name = prefix;
  for (int i = 1; !scope_names_.insert(name).second || graph_.Find(name) != NodeId::kNone; ++i) {
    name = prefix + "_" + std::to_string(i);
  }
  return name;
}

}  // namespace tagflow::internal
