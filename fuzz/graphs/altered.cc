// Tested by altered_test.cc.

#include "fuzz/graphs/altered.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/generate/generate.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/walk.h"
#include "graph/control_ops.h"
#include "graph/frames.h"
#include "graph/validate.h"
#include "transform/simplify/call_view.h"

namespace tagflow::fuzz {
namespace {

// Ops of one signature each.
const std::vector<std::vector<std::string_view>> kKinds = {
    {"Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "FloorDiv", "FloorMod",
     "SquaredDifference"},
    {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"},
    {"LogicalAnd", "LogicalOr"},
    {"Neg", "Abs", "Square", "Sign", "Identity", "ZerosLike", "OnesLike", "StopGradient", "Snapshot"},
    {"Sum", "Max", "Min", "Prod"},
};

// A program of few nodes, in which every engine computes the same bits.
Profile Small() {
  Profile profile;
  profile.statements = 14;
  profile.firings = 500;
  profile.max_trips = 5;
  profile.max_runs = 3;
  profile.effects = 0;
  profile.exact = true;
  return profile;
}

bool IsOneOf(std::string_view op, const std::vector<std::string_view>& kind) {
  return std::ranges::find(kind, op) != kind.end();
}

class Altering {
 public:
  Altering(Choices& choices, GraphSample& sample, const FrameTree& frames)
      : choices_(choices), sample_(sample), graph_(sample.graph), frames_(frames) {}

  // Whether something was changed; it may have become invalid.
  bool Alter() {
    using Change = bool (Altering::*)(Node&);
    struct Action {
      int weight;
      Change change;
    };
    static constexpr std::array kActions = {
        Action{12, &Altering::TakeAnotherInput}, Action{6, &Altering::AddControl},
        Action{2, &Altering::DropControl},       Action{10, &Altering::BecomeAnotherOp},
        Action{10, &Altering::HoldAnotherValue}, Action{6, &Altering::GoThrough},
        Action{6, &Altering::SwitchByNumber},    Action{6, &Altering::JoinAnother},
        Action{3, &Altering::JoinOneLess},       Action{3, &Altering::RunAheadOtherwise},
        Action{4, &Altering::FetchAnother},      Action{4, &Altering::Divide},
        Action{3, &Altering::FeedAnother}};
    std::array<int, kActions.size()> weights;
    for (size_t i = 0; i < kActions.size(); ++i) weights[i] = kActions[i].weight;
    const Change change = kActions[choices_.Weighted(weights)].change;
    // Nodes one after another, from any of them, until one can be changed so.
    const std::vector<NodeId> ids = graph_.NodeIds();
    const size_t start = choices_.Below(static_cast<uint32_t>(ids.size()));
    for (size_t i = 0; i < ids.size(); ++i) {
      if ((this->*change)(graph_.mutable_node(ids[(start + i) % ids.size()]))) return true;
    }
    return false;
  }

 private:
  // ---- What there is.

  std::optional<ArgType> TypeOf(OutputRef output) const {
    const Result<Signature> signature = ResolveSignature(graph_.node(output.node));
    const auto port = static_cast<size_t>(output.index);
    if (!signature.ok() || port >= signature->outputs.size()) return std::nullopt;
    return signature->outputs[port];
  }
  bool IsPlain(OutputRef output) const {
    const std::optional<ArgType> type = TypeOf(output);
    return type && !type->is_ref && type->dtype != DType::kResource;
  }
  int FrameOf(NodeId id) const { return frames_.output_frame_of[Index(id)]; }

  // Nodes before this one whose tokens are in the frame that its inputs are in.
  std::vector<NodeId> Earlier(const Node& node) const {
    std::vector<NodeId> earlier;
    for (const NodeId id : graph_.NodeIds()) {
      const bool is_known = Index(id) < frames_.output_frame_of.size();
      if (id < node.id && is_known && FrameOf(id) == frames_.frame_of[Index(node.id)]) {
        earlier.push_back(id);
      }
    }
    return earlier;
  }

  // An output of the same type that could be taken there instead; one of the latest as a rule.
  std::optional<OutputRef> Another(const Node& node, OutputRef than) {
    const std::optional<ArgType> type = TypeOf(than);
    if (!type || !IsPlain(than)) return std::nullopt;
    std::vector<OutputRef> found;
    for (const NodeId id : Earlier(node)) {
      const Result<Signature> signature = ResolveSignature(graph_.node(id));
      if (!signature.ok()) continue;
      for (size_t port = 0; port < signature->outputs.size(); ++port) {
        const OutputRef output{id, static_cast<int32_t>(port)};
        if (signature->outputs[port] == *type && output != than) found.push_back(output);
      }
    }
    if (found.empty()) return std::nullopt;
    std::ranges::reverse(found);
    const size_t latest = choices_.Chance(50) ? found.size() : std::min<size_t>(found.size(), 5);
    return found[choices_.Below(static_cast<uint32_t>(latest))];
  }

  // Whether the frames of the node are known: it was there before the first alteration.
  bool IsPlaced(const Node& node) const {
    return Index(node.id) < frames_.frame_of.size() &&
           frames_.frame_of[Index(node.id)] != FrameTree::kUnreached;
  }

  // ---- Changes of one node. False: it cannot be changed so.

  bool TakeAnotherInput(Node& node) {
    if (!IsPlaced(node) || node.inputs.empty()) return false;
    OutputRef& input = node.inputs[choices_.Below(static_cast<uint32_t>(node.inputs.size()))];
    if (input.node > node.id) return false;  // a NextIteration, without which loops do not end
    const std::optional<OutputRef> other = Another(node, input);
    if (other) input = *other;
    return other.has_value();
  }

  bool AddControl(Node& node) {
    if (!IsPlaced(node) || node.op == "Placeholder") return false;
    std::vector<NodeId> earlier = Earlier(node);
    if (earlier.empty()) return false;
    // What enters from outside is rare among all that is there.
    std::vector<NodeId> enters;
    std::ranges::copy_if(earlier, std::back_inserter(enters),
                         [&](NodeId id) { return IsEnter(graph_.node(id)); });
    if (!enters.empty() && choices_.Chance(40)) earlier = enters;
    node.control_inputs.push_back(choices_.Of(earlier));
    return true;
  }

  bool DropControl(Node& node) {
    if (node.control_inputs.empty()) return false;
    const uint32_t at = choices_.Below(static_cast<uint32_t>(node.control_inputs.size()));
    node.control_inputs.erase(node.control_inputs.begin() + at);
    return true;
  }

  NodeId AddNode(const std::string& op, std::vector<OutputRef> inputs, DType type) {
    const Result<NodeId> id = graph_.AddNode(graph_.UniqueName("other" + op), op);
    TAGFLOW_CHECK(id.ok());
    graph_.mutable_node(*id).inputs = std::move(inputs);
    if (type != DType::kInvalid) graph_.SetAttr(*id, "T", type);
    return *id;
  }

  bool BecomeAnotherOp(Node& node) {
    const auto kind = std::ranges::find_if(
        kKinds, [&](const std::vector<std::string_view>& ops) { return IsOneOf(node.op, ops); });
    if (kind == kKinds.end()) return false;
    const std::string_view op = choices_.Of(*kind);
    if (op == node.op) return false;
    BecomeOp(graph_, node.id, op);
    return true;
  }

  template <typename T>
  Tensor AnyValue(const std::vector<int64_t>& dims) {
    const int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies());
    std::vector<T> elements(static_cast<size_t>(count));
    for (T& element : elements) element = static_cast<T>(choices_.Between(-2, 4));
    return Tensor::Of<T>(dims, elements);
  }

  bool HoldAnotherValue(Node& node) {
    if (node.op != "Const") return false;
    const Result<Tensor> value = TensorAttr(node, "value");
    if (!value.ok()) return false;
    static const std::vector<std::vector<int64_t>> shapes = {{}, {1}, {2}, {2, 1}, {1, 1}, {0}, {3}};
    const std::vector<int64_t> same(value->dims().begin(), value->dims().end());
    const std::vector<int64_t> dims = choices_.Chance(60) ? same : choices_.Of(shapes);
    if (value->num_elements() > 64) return false;
    switch (value->dtype()) {
      case DType::kInt32:
        graph_.SetAttr(node.id, "value", AnyValue<int32_t>(dims));
        return true;
      case DType::kInt64:
        graph_.SetAttr(node.id, "value", AnyValue<int64_t>(dims));
        return true;
      case DType::kFloat:
        graph_.SetAttr(node.id, "value", AnyValue<float>(dims));
        return true;
      case DType::kDouble:
        graph_.SetAttr(node.id, "value", AnyValue<double>(dims));
        return true;
      default:
        return false;
    }
  }

  // One consumer takes its value from a detour.
  bool GoThrough(Node& node) {
    if (!IsPlaced(node) || node.inputs.empty()) return false;
    const uint32_t slot = choices_.Below(static_cast<uint32_t>(node.inputs.size()));
    const OutputRef input = node.inputs[slot];
    if (input.node > node.id || !IsPlain(input)) return false;
    const DType type = TypeOf(input)->dtype;
    const NodeId id = node.id;
    OutputRef detour;
    switch (choices_.Below(3)) {
      case 0: {  // both sides of a cond
        const std::optional<OutputRef> truth = AnyBool(node);
        if (!truth) return false;
        const NodeId branch = AddNode("Switch", {input, *truth}, type);
        const NodeId merge = AddNode("Merge", {{branch, 0}, {branch, 1}}, type);
        graph_.SetAttr(merge, "N", 2);
        detour = {merge, 0};
        break;
      }
      case 1: {  // a frame that nothing goes round in
        const NodeId enter = AddNode("Enter", {input}, type);
        graph_.SetAttr(enter, "frame_name", "detour" + std::to_string(Index(enter)));
        graph_.SetAttr(enter, "is_constant", choices_.Chance(50));
        graph_.SetAttr(enter, "parallel_iterations", 1);
        detour = {AddNode("Exit", {{enter, 0}}, type), 0};
        break;
      }
      default: {  // one side of a cond, which may be dead
        const std::optional<OutputRef> truth = AnyBool(node);
        if (!truth) return false;
        detour = {AddNode("Switch", {input, *truth}, type), choices_.Chance(50) ? 1 : 0};
      }
    }
    graph_.mutable_node(id).inputs[slot] = detour;
    return true;
  }

  std::optional<OutputRef> AnyBool(const Node& node) {
    std::vector<OutputRef> found;
    for (const NodeId id : Earlier(node)) {
      const std::optional<ArgType> type = TypeOf({id, 0});
      if (type && *type == ArgType{DType::kBool, false}) found.push_back({id, 0});
    }
    if (found.empty()) return std::nullopt;
    return choices_.Of(found);
  }

  // All Switches of one predicate, or one of them, become _SwitchN.
  bool SwitchByNumber(Node& node) {
    if (node.op != "Switch") return false;
    const OutputRef predicate = node.inputs[1];
    if (!IsPlain(node.inputs[0]) || graph_.node(predicate.node).op == "LoopCond") return false;
    const NodeId first = node.id;
    const bool all = choices_.Chance(70);
    const NodeId number = AddNode("Cast", {predicate}, DType::kInvalid);
    graph_.SetAttr(number, "SrcT", DType::kBool);
    graph_.SetAttr(number, "DstT", DType::kInt32);
    const int64_t ways = choices_.Between(2, 3);
    for (const NodeId id : graph_.NodeIds()) {
      const Node& other = graph_.node(id);
      const bool is_meant = id == first || (all && other.op == "Switch");
      if (!is_meant || other.inputs[1] != predicate || !IsPlain(other.inputs[0])) continue;
      graph_.mutable_node(id).inputs[1] = {number, 0};
      BecomeOp(graph_, id, "_SwitchN");
      graph_.SetAttr(id, "num_outs", ways);
    }
    return true;
  }

  bool JoinAnother(Node& node) {
    if (node.op != "Merge" || !IsPlaced(node)) return false;
    const std::optional<OutputRef> other = Another(node, node.inputs[0]);
    if (!other) return false;
    node.inputs.insert(node.inputs.begin() + choices_.Below(2), *other);
    graph_.SetAttr(node.id, "N", static_cast<int64_t>(node.inputs.size()));
    return true;
  }

  bool JoinOneLess(Node& node) {
    if (node.op != "Merge" || node.inputs.size() < 2) return false;
    const uint32_t at = choices_.Below(static_cast<uint32_t>(node.inputs.size()));
    if (node.inputs[at].node > node.id) return false;
    node.inputs.erase(node.inputs.begin() + at);
    graph_.SetAttr(node.id, "N", static_cast<int64_t>(node.inputs.size()));
    return true;
  }

  bool RunAheadOtherwise(Node& node) {
    if (!IsEnter(node)) return false;
    static const std::vector<int64_t> parallel = {1, 2, 3, 10};
    graph_.SetAttr(node.id, "parallel_iterations", choices_.Of(parallel));
    return true;
  }

  bool FetchAnother(Node& node) {
    if (!IsPlaced(node) || node.op == "Placeholder") return false;
    if (choices_.Chance(30)) {
      sample_.targets.push_back(node.name);
      return true;
    }
    const OutputRef output{node.id, choices_.Chance(30) ? 1 : 0};
    if (FrameOf(node.id) != FrameTree::kRoot || !IsPlain(output)) return false;
    const std::string name = OutputName(graph_, output);
    if (std::ranges::find(sample_.fetches, name) != sample_.fetches.end()) return false;
    sample_.fetches.insert(sample_.fetches.begin(), name);
    return true;
  }

  // A quotient in place of an integer that something takes: by a divisor that may be zero.
  bool Divide(Node& node) {
    if (!IsPlaced(node) || node.inputs.empty()) return false;
    const uint32_t slot = choices_.Below(static_cast<uint32_t>(node.inputs.size()));
    const OutputRef input = node.inputs[slot];
    const std::optional<ArgType> type = TypeOf(input);
    if (input.node > node.id || !type || *type != ArgType{DType::kInt32, false}) return false;
    const std::optional<OutputRef> divisor = Another(node, input);
    if (!divisor) return false;
    const NodeId id = node.id;
    const NodeId quotient =
        AddNode(choices_.Chance(50) ? "FloorDiv" : "FloorMod", {input, *divisor}, DType::kInt32);
    graph_.mutable_node(id).inputs[slot] = {quotient, 0};
    return true;
  }

  // In one run alone.
  bool FeedAnother(Node& node) {
    const size_t run = choices_.Below(static_cast<uint32_t>(sample_.runs.size()));
    for (auto& [name, value] : sample_.runs[run]) {
      if (name != node.name || value.dtype() != DType::kInt32) continue;
      const std::vector<int64_t> dims(value.dims().begin(), value.dims().end());
      value = AnyValue<int32_t>(dims);
      return true;
    }
    return false;
  }

  Choices& choices_;
  GraphSample& sample_;
  Graph& graph_;
  const FrameTree& frames_;  // of the graph before
};

// The frames of the whole graph, where it is valid.
std::optional<FrameTree> FramesOf(const GraphSample& sample) {
  if (!ValidateGraph(sample.graph).empty()) return std::nullopt;
  const std::vector<bool> all(sample.graph.id_limit(), true);
  Result<FrameTree> frames = AssignFrames(sample.graph, all, {});
  return frames.ok() ? std::optional(*std::move(frames)) : std::nullopt;
}

}  // namespace

GraphSample MakeAltered(Choices& choices) {
  const Program program = Canonical(GenerateProgram(choices, Small()));
  Result<Lowered> lowered = Lower(program);
  TAGFLOW_CHECK(lowered.ok());
  GraphSample sample;
  for (int run = 0; run < program.runs; ++run) {
    sample.runs.push_back(FeedsOf(program, *lowered, run));
  }
  sample.fetches = lowered->fetches;
  sample.graph = std::move(lowered->graph);
  const int alterations = choices.Between(1, 4);
  std::optional<FrameTree> frames = FramesOf(sample);
  for (int i = 0; i < alterations && frames; ++i) {
    GraphSample changed = sample.Clone();
    if (!Altering(choices, changed, *frames).Alter()) continue;
    std::optional<FrameTree> changed_frames = FramesOf(changed);
    if (!changed_frames) continue;
    sample = std::move(changed);
    frames = std::move(changed_frames);
  }
  return sample;
}

}  // namespace tagflow::fuzz
