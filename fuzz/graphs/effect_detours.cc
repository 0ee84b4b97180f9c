// Tested by altered_test.cc.

#include <array>
#include <string>
#include <vector>

#include "fuzz/graphs/detour_base.h"
#include "graph/frames.h"

namespace tagflow::fuzz {
namespace {

class EffectDetour : DetourBase {
 public:
  using DetourBase::DetourBase;

  std::optional<Detour> Add() {
    using Way = std::optional<Detour> (EffectDetour::*)();
    struct Row {
      int weight;
      Way way;
    };
    static constexpr std::array kWays = {
        Row{3, &EffectDetour::Variable}, Row{3, &EffectDetour::Message},
        Row{5, &EffectDetour::Count}, Row{1, &EffectDetour::Random}};
    return (this->*choices_.ByWeight(kWays).way)();
  }

 private:
  // One of the step; what it was between is read before it changes and used after.
  std::optional<Detour> Variable() {
    OutputRef assigned = Assigned(input_, type_);
    const std::string name = graph_.node(graph_.node(assigned.node).inputs[0].node).name;
    if (choices_.Chance(kSometimes)) return Detour{assigned};  // who takes it reads it
    if (IsNumber() && choices_.Chance(kSometimes)) return ReadByMerge(assigned);
    const OutputRef before = Unary("Identity", assigned);
    const bool changes = IsNumber() && choices_.Chance(kEvenly);
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

  // By one that reads it as it comes from either way, after it has changed.
  std::optional<Detour> ReadByMerge(OutputRef assigned) {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (!truth) return std::nullopt;
    const NodeId ways = wiring_.Add("RefSwitch", {assigned, *truth}, type_);
    const OutputRef merged = Merge({{ways, 0}, {ways, 1}});
    const Sides sides = Switch(input_, *truth);
    const OutputRef late = Merge({Changed(sides.side(false)), sides.side(true)});
    const OutputRef changed =
        Binary("AssignAdd", assigned, choices_.Chance(kMostly) ? late : input_);
    graph_.mutable_node(merged.node).control_inputs = {changed.node};
    return Detour{merged, merged};
  }

  // Sent, and received where something else may forbid it; in several loops under one name,
  // perhaps.
  std::optional<Detour> Message() {
    const bool is_in_loop = wiring_.FrameOf(input_.node) != FrameTree::kRoot;
    const bool is_shared = choices_.Chance(is_in_loop ? kEvenly : kSeldom);
    const std::string name = "message" + (is_shared ? "" : std::to_string(graph_.id_limit()));
    const NodeId awaited =
        choices_.Chance(kEvenly) ? choices_.Of(wiring_.Earlier(node())) : input_.node;
    const Ends ends = SendAndReceive(input_, name, awaited);
    return Detour{{ends.receive, 0}, {ends.receive, 0}, ends.send};
  }

  // Added to a random number, of those that a session draws one after the other. In a loop which
  // iteration draws first, nothing says.
  std::optional<Detour> Random() {
    const bool is_in_root = wiring_.FrameOf(input_.node) == FrameTree::kRoot;
    if (!site_.keeps_variables || !is_in_root || !Is(DType::kInt32)) return std::nullopt;
    const OutputRef least = Number(0, input_.node), most = Number(1000, input_.node);
    const NodeId drawn = wiring_.Add("RandomUniformInt", {Numbers({}), least, most});
    graph_.SetAttr(drawn, "seed", choices_.Between(1, 2));
    graph_.SetAttr(drawn, "seed2", choices_.Between(1, 2));
    graph_.SetAttr(drawn, "Tout", type_);
    graph_.SetAttr(drawn, "T", DType::kInt32);
    return Detour{Binary("Add", input_, {drawn, 0}), {drawn, 0}};
  }

  // Past a variable that counts how often, and of which each run tells what the runs before it
  // left.
  std::optional<Detour> Count() {
    if (!site_.keeps_variables) return std::nullopt;
    const NodeId handle = wiring_.Add("VarHandleOp", {});
    graph_.SetAttr(handle, "dtype", DType::kInt32);
    graph_.SetAttr(handle, "shape", PartialShape::Scalar());
    graph_.SetAttr(handle, "shared_name", graph_.node(handle).name);
    const OutputRef seen = BeforeThisRun({handle, 0});
    const std::optional<OutputRef> variable = wiring_.Brought({handle, 0}, node());
    const std::optional<OutputRef> earlier = wiring_.Brought(seen, node());
    if (!variable || !earlier) return std::nullopt;
    // It waits for what was seen, and adds one; wherever the input goes, or the frame alone.
    const bool is_alone = choices_.Chance(kSometimes);
    NodeId where = is_alone ? earlier->node : input_.node;
    if (choices_.Chance(wiring_.DepthOf(input_.node) > 1
                            ? kSometimes
                            : kSeldom)) {  // whether that is dead or not
      const NodeId trigger = wiring_.Add("ControlTrigger", {});
      graph_.mutable_node(trigger).control_inputs = {where};
      where = trigger;
    }
    const NodeId zero = wiring_.Add("ZerosLike", {*earlier}, DType::kInt32);
    const NodeId one = wiring_.Add("Add", {{zero, 0}, Number(1, where)}, DType::kInt32);
    const NodeId count = wiring_.Add("AssignAddVariableOp", {*variable, {one, 0}});
    graph_.SetAttr(count, "dtype", DType::kInt32);
    graph_.mutable_node(count).control_inputs = {where};
    if (wiring_.FrameOf(input_.node) == FrameTree::kRoot && choices_.Chance(kSometimes)) {
      graph_.mutable_node(count).control_inputs.push_back(WriteElsewhere(handle, where));
    }
    const bool is_in_branch = choices_.Chance(kSometimes);
    const OutputRef end = is_in_branch ? EitherWay(count) : Unary("Identity", input_);
    const bool waits = is_in_branch || choices_.Chance(kEvenly);
    if (waits && !is_in_branch) graph_.mutable_node(end.node).control_inputs = {count};
    const bool is_only_awaited = waits && choices_.Chance(kEvenly);
    return Detour{end, end, is_only_awaited ? NodeId::kNone : count, seen};
  }
  // To a variable of that name in another container ([resource.1]).
  NodeId WriteElsewhere(NodeId variable, NodeId where) {
    const NodeId handle = wiring_.Add("VarHandleOp", {});
    graph_.mutable_node(handle).attrs = graph_.node(variable).attrs;
    graph_.SetAttr(handle, "container", "elsewhere");
    const NodeId write = wiring_.Add("AssignVariableOp", {{handle, 0}, Number(7, where)});
    graph_.SetAttr(write, "dtype", DType::kInt32);
    return write;
  }
  // Through a branch by a constant, one side of which waits.
  OutputRef EitherWay(NodeId awaited) {
    const Sides sides = Switch(input_, ConstantTruth());
    const bool side = choices_.Chance(kEvenly);
    const OutputRef waiting = Unary("Identity", sides.side(side));
    graph_.mutable_node(waiting.node).control_inputs = {awaited};
    return Merge({waiting, sides.side(!side)});
  }

  // What the variable holds when the run begins: 0 in the first.
  OutputRef BeforeThisRun(OutputRef handle) {
    const NodeId is_there = wiring_.Add("VarIsInitializedOp", {handle});
    const Sides there = Switch({is_there, 0}, {is_there, 0}, DType::kBool);
    const NodeId missing = wiring_.Add("Identity", {there.side(false)}, DType::kBool);
    const NodeId assign = wiring_.Add("AssignVariableOp", {handle, Number(0, missing)});
    graph_.SetAttr(assign, "dtype", DType::kInt32);
    const NodeId made = wiring_.Add("Identity", {there.side(false)}, DType::kBool);
    graph_.mutable_node(made).control_inputs = {assign};
    const NodeId ready = wiring_.Add("Merge", {{made, 0}, there.side(true)}, DType::kBool);
    graph_.SetAttr(ready, "N", 2);
    const NodeId read = wiring_.Add("ReadVariableOp", {handle});
    graph_.SetAttr(read, "dtype", DType::kInt32);
    graph_.mutable_node(read).control_inputs = {ready};
    return {read, 0};
  }
};

}  // namespace

std::optional<Detour> AddEffectDetour(const DetourSite& site) { return EffectDetour(site).Add(); }

}  // namespace tagflow::fuzz
