#ifndef TAGFLOW_FUZZ_GRAPHS_DETOUR_BASE_H_
#define TAGFLOW_FUZZ_GRAPHS_DETOUR_BASE_H_

// What detours are made of.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/graphs/detours.h"
#include "fuzz/graphs/gadgets.h"

namespace tagflow::fuzz {

// By way of other values.
std::optional<Detour> AddValueDetour(const DetourSite& site);
// By way of Switches and Merges.
std::optional<Detour> AddBranchDetour(const DetourSite& site);
// By way of what keeps something: a variable, a message.
std::optional<Detour> AddEffectDetour(const DetourSite& site);

class DetourBase {
 public:
  explicit DetourBase(const DetourSite& site)
      : site_(site),
        choices_(site.choices),
        graph_(site.graph),
        wiring_(site.wiring),
        input_(site.input),
        type_(wiring_.TypeOf(input_)->dtype) {}

 protected:
  const Node& node() const { return graph_.node(site_.node); }
  bool Is(DType dtype) const { return type_ == dtype; }
  bool IsNumber() const { return type_ != DType::kBool && type_ != DType::kString; }

  // Of the type of the input, as all values on the way but those that say otherwise.
  OutputRef Unary(const std::string& op, OutputRef value) {
    return {wiring_.Add(op, {value}, type_), 0};
  }
  OutputRef Binary(const std::string& op, OutputRef a, OutputRef b) {
    return {wiring_.Add(op, {a, b}, type_), 0};
  }
  // Another value, as a rule.
  OutputRef Changed(OutputRef value) {
    if (Is(DType::kBool)) return {wiring_.Add("LogicalNot", {value}), 0};
    static const std::vector<std::string> changes = {"Neg", "Abs", "Neg", "Identity"};
    const std::string& change = choices_.Of(changes);
    return Unary(IsNumber() ? change : "Identity", value);
  }

  // Both ends of a Switch.
  struct Sides {
    NodeId branch;
    OutputRef side(bool truth) const { return {branch, truth ? 1 : 0}; }
  };
  Sides Switch(OutputRef value, OutputRef truth) { return Switch(value, truth, type_); }
  Sides Switch(OutputRef value, OutputRef truth, DType type) {
    return {wiring_.Add("Switch", {value, truth}, type)};
  }
  // In this order or the other.
  OutputRef Merge(std::vector<OutputRef> ends) {
    if (choices_.Chance(kEvenly)) std::ranges::reverse(ends);
    const auto count = static_cast<int64_t>(ends.size());
    const NodeId merge = wiring_.Add("Merge", std::move(ends), type_);
    graph_.SetAttr(merge, "N", count);
    return {merge, 0};
  }
  // The number of the input that came, added where there are such numbers.
  OutputRef WithIndex(OutputRef merge) {
    if (!Is(DType::kInt32)) return merge;
    return Binary("Add", merge, {merge.node, 1});
  }

  // A reference to a variable of the step and the iteration, named as its node, with that value.
  OutputRef Assigned(OutputRef value, DType type) {
    const NodeId variable = wiring_.Add("TemporaryVariable", {});
    graph_.mutable_node(variable).control_inputs = {value.node};
    graph_.SetAttr(variable, "dtype", type);
    graph_.SetAttr(variable, "shape", PartialShape::Scalar());
    graph_.SetAttr(variable, "var_name", graph_.node(variable).name);
    const NodeId assigned = wiring_.Add("Assign", {{variable, 0}, value}, type);
    graph_.SetAttr(assigned, "validate_shape", false);
    return {assigned, 0};
  }

  // Who sends a value and who receives it, which waits for `awaited`.
  struct Ends {
    NodeId send, receive;
  };
  Ends SendAndReceive(OutputRef value, const std::string& name, NodeId awaited) {
    const bool is_on_host = choices_.Chance(kSometimes);
    const Ends ends{wiring_.Add(is_on_host ? "_HostSend" : "_Send", {value}, type_),
                    wiring_.Add(is_on_host ? "_HostRecv" : "_Recv", {})};
    graph_.SetAttr(ends.receive, "tensor_type", type_);
    for (const NodeId end : {ends.send, ends.receive}) SetMessage(graph_, end, {name});
    graph_.mutable_node(ends.receive).control_inputs = {awaited};
    return ends;
  }

