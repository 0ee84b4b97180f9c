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
    {"Neg", "Abs", "Square", "Sign", "Identity", "ZerosLike", "OnesLike", "StopGradient",
     "Snapshot"},
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
        Action{6, &Altering::GoByNumber},        Action{4, &Altering::SwitchByNumber},
        Action{5, &Altering::JoinAnother},       Action{3, &Altering::JoinTurned},
        Action{3, &Altering::JoinOneLess},       Action{3, &Altering::RunAheadOtherwise},
        Action{5, &Altering::FetchAnother},      Action{4, &Altering::Divide},
        Action{3, &Altering::FeedAnother},       Action{4, &Altering::FeedAnotherShape},
        Action{4, &Altering::GoInHalves},        Action{4, &Altering::EnterOtherwise}};
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
    const std::optional<OutputRef> other =
        choices_.Chance(20) ? OtherSide(node, input) : Another(node, input);
    if (other) input = *other;
    return other.has_value();
  }

  // The other way out of a Switch that one of the inputs comes from, of the same type.
  std::optional<OutputRef> OtherSide(const Node& node, OutputRef than) const {
    for (const OutputRef& input : node.inputs) {
      const OutputRef side{input.node, 1 - input.index};
      if (IsSwitch(graph_.node(input.node)) && TypeOf(side) == TypeOf(than)) return side;
    }
    return std::nullopt;
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
    static const std::vector<std::vector<int64_t>> shapes = {{},     {1}, {2}, {2, 1},
                                                             {1, 1}, {0}, {3}};
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
      case DType::kBool:
        graph_.SetAttr(node.id, "value", AnyTruth(dims));
        return true;
      default:
        return false;
    }
  }

  Tensor AnyTruth(const std::vector<int64_t>& dims) {
    Tensor tensor = *Tensor::Allocate(DType::kBool, dims);
    for (bool& element : tensor.mutable_flat<bool>()) element = choices_.Chance(50);
    return tensor;
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
    switch (choices_.Below(6)) {
      case 0: {  // both sides of a cond
        const std::optional<OutputRef> truth = AnyBool(node);
        if (!truth) return false;
        const NodeId branch = AddNode("Switch", {input, *truth}, type);
        const int32_t first = choices_.Chance(50) ? 1 : 0;
        const NodeId merge = AddNode("Merge", {{branch, first}, {branch, 1 - first}}, type);
        graph_.SetAttr(merge, "N", 2);
        const bool tells_which = type == DType::kInt32 && choices_.Chance(30);
        detour = {merge, tells_which ? 1 : 0};
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
      case 2: {  // taken twice by one node
        const NodeId twice = AddNode("IdentityN", {input, input}, DType::kInvalid);
        AttrList types;
        types.types = {ArgType{type, false}, ArgType{type, false}};
        graph_.SetAttr(twice, "T", types);
        detour = {twice, choices_.Chance(50) ? 1 : 0};
        break;
      }
      case 3: {  // the same, and added up
        if (type == DType::kBool || type == DType::kString) return false;
        const NodeId sum = AddNode("AddN", {input, input, input}, type);
        graph_.SetAttr(sum, "N", 3);
        detour = {sum, 0};
        break;
      }
      case 4: {  // a variable of the step
        if (FrameOf(input.node) != FrameTree::kRoot) return false;
        detour = {Temporary(input, type), 0};
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

  NodeId Temporary(OutputRef input, DType type) {
    const NodeId variable = AddNode("TemporaryVariable", {}, DType::kInvalid);
    const std::string name = graph_.node(variable).name;
    graph_.SetAttr(variable, "dtype", type);
    graph_.SetAttr(variable, "shape", PartialShape());
    graph_.SetAttr(variable, "var_name", name);
    const NodeId assign = AddNode("Assign", {{variable, 0}, input}, type);
    graph_.SetAttr(assign, "validate_shape", false);
    const NodeId last = AddNode("DestroyTemporaryVariable", {{assign, 0}}, type);
    graph_.SetAttr(last, "var_name", name);
    return last;
  }

  // A predicate that is asked already, as often as not.
  std::optional<OutputRef> AnyBool(const Node& node) {
    std::vector<OutputRef> found, asked;
    for (const NodeId id : Earlier(node)) {
      const Node& earlier = graph_.node(id);
      if (IsSwitch(earlier) && IsPlain(earlier.inputs[1])) asked.push_back(earlier.inputs[1]);
      const std::optional<ArgType> type = TypeOf({id, 0});
      if (type && *type == ArgType{DType::kBool, false}) found.push_back({id, 0});
    }
    if (!asked.empty() && choices_.Chance(50)) return choices_.Of(asked);
    if (found.empty()) return std::nullopt;
    return choices_.Of(found);
  }

  // One consumer takes the sum of the halves of what is there twice, each changed by itself.
  bool GoInHalves(Node& node) {
    if (!IsPlaced(node) || node.inputs.empty() || !IsPlaced(graph_.node(node.inputs[0].node))) {
      return false;
    }
    const OutputRef input = node.inputs[0];
    const std::optional<ArgType> type = TypeOf(input);
    if (input.node > node.id || !type || *type != ArgType{DType::kFloat, false}) return false;
    const NodeId id = node.id;
    const NodeId axis = AddNode("Const", {}, DType::kInvalid);
    graph_.SetAttr(axis, "dtype", DType::kInt32);
    graph_.SetAttr(axis, "value", Tensor::Scalar<int32_t>(-1));
    // Wherever the input is live, in whatever frame.
    graph_.mutable_node(axis).control_inputs = {input.node};
    const NodeId twice = AddNode("ConcatV2", {input, input, {axis, 0}}, DType::kFloat);
    graph_.SetAttr(twice, "N", 2);
    graph_.SetAttr(twice, "Tidx", DType::kInt32);
    const NodeId changed = AddNode(AnyChange(), {{twice, 0}}, DType::kFloat);
    const NodeId halves = AddNode("Split", {{axis, 0}, {changed, 0}}, DType::kFloat);
    graph_.SetAttr(halves, "num_split", 2);
    const NodeId left = AddNode(AnyChange(), {{halves, 0}}, DType::kFloat);
    const NodeId right = AddNode(AnyChange(), {{halves, 1}}, DType::kFloat);
    const NodeId sum = AddNode("AddV2", {{right, 0}, {left, 0}}, DType::kFloat);
    if (frames_.frame_of[Index(id)] == FrameTree::kRoot && choices_.Chance(40)) {
      sample_.fetches.push_back(OutputName(graph_, {halves, choices_.Chance(50) ? 1 : 0}));
    }
    graph_.mutable_node(id).inputs[0] = {sum, 0};
    return true;
  }
  std::string AnyChange() {
    static const std::vector<std::string> changes = {"Neg", "Square", "Abs"};
    return choices_.Of(changes);
  }

  std::optional<OutputRef> AnyNumber(const Node& node) {
    std::vector<OutputRef> found;
    for (const NodeId id : Earlier(node)) {
      const Result<Signature> signature = ResolveSignature(graph_.node(id));
      if (!signature.ok()) continue;
      for (size_t port = 0; port < signature->outputs.size(); ++port) {
        if (signature->outputs[port] != ArgType{DType::kInt32, false}) continue;
        found.push_back({id, static_cast<int32_t>(port)});
      }
    }
    if (found.empty()) return std::nullopt;
    return choices_.Of(found);
  }

  // One consumer takes its value from a case of two to four ways, each of which does what it does.
  bool GoByNumber(Node& node) {
    if (!IsPlaced(node) || node.inputs.empty()) return false;
    const uint32_t slot = choices_.Below(static_cast<uint32_t>(node.inputs.size()));
    const OutputRef input = node.inputs[slot];
    if (input.node > node.id || !IsPlain(input)) return false;
    const std::optional<OutputRef> number = AnyNumber(node);
    if (!number) return false;
    const NodeId id = node.id;
    const DType type = TypeOf(input)->dtype;
    const int64_t ways = choices_.Between(2, 4);
    const NodeId branch = AddNode("_SwitchN", {input, *number}, type);
    graph_.SetAttr(branch, "num_outs", ways);
    std::vector<OutputRef> ends;
    for (int32_t way = 0; way < ways; ++way) {
      OutputRef end{branch, way};
      const bool adds = type == DType::kInt32 || type == DType::kFloat;
      if (adds && choices_.Chance(60)) {
        end = {AddNode("Add", {end, choices_.Chance(50) ? end : input}, type), 0};
      }
      if (type == DType::kInt32 && choices_.Chance(15)) {  // which may fail
        end = {AddNode("FloorDiv", {end, *number}, type), 0};
      }
      if (choices_.Chance(80)) ends.push_back(end);
    }
    if (ends.empty()) ends.push_back({branch, 0});
    if (choices_.Chance(50)) std::ranges::reverse(ends);
    const auto count = static_cast<int64_t>(ends.size());
    const NodeId merge = AddNode("Merge", std::move(ends), type);
    graph_.SetAttr(merge, "N", count);
    graph_.mutable_node(id).inputs[slot] = {merge, 0};
    return true;
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

  bool JoinTurned(Node& node) {
    if (node.op != "Merge" || node.inputs.size() < 2) return false;
    std::ranges::reverse(node.inputs);
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

  // In every iteration, or in the first alone.
  bool EnterOtherwise(Node& node) {
    if (!IsEnter(node)) return false;
    const Result<bool> constant = BoolAttr(node, "is_constant");
    graph_.SetAttr(node.id, "is_constant", !(constant.ok() && *constant));
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
    if (choices_.Chance(50)) {
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

  // In every run; the placeholder asks for none.
  bool FeedAnotherShape(Node& node) {
    static const std::vector<std::vector<int64_t>> shapes = {{2},    {1}, {2, 1}, {3},
                                                             {1, 2}, {},  {0}};
    if (node.op != "Placeholder") return false;
    const std::vector<int64_t> dims = choices_.Of(shapes);
    for (NamedTensors& feeds : sample_.runs) {
      for (auto& [name, value] : feeds) {
        if (name == node.name && !Reshape(value, dims)) return false;
      }
    }
    graph_.SetAttr(node.id, "shape", PartialShape());
    return true;
  }
  bool Reshape(Tensor& value, const std::vector<int64_t>& dims) {
    if (value.dtype() == DType::kInt32) {
      value = AnyValue<int32_t>(dims);
    } else if (value.dtype() == DType::kFloat) {
      value = AnyValue<float>(dims);
    } else if (value.dtype() == DType::kDouble) {
      value = AnyValue<double>(dims);
    } else if (value.dtype() == DType::kBool) {
      value = AnyTruth(dims);
    } else {
      return false;
    }
    return true;
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
