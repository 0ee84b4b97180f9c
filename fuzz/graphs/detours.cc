// Tested by altered_test.cc.

#include "fuzz/graphs/detours.h"

#include <array>
#include <string>
#include <vector>

#include "fuzz/graphs/detour_base.h"
#include "fuzz/graphs/gadgets.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::fuzz {
namespace {

class ValueDetour : DetourBase {
 public:
  using DetourBase::DetourBase;

  std::optional<Detour> Add() {
    using Way = std::optional<Detour> (ValueDetour::*)();
    struct Row {
      int weight;
      Way way;
    };
    static constexpr std::array kWays = {
        Row{2, &ValueDetour::Frame},    Row{2, &ValueDetour::Twice},
        Row{2, &ValueDetour::Sum},      Row{4, &ValueDetour::Variable},
        Row{6, &ValueDetour::Quotient}, Row{6, &ValueDetour::Halves},
        Row{4, &ValueDetour::Product},  Row{4, &ValueDetour::Message}};
    return (this->*choices_.ByWeight(kWays).way)();
  }

 private:
  // A frame that nothing goes round in.
  std::optional<Detour> Frame() {
    const NodeId enter = wiring_.Add("Enter", {input_}, type_);
    graph_.SetAttr(enter, "frame_name", "detour" + std::to_string(Index(enter)));
    graph_.SetAttr(enter, "is_constant", choices_.Chance(50));
    graph_.SetAttr(enter, "parallel_iterations", 1);
    return Detour{Unary("Exit", {enter, 0})};
  }

  std::optional<Detour> Twice() {
    const NodeId twice = wiring_.Add("IdentityN", {input_, input_});
    AttrList types;
    types.types = {ArgType{type_, false}, ArgType{type_, false}};
    graph_.SetAttr(twice, "T", types);
    return Detour{{twice, choices_.Chance(50) ? 1 : 0}};
  }

  std::optional<Detour> Sum() {
    if (!IsNumber()) return std::nullopt;
    const NodeId sum = wiring_.Add("AddN", {input_, input_, input_}, type_);
    graph_.SetAttr(sum, "N", 3);
    return Detour{{sum, 0}};
  }

  // One of the step; what it was between is read before it changes and used after.
  std::optional<Detour> Variable() {
    const NodeId variable = wiring_.Add("TemporaryVariable", {});
    graph_.mutable_node(variable).control_inputs = {input_.node};  // of this iteration
    const std::string name = graph_.node(variable).name;
    graph_.SetAttr(variable, "dtype", type_);
    graph_.SetAttr(variable, "shape", PartialShape::Scalar());
    graph_.SetAttr(variable, "var_name", name);
    OutputRef assigned = Binary("Assign", {variable, 0}, input_);
    graph_.SetAttr(assigned.node, "validate_shape", false);
    const OutputRef before = Unary("Identity", assigned);
    const bool changes = IsNumber() && choices_.Chance(60);
    if (changes) {
      assigned = Binary("AssignAdd", assigned, input_);
      graph_.mutable_node(assigned.node).control_inputs = {before.node};
    }
    const OutputRef used = changes ? Binary("Add", before, before) : before;
    if (changes) graph_.mutable_node(used.node).control_inputs = {assigned.node};
    const OutputRef last = Unary("DestroyTemporaryVariable", assigned);
    graph_.SetAttr(last.node, "var_name", name);
    graph_.mutable_node(last.node).control_inputs = {used.node};
    return Detour{changes ? Binary("Sub", used, last) : last, used};
  }

  // Sent, and received where something else may forbid it.
  std::optional<Detour> Message() {
    const NodeId send = wiring_.Add("_Send", {input_}, type_);
    const NodeId receive = wiring_.Add("_Recv", {});
    graph_.SetAttr(receive, "tensor_type", type_);
    const std::string name = graph_.node(send).name;
    for (const NodeId end : {send, receive}) SetMessage(graph_, end, name);
    const NodeId awaited = choices_.Chance(50) ? choices_.Of(wiring_.Earlier(node())) : input_.node;
    graph_.mutable_node(receive).control_inputs = {awaited};
    return Detour{{receive, 0}, {receive, 0}, send};
  }