  // What is made from here on is in a frame of its own, once it has entered.
  void BeginFrame() { frame_ = "detour" + std::to_string(graph_.id_limit()); }
  OutputRef Enter(OutputRef value, bool is_constant) { return Enter(value, is_constant, type_); }
  OutputRef Enter(OutputRef value, bool is_constant, DType type) {
    const NodeId enter = wiring_.Add("Enter", {value}, type);
    graph_.SetAttr(enter, "frame_name", frame_);
    graph_.SetAttr(enter, "is_constant", is_constant);
    graph_.SetAttr(enter, "parallel_iterations", choices_.Between(1, 2));
    return {enter, 0};
  }
  // The Merge of a variable, and what goes round to it.
  OutputRef Header(OutputRef enter) { return Header(enter, type_); }
  OutputRef Header(OutputRef enter, DType type) {
    const NodeId merge = wiring_.Add("Merge", {enter, enter}, type);
    graph_.SetAttr(merge, "N", 2);
    return {merge, 0};
  }
  void GoRound(OutputRef header, OutputRef value) { GoRound(header, value, type_); }
  void GoRound(OutputRef header, OutputRef value, DType type) {
    graph_.mutable_node(header.node).inputs[1] = {wiring_.Add("NextIteration", {value}, type), 0};
  }

  // A loop of no trip or a few wherever `where` is: what its body waits for, by what it goes on,
  // and the last count, before it leaves.
  struct Counting {
    NodeId asks, pivot;
    OutputRef last;
  };
  Counting Count(NodeId where) {
    constexpr DType kType = DType::kInt32;
    BeginFrame();
    const OutputRef count = Header(Enter(Number(0, where), false, kType), kType);
    const int32_t trips = choices_.Chance(kEvenly) ? 0 : choices_.Between(1, 2);
    const OutputRef limit = Enter(Number(trips, where), true, kType);
    const NodeId goes_on = wiring_.Add("Less", {count, limit}, kType);
    const NodeId asks = wiring_.Add("LoopCond", {{goes_on, 0}});
    const Sides counts = Switch(count, {asks, 0}, kType);
    const NodeId pivot = wiring_.Add("Identity", {counts.side(true)}, kType);
    const NodeId next = wiring_.Add("Add", {counts.side(true), Number(1, pivot)}, kType);
    GoRound(count, {next, 0}, kType);
    return {asks, pivot, counts.side(false)};
  }

  // A scalar that is there wherever `with` is.
  OutputRef Number(int32_t number, NodeId with) {
    const NodeId constant = wiring_.Add("Const", {});
    graph_.SetAttr(constant, "dtype", DType::kInt32);
    graph_.SetAttr(constant, "value", Tensor::Scalar<int32_t>(number));
    graph_.mutable_node(constant).control_inputs = {with};
    return {constant, 0};
  }
  // One of the root, which waits for nothing. REQUIRES: the input is there
  OutputRef FreeNumber(int32_t number) {
    const OutputRef constant = Number(number, input_.node);
    graph_.mutable_node(constant.node).control_inputs.clear();
    return constant;
  }
  OutputRef ConstantTruth() {
    const OutputRef constant = Number(0, input_.node);
    graph_.SetAttr(constant.node, "dtype", DType::kBool);
    graph_.SetAttr(constant.node, "value", Tensor::Scalar<bool>(choices_.Chance(kEvenly)));
    if (!choices_.Chance(kSometimes)) return constant;
    // Handed on by who waits for something else, which may be dead.
    const NodeId handed = wiring_.Add("Identity", {constant}, DType::kBool);
    graph_.mutable_node(handed).control_inputs = {choices_.Of(wiring_.Earlier(node()))};
    return {handed, 0};
  }
  // Its Shape, Size or Rank.
  OutputRef AskShape(const std::string& op, OutputRef value) {
    const NodeId asked = wiring_.Add(op, {value}, type_);
    if (op != "Rank") graph_.SetAttr(asked, "out_type", DType::kInt32);
    return {asked, 0};
  }
  OutputRef Reshaped(OutputRef value, OutputRef shape) { return Reshaped(value, shape, type_); }
  OutputRef Reshaped(OutputRef value, OutputRef shape, DType type) {
    const NodeId reshaped = wiring_.Add("Reshape", {value, shape}, type);
    graph_.SetAttr(reshaped, "Tshape", DType::kInt32);
    return {reshaped, 0};
  }
  // With one dimension more, by a number that is there wherever `with` is.
  OutputRef Expanded(OutputRef value, NodeId with, DType type) {
    const NodeId expanded = wiring_.Add("ExpandDims", {value, Number(0, with)}, type);
    graph_.SetAttr(expanded, "Tdim", DType::kInt32);
    return {expanded, 0};
  }

  // A vector that is there wherever the input is, or what it waits for.
  OutputRef Numbers(const std::vector<int32_t>& numbers) { return Numbers(numbers, input_.node); }
  OutputRef Numbers(const std::vector<int32_t>& numbers, NodeId with) {
    const OutputRef constant = Number(0, with);
    graph_.SetAttr(constant.node, "value", Tensor::Vector<int32_t>(numbers));
    return constant;
  }

  const DetourSite& site_;
  Choices& choices_;
  Graph& graph_;
  Wiring& wiring_;
  const OutputRef input_;
  const DType type_;
  std::string frame_;  // the last one that was begun
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_DETOUR_BASE_H_
