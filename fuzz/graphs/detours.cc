// Tested by altered_test.cc.

#include "fuzz/graphs/detours.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tagflow::fuzz {
namespace {

class Detour {
 public:
  Detour(Choices& choices, Graph& graph, Wiring& wiring, NodeId node, OutputRef input)
      : choices_(choices),
        graph_(graph),
        wiring_(wiring),
        node_(node),
        input_(input),
        type_(wiring.TypeOf(input)->dtype) {}

  std::optional<OutputRef> Add() {
    using Way = std::optional<OutputRef> (Detour::*)();
    struct Choice {
      int weight;
      Way way;
    };
    static constexpr std::array kWays = {
        Choice{2, &Detour::BothSides}, Choice{2, &Detour::OneSide},  Choice{2, &Detour::Frame},
        Choice{2, &Detour::Twice},     Choice{2, &Detour::Sum},      Choice{2, &Detour::Variable},
        Choice{9, &Detour::ByNumber},  Choice{6, &Detour::Quotient}, Choice{6, &Detour::Halves}};
    std::array<int, kWays.size()> weights;
    for (size_t i = 0; i < kWays.size(); ++i) weights[i] = kWays[i].weight;
    return (this->*kWays[choices_.Weighted(weights)].way)();
  }

  OutputRef cut() const { return cut_; }

 private:
  const Node& node() const { return graph_.node(node_); }
  bool Is(DType dtype) const { return type_ == dtype; }

  // Both ways of a cond, in either order; or the number of the one taken.
  std::optional<OutputRef> BothSides() {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (!truth) return std::nullopt;
    const NodeId branch = wiring_.Add("Switch", {input_, *truth}, type_);
    const int32_t first = choices_.Chance(50) ? 1 : 0;
    const NodeId merge = wiring_.Add("Merge", {{branch, first}, {branch, 1 - first}}, type_);
    graph_.SetAttr(merge, "N", 2);
    const bool tells_which = Is(DType::kInt32) && choices_.Chance(30);
    return OutputRef{merge, tells_which ? 1 : 0};
  }

  // Which may be dead.
  std::optional<OutputRef> OneSide() {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (!truth) return std::nullopt;
    const NodeId branch = wiring_.Add("Switch", {input_, *truth}, type_);
    return OutputRef{branch, choices_.Chance(50) ? 1 : 0};
  }

  // A frame that nothing goes round in.
  std::optional<OutputRef> Frame() {
    const NodeId enter = wiring_.Add("Enter", {input_}, type_);
    graph_.SetAttr(enter, "frame_name", "detour" + std::to_string(Index(enter)));
    graph_.SetAttr(enter, "is_constant", choices_.Chance(50));
    graph_.SetAttr(enter, "parallel_iterations", 1);
    return OutputRef{wiring_.Add("Exit", {{enter, 0}}, type_), 0};
  }

  std::optional<OutputRef> Twice() {
    const NodeId twice = wiring_.Add("IdentityN", {input_, input_});
    AttrList types;
    types.types = {ArgType{type_, false}, ArgType{type_, false}};
    graph_.SetAttr(twice, "T", types);
    return OutputRef{twice, choices_.Chance(50) ? 1 : 0};
  }

  std::optional<OutputRef> Sum() {
    if (Is(DType::kBool) || Is(DType::kString)) return std::nullopt;
    const NodeId sum = wiring_.Add("AddN", {input_, input_, input_}, type_);
    graph_.SetAttr(sum, "N", 3);
    return OutputRef{sum, 0};
  }

  // One of the step.
  std::optional<OutputRef> Variable() {
    if (wiring_.FrameOf(input_.node) != FrameTree::kRoot) return std::nullopt;
    const NodeId variable = wiring_.Add("TemporaryVariable", {});
    const std::string name = graph_.node(variable).name;
    graph_.SetAttr(variable, "dtype", type_);
    graph_.SetAttr(variable, "shape", PartialShape());
    graph_.SetAttr(variable, "var_name", name);
    const NodeId assign = wiring_.Add("Assign", {{variable, 0}, input_}, type_);
    graph_.SetAttr(assign, "validate_shape", false);
    const NodeId last = wiring_.Add("DestroyTemporaryVariable", {{assign, 0}}, type_);
    graph_.SetAttr(last, "var_name", name);
    return OutputRef{last, 0};
  }