  // By what may be zero, or is.
  std::optional<Detour> Quotient() {
    if (!Is(DType::kInt32)) return std::nullopt;
    const std::string op = choices_.Chance(50) ? "FloorDiv" : "FloorMod";
    if (choices_.Chance(50)) {
      const std::optional<OutputRef> divisor = wiring_.Another(node(), input_);
      if (!divisor) return std::nullopt;
      return Detour{Binary(op, input_, *divisor)};
    }
    const NodeId awaited = choices_.Of(wiring_.Earlier(node()));
    const OutputRef divisor = Number(choices_.Between(0, 2), awaited);
    const std::optional<OutputRef> invariant = AnyInvariant();
    if (!invariant || choices_.Chance(30)) return Detour{Binary(op, input_, divisor)};
    return Detour{Binary("Add", input_, Binary(op, *invariant, divisor))};
  }
  // What is the same in every iteration.
  std::optional<OutputRef> AnyInvariant() {
    std::vector<OutputRef> found;
    for (const NodeId id : wiring_.Earlier(node())) {
      if (IsConstantEnter(graph_.node(id)) && wiring_.Is({id, 0}, type_)) found.push_back({id, 0});
    }
    if (found.empty()) return std::nullopt;
    return choices_.Of(found);
  }

  // The sum of the halves of what is there twice, each changed by itself.
  std::optional<Detour> Halves() {
    if (!Is(DType::kFloat)) return std::nullopt;
    const OutputRef axis = Number(-1, input_.node);
    const NodeId twice = wiring_.Add("ConcatV2", {input_, input_, axis}, type_);
    graph_.SetAttr(twice, "N", 2);
    graph_.SetAttr(twice, "Tidx", DType::kInt32);
    const OutputRef changed = Rewritten({twice, 0});
    const NodeId halves = wiring_.Add("Split", {axis, changed}, type_);
    graph_.SetAttr(halves, "num_split", 2);
    const OutputRef cut{halves, choices_.Chance(50) ? 1 : 0};
    const OutputRef left = Rewritten({halves, 0});
    const OutputRef right = Rewritten({halves, 1});
    return Detour{Binary("AddV2", right, left), cut};
  }
  OutputRef Rewritten(OutputRef value) {
    static const std::vector<std::string> changes = {"Neg", "Square", "Abs"};
    return Unary(choices_.Of(changes), value);
  }

  // All products of two elements, added to something of their shape, which may be made of them.
  std::optional<Detour> Product() {
    if (!IsNumber()) return std::nullopt;
    const OutputRef column = Shaped({-1, 1}), row = Shaped({1, -1});
    const OutputRef product = Binary("MatMul", column, row);
    const OutputRef term = choices_.Chance(50) ? Binary("Mul", column, row) : Rewritten(product);
    const OutputRef sum =
        choices_.Chance(50) ? Binary("AddV2", product, term) : Binary("AddV2", term, product);
    const NodeId total = wiring_.Add("Max", {sum, Axes()}, type_);
    graph_.SetAttr(total, "Tidx", DType::kInt32);
    return Detour{Binary("Mul", input_, {total, 0}), product};
  }
  OutputRef Shaped(const std::vector<int32_t>& dims) {
    const NodeId reshape = wiring_.Add("Reshape", {input_, Numbers(dims)}, type_);
    graph_.SetAttr(reshape, "Tshape", DType::kInt32);
    return {reshape, 0};
  }
  OutputRef Axes() { return Numbers({0, 1}); }
  OutputRef Numbers(const std::vector<int32_t>& numbers) {
    const OutputRef constant = Number(0, input_.node);
    graph_.SetAttr(constant.node, "value", Tensor::Vector<int32_t>(numbers));
    return constant;
  }
};

}  // namespace

std::optional<Detour> AddValueDetour(Choices& choices, Graph& graph, Wiring& wiring, NodeId node,
                                     OutputRef input) {
  return ValueDetour(choices, graph, wiring, node, input).Add();
}

std::optional<Detour> AddDetour(Choices& choices, Graph& graph, Wiring& wiring, NodeId node,
                                OutputRef input) {
  const auto add = choices.Chance(50) ? AddBranchDetour : AddValueDetour;
  return add(choices, graph, wiring, node, input);
}

}  // namespace tagflow::fuzz
