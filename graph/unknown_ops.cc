#include "graph/unknown_ops.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "graph/limits.h"
#include "graph/must_run.h"
#include "graph/names_functions.h"

namespace tagflow {
namespace {

constexpr std::string_view kStandIn = "_UnknownOp";
// Attrs of stand-ins, beside those that the node has.
constexpr char kOp[] = "_unknown_op";
constexpr char kInputs[] = "_unknown_op_inputs";
constexpr char kOutputs[] = "_unknown_op_outputs";
constexpr char kUntyped[] = "_unknown_op_untyped";  // outputs of any type
// Attrs of a node of which it is noted that it cannot run.
constexpr char kWhy[] = "_cannot_run";
constexpr char kWhyCode[] = "_cannot_run_code";
constexpr char kWhyRule[] = "_cannot_run_rule";

// Outputs that a stand-in has at least, so that any of them may be fetched.
constexpr size_t kOutputsMin = 16;
constexpr size_t kMaxListed = 8;

OpDef NewStandInDef() {
  const auto arg = [](const char* name, const char* attr) {
    ArgDef made;
    made.name = name;
    made.type_list_attr = attr;
    return made;
  };
  const auto attr = [](const char* name, AttrKind kind) {
    AttrDef made;
    made.name = name;
    made.kind = kind;
    return made;
  };
  OpDef def;
  def.name = kStandIn;
  def.inputs = {arg("inputs", kInputs)};
  def.outputs = {arg("outputs", kOutputs)};
  def.attrs = {attr(kOp, AttrKind::kString), attr(kInputs, AttrKind::kListType),
               attr(kOutputs, AttrKind::kListType), attr(kUntyped, AttrKind::kListInt)};
  def.summary = "Stands for a node whose op is not defined.";
  def.is_stateful = true;
  return def;
}

const OpDef& StandInDef() {
  static const auto& def = *new OpDef(NewStandInDef());
  return def;
}

class Replacer {
 public:
  explicit Replacer(Graph& graph) : graph_(graph) {}

  void Run() {
    for (const NodeId id : graph_.NodeIds()) {
      if (graph_.node(id).def == nullptr) outputs_[id].resize(kOutputsMin);
    }
    if (outputs_.empty()) return;
    for (const NodeId id : graph_.NodeIds()) NoteTaken(graph_.node(id));
    std::unordered_map<NodeId, std::vector<ArgType>> inputs;
    for (const auto& [id, types] : outputs_) inputs[id] = InputsOf(graph_.node(id));
    for (const auto& [id, types] : outputs_) Replace(graph_.mutable_node(id), inputs[id], types);
  }

 private:
  using Types = std::vector<std::optional<ArgType>>;  // nothing: of any type

  static ArgType AnyType() { return {DType::kFloat, false}; }

  // What the node takes of unknown ops, and as what.
  void NoteTaken(const Node& node) {
    std::optional<Result<Signature>> signature;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const OutputRef input = node.inputs[i];
      const auto found = outputs_.find(input.node);
      if (found == outputs_.end() || input.index < 0) continue;
      if (input.index >= kMostOutputsOfUnknownOp) {
        outputs_.erase(found);
        continue;
      }
      Types& types = found->second;
      const auto index = static_cast<size_t>(input.index);
      if (types.size() <= index) types.resize(index + 1);
      if (!signature) signature = ResolveSignature(node);
      if (!signature->ok() || types[index] || i >= (*signature)->inputs.size()) continue;
      types[index] = (*signature)->inputs[i];
    }
  }

  std::vector<ArgType> InputsOf(const Node& node) const {
    std::vector<ArgType> types;
    for (const OutputRef& input : node.inputs) types.push_back(TypeOf(input));
    return types;
  }

  ArgType TypeOf(OutputRef output) const {
    const auto index = static_cast<size_t>(output.index);
    if (const auto found = outputs_.find(output.node); found != outputs_.end()) {
      return index < found->second.size() ? found->second[index].value_or(AnyType()) : AnyType();
    }
    if (Index(output.node) >= graph_.id_limit() || graph_.node(output.node).removed()) {
      return AnyType();
    }
    const Result<Signature> signature = ResolveSignature(graph_.node(output.node));
    const bool is_there = signature.ok() && index < signature->outputs.size();
    return is_there ? signature->outputs[index] : AnyType();
  }