  // A case of two to four ways, not all of which need lead on.
  std::optional<OutputRef> ByNumber() {
    const std::optional<OutputRef> number = wiring_.AnyNumber(node());
    if (!number) return std::nullopt;
    const int32_t ways = choices_.Between(2, 4);
    const NodeId branch = wiring_.Add("_SwitchN", {input_, *number}, type_);
    graph_.SetAttr(branch, "num_outs", ways);
    std::vector<OutputRef> ends;
    for (int32_t way = 0; way < ways; ++way) {
      const OutputRef end = Changed({branch, way}, *number);
      if (choices_.Chance(80)) ends.push_back(end);
    }
    if (ends.empty()) ends.push_back({branch, 0});
    if (choices_.Chance(50)) std::ranges::reverse(ends);
    const auto count = static_cast<int64_t>(ends.size());
    const NodeId merge = wiring_.Add("Merge", std::move(ends), type_);
    graph_.SetAttr(merge, "N", count);
    return OutputRef{merge, 0};
  }
  // What one way does, which may fail.
  OutputRef Changed(OutputRef value, OutputRef number) {
    const bool adds = Is(DType::kInt32) || Is(DType::kFloat);
    if (adds && choices_.Chance(60)) {
      value = {wiring_.Add("Add", {value, choices_.Chance(50) ? value : input_}, type_), 0};
    }
    if (Is(DType::kInt32) && choices_.Chance(15)) {
      value = {wiring_.Add("FloorDiv", {value, number}, type_), 0};
    }
    return value;
  }

  // By what may be zero.
  std::optional<OutputRef> Quotient() {
    if (!Is(DType::kInt32)) return std::nullopt;
    const std::optional<OutputRef> divisor = wiring_.Another(node(), input_);
    if (!divisor) return std::nullopt;
    const char* const op = choices_.Chance(50) ? "FloorDiv" : "FloorMod";
    return OutputRef{wiring_.Add(op, {input_, *divisor}, type_), 0};
  }

  // The sum of the halves of what is there twice, each changed by itself.
  std::optional<OutputRef> Halves() {
    if (!Is(DType::kFloat)) return std::nullopt;
    const NodeId axis = wiring_.Add("Const", {});
    graph_.SetAttr(axis, "dtype", DType::kInt32);
    graph_.SetAttr(axis, "value", Tensor::Scalar<int32_t>(-1));
    graph_.mutable_node(axis).control_inputs = {input_.node};  // there wherever the input is
    const NodeId twice = wiring_.Add("ConcatV2", {input_, input_, {axis, 0}}, type_);
    graph_.SetAttr(twice, "N", 2);
    graph_.SetAttr(twice, "Tidx", DType::kInt32);
    const OutputRef changed = Rewritten({twice, 0});
    const NodeId halves = wiring_.Add("Split", {{axis, 0}, changed}, type_);
    graph_.SetAttr(halves, "num_split", 2);
    cut_ = {halves, choices_.Chance(50) ? 1 : 0};
    const OutputRef left = Rewritten({halves, 0});
    const OutputRef right = Rewritten({halves, 1});
    return OutputRef{wiring_.Add("AddV2", {right, left}, type_), 0};
  }
  OutputRef Rewritten(OutputRef value) {
    static const std::vector<std::string> changes = {"Neg", "Square", "Abs"};
    return {wiring_.Add(choices_.Of(changes), {value}, type_), 0};
  }

  Choices& choices_;
  Graph& graph_;
  Wiring& wiring_;
  const NodeId node_;
  const OutputRef input_;
  const DType type_;
  OutputRef cut_;
};

}  // namespace

std::optional<OutputRef> AddDetour(Choices& choices, Graph& graph, Wiring& wiring, NodeId node,
                                   OutputRef input, OutputRef& cut) {
  Detour detour(choices, graph, wiring, node, input);
  const std::optional<OutputRef> end = detour.Add();
  if (end && detour.cut().node != NodeId::kNone) cut = detour.cut();
  return end;
}

}  // namespace tagflow::fuzz