  void Replace(Node& node, const std::vector<ArgType>& inputs, const Types& outputs) {
    AttrList taken, given, untyped;
    taken.types = inputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      given.types.push_back(outputs[i].value_or(AnyType()));
      if (!outputs[i]) untyped.ints.push_back(static_cast<int64_t>(i));
    }
    graph_.SetAttr(node.id, kOp, node.op);
    graph_.SetAttr(node.id, kInputs, std::move(taken));
    graph_.SetAttr(node.id, kOutputs, std::move(given));
    graph_.SetAttr(node.id, kUntyped, std::move(untyped));
    node.op = kStandIn;
    node.def = &StandInDef();
  }

  Graph& graph_;
  std::unordered_map<NodeId, Types> outputs_;  // of nodes of unknown ops
};

}  // namespace

bool IsStandIn(const Node& node) { return node.def == &StandInDef(); }

void StandInForUnknownOps(Graph& graph) { Replacer(graph).Run(); }

void RestoreUnknownOps(Graph& graph) {
  for (const NodeId id : graph.NodeIds()) {
    if (!IsStandIn(graph.node(id))) continue;
    Node& node = graph.mutable_node(id);
    node.op = OpNameOf(node);
    node.def = nullptr;
    std::erase_if(node.attrs, [](const auto& attr) { return attr.first.starts_with(kOp); });
  }
}

std::string OpNameOf(const Node& node) {
  if (!IsStandIn(node)) return node.op;
  const Result<std::string> op = StringAttr(node, kOp);
  return op.ok() ? *op : node.op;
}

bool IsOfAnyType(const Graph& graph, OutputRef output) {
  const Node& node = graph.node(output.node);
  if (!IsStandIn(node)) return false;
  const Result<AttrList> untyped = ListAttr(node, kUntyped);
  return untyped.ok() && std::ranges::find(untyped->ints, output.index) != untyped->ints.end();
}

void NoteCannotRun(Graph& graph, NodeId id, const Status& why) {
  graph.SetAttr(id, kWhy, AttrValue(std::string(why.message())));
  graph.SetAttr(id, kWhyCode, AttrValue(static_cast<int64_t>(why.code())));
  graph.SetAttr(id, kWhyRule, AttrValue(std::string(why.rule())));
}

bool RunsNowhere(const Node& node) { return IsStandIn(node) || FindAttr(node, kWhy) != nullptr; }

bool IsRefused(const Node& node) {
  return node.def != nullptr && NamesFunctions(*node.def) && FindAttr(node, kWhy) != nullptr;
}

Status CannotRun(const Node& node, std::string_view engine) {
  if (const Result<std::string> why = StringAttr(node, kWhy); why.ok()) {
    const auto code = static_cast<Code>(*IntAttr(node, kWhyCode));
    return Status(code, *why).WithNode(node.name).WithRule(*StringAttr(node, kWhyRule));
  }
  if (!IsStandIn(node)) {
    return Unimplemented("op " + node.op + " of node '" + node.name + "' has no " +
                         std::string(engine) + " kernel")
        .WithNode(node.name);
  }
  return Unimplemented("node '" + node.name + "' needs the op '" + OpNameOf(node) +
                       "', which is not defined here: leave the node out of what is fetched, or "
                       "register the op")
      .WithNode(node.name)
      .WithRule("graph.1");
}

Status RefuseWhatMustRun(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                         const std::vector<NodeId>& cannot_run, std::string_view engine) {
  if (cannot_run.empty()) return Status();
  const std::vector<bool> must_run = NodesThatMustRun(graph, call, valid);
  std::vector<NodeId> refused;
  std::ranges::copy_if(cannot_run, std::back_inserter(refused),
                       [&](NodeId id) { return must_run[Index(id)]; });
  if (refused.empty()) return Status();
  const Status first = CannotRun(graph.node(refused[0]), engine);
  if (refused.size() == 1) return first;
  std::string others;
  for (size_t i = 1; i < std::min(refused.size(), kMaxListed); ++i) {
    const Node& node = graph.node(refused[i]);
    others += (others.empty() ? "'" : ", '") + node.name + "' (op " + OpNameOf(node) + ")";
  }
  if (refused.size() > kMaxListed) {
    others += " and " + std::to_string(refused.size() - kMaxListed) + " more";
  }
  return Unimplemented(first.message() + ". Nor can run: " + others)
      .WithNode(first.node())
      .WithRule(first.rule());
}

}  // namespace tagflow
