// Tested by altered_test.cc.

#include <array>
#include <vector>

#include "fuzz/graphs/detour_base.h"
#include "graph/control_ops.h"

namespace tagflow::fuzz {
namespace {

class BranchDetour : DetourBase {
 public:
  using DetourBase::DetourBase;

  std::optional<Detour> Add() {
    using Way = std::optional<Detour> (BranchDetour::*)();
    struct Row {
      int weight;
      Way way;
    };
    static constexpr std::array kWays = {
        Row{5, &BranchDetour::BothSides},  Row{4, &BranchDetour::OneSide},
        Row{3, &BranchDetour::AskTwice},   Row{3, &BranchDetour::AskWhatWasSwitched},
        Row{4, &BranchDetour::Crowd},      Row{4, &BranchDetour::Copies},
        Row{8, &BranchDetour::ByNumber},   Row{4, &BranchDetour::CountInputs},
        Row{4, &BranchDetour::DeadEnd},    Row{3, &BranchDetour::AskNoScalar},
        Row{3, &BranchDetour::BothAtOnce}, Row{1, &BranchDetour::Gauntlet}};
    return (this->*choices_.ByWeight(kWays).way)();
  }

 private:
  // Both ways of a cond, in either order; or the number of the one taken.
  std::optional<Detour> BothSides() {
    std::optional<OutputRef> truth =
        choices_.Chance(kSometimes) ? ConstantTruth() : wiring_.AnyTruth(node());
    if (!truth) return std::nullopt;
    if (choices_.Chance(kSeldom)) truth = Assigned(*truth, DType::kBool);
    const Sides sides = Switch(input_, *truth);
    const std::optional<OutputRef> another = wiring_.Another(node(), input_);
    const Sides others = another && choices_.Chance(kSometimes) ? Switch(*another, *truth) : sides;
    std::vector<OutputRef> ends = {Led(others.side(false)), Led(sides.side(true))};
    if (Is(DType::kInt32) && choices_.Chance(kEvenly)) {
      const bool side = choices_.Chance(kEvenly);
      ends[side ? 1 : 0] = FailingElsewhere(
          ends[side ? 1 : 0], side ? *truth : OutputRef{wiring_.Add("LogicalNot", {*truth}), 0});
    }
    if (choices_.Chance(kSometimes)) {
      OutputRef& waiting = ends[choices_.Below(2)];
      waiting = Unary("Identity", waiting);
      graph_.mutable_node(waiting.node).control_inputs = {AnyAwaited()};
    }
    // The last that one of them does may be a loop that leads nowhere.
    const NodeId beside = choices_.Chance(kSometimes) ? IdleLoop(choices_.Of(ends)) : NodeId::kNone;
    const OutputRef merge = Merge(std::move(ends));
    const OutputRef index{merge.node, 1};
    const bool tells_which = Is(DType::kInt32) && choices_.Chance(kSometimes);
    return Detour{tells_which ? index : merge, index, beside};
  }
  // What is there anyway, or may fail, in a branch or outside: by its number, or since it reads a
  // variable without a value.
  NodeId AnyAwaited() {
    if (choices_.Chance(kEvenly)) return choices_.Of(wiring_.Earlier(node()));
    if (choices_.Chance(kEvenly)) {
      const OutputRef one = Number(1, input_.node), none = Number(choices_.Between(0, 1), one.node);
      return wiring_.Add("FloorDiv", {one, none}, DType::kInt32);
    }
    const NodeId variable = wiring_.Add("VariableV2", {});
    graph_.SetAttr(variable, "dtype", type_);
    graph_.SetAttr(variable, "shape", PartialShape());
    if (wiring_.FrameOf(input_.node) == FrameTree::kRoot) {
      return wiring_.Add("Identity", {{variable, 0}}, type_);
    }
    return variable;
  }
  NodeId IdleLoop(OutputRef where) {
    return wiring_.Add("Exit", {Count(Unary("Identity", where).node).last}, DType::kInt32);
  }

  // The value in a branch, by way of what fails where the branch was not to be taken.
  OutputRef FailingElsewhere(OutputRef value, OutputRef is_taken) {
    return Binary("FloorDiv", value, OneOrZero(is_taken));
  }
  OutputRef OneOrZero(OutputRef truth) {
    const NodeId number = wiring_.Add("Cast", {truth});
    graph_.SetAttr(number, "SrcT", DType::kBool);
    graph_.SetAttr(number, "DstT", DType::kInt32);
    return {number, 0};
  }

  // Of both ways together, which never comes.
  std::optional<Detour> BothAtOnce() {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (!truth || !IsNumber()) return std::nullopt;
    const Sides sides = Switch(input_, *truth);
    const OutputRef both = Binary("Maximum", sides.side(false), sides.side(true));
    return Detour{Merge({both, Led(input_)}), both};
  }

  // Through branches within branches, more than engines keep account of; or out of the first.
  std::optional<Detour> Gauntlet() {
    constexpr int kBranches = 66;
    const NodeId size = AskShape("Size", input_).node;
    const int one_too_many = choices_.Chance(kSometimes) ? choices_.Between(0, 10 * kBranches) : 0;
    OutputRef value = input_, out = input_;
    for (int i = 0; i < kBranches; ++i) {
      const bool side = choices_.Chance(kEvenly);
      const bool is_taken = i == 0 ? choices_.Chance(kMostly) : i != one_too_many;
      const OutputRef bound = Number(-1 - i, input_.node);
      const char* const asks = side == is_taken ? "Less" : "GreaterEqual";
      const Sides sides = Switch(value, {wiring_.Add(asks, {bound, {size, 0}}, DType::kInt32), 0});
      value = sides.side(side);
      if (i == 0) out = sides.side(!side);
    }
    return Detour{Merge({Led(value), out}), value};
  }

  // Which may be dead.
  std::optional<Detour> OneSide() {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (!truth) return std::nullopt;
    return Detour{Switch(input_, *truth).side(choices_.Chance(kEvenly))};
  }

  // In a branch, once more whether it is taken: one of the ways never comes.
  std::optional<Detour> AskTwice() {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (!truth) return std::nullopt;
    const Sides outer = Switch(input_, *truth);
    const bool is_true = choices_.Chance(kEvenly);
    const Sides inner = Switch(outer.side(is_true), *truth);
    const OutputRef again = Merge({Changed(inner.side(is_true)), inner.side(!is_true)});
    return Detour{Merge({WithIndex(again), outer.side(!is_true)})};
  }

  // In both branches a cond by one predicate, which itself came through a Switch.
  std::optional<Detour> AskWhatWasSwitched() {
    const std::optional<OutputRef> p = wiring_.AnyTruth(node());
    const std::optional<OutputRef> q = wiring_.AnyTruth(node());
    if (!p || !q) return std::nullopt;
    const Sides value = Switch(input_, *p);
    const Sides question = Switch(*q, *p, DType::kBool);
    std::vector<OutputRef> ends;
    for (const bool side : {false, true}) {
      const Sides inner = Switch(value.side(side), question.side(side));
      ends.push_back(Merge({Changed(inner.side(true)), inner.side(false)}));
    }
    return Detour{Merge(std::move(ends))};
  }

  // What is no scalar, or may be none, in a branch and outside: there the run fails whether or not
  // the branch is taken.
  std::optional<Detour> AskNoScalar() {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (!truth) return std::nullopt;
    const OutputRef asked = choices_.Chance(kSometimes) ? ConstantVector()
                            : choices_.Chance(kEvenly) ? Expanded(*truth, truth->node, DType::kBool)
                                                       : MaybeExpanded(*truth);
    if (choices_.Chance(kSometimes)) return AskInVain(asked);
    const bool is_asked_first = choices_.Chance(kSometimes);
    NodeId outside = NodeId::kNone;
    if (is_asked_first) outside = Switch(*truth, asked, DType::kBool).branch;
    const Sides sides = Switch(input_, *truth);
    const bool is_true = choices_.Chance(kEvenly);
    const Sides inner = Switch(sides.side(is_true), asked);
    OutputRef end = Merge({inner.side(true), inner.side(false)});
    end = Merge({end, sides.side(!is_true)});
    if (!is_asked_first) outside = Switch(end, asked).branch;
    return Detour{end, {}, outside};
  }
  // Outside of a branch, and what comes of it is used in there alone.
  std::optional<Detour> AskInVain(OutputRef asked) {
    const Sides inner = Switch(input_, asked);
    const OutputRef either = Merge({inner.side(true), Led(inner.side(false))});
    const Sides outer = Switch(input_, ConstantTruth());
    const bool side = choices_.Chance(kEvenly);
    const OutputRef used = Unary("Identity", outer.side(side));
    graph_.mutable_node(used.node).control_inputs = {either.node};
    return Detour{Merge({used, outer.side(!side)})};
  }
  OutputRef ConstantVector() {
    const OutputRef constant = ConstantTruth();
    if (graph_.node(constant.node).op == "Const") {
      graph_.SetAttr(constant.node, "value", Tensor::Vector<bool>({choices_.Chance(kEvenly)}));
    }
    return constant;
  }
  // Of a rank that some truth says, so that nobody knows it beforehand.
  OutputRef MaybeExpanded(OutputRef truth) {
    const OutputRef rank = OneOrZero(wiring_.AnyTruth(node()).value_or(truth));
    const OutputRef size = Expanded(rank, rank.node, DType::kInt32);
    const NodeId shape = wiring_.Add("Slice", {Numbers({1}), Numbers({0}), size}, DType::kInt32);
    graph_.SetAttr(shape, "Index", DType::kInt32);
    return Reshaped(truth, {shape, 0}, DType::kBool);
  }

  // Many nodes that live where two branches are taken, and another way round them.
  std::optional<Detour> Crowd() {
    const std::optional<OutputRef> p = wiring_.AnyTruth(node());
    const std::optional<OutputRef> q = wiring_.AnyTruth(node());
    if (!p || !q || !IsNumber()) return std::nullopt;
    const Sides a = Switch(input_, *p), b = Switch(input_, *q);
    const bool side = choices_.Chance(kEvenly);
    const OutputRef of_b = Led(b.side(choices_.Chance(kEvenly)));
    const OutputRef last = LedFar(Joined(Led(a.side(side)), of_b));
    Detour detour{last, last};
    if (choices_.Chance(kSometimes)) detour.target = Changed(last).node;
    if (choices_.Chance(kSometimes)) {  // what fires whether they are dead or not
      const NodeId trigger = wiring_.Add("ControlTrigger", {});
      NodeId awaited = last.node;
      if (choices_.Chance(kEvenly)) {  // by a predicate that dies with it
        const NodeId asked = wiring_.Add("LessEqual", {last, last}, type_);
        awaited = Switch(last, {asked, 0}).branch;
      }
      graph_.mutable_node(trigger).control_inputs = {awaited};
      detour.end = Unary("Identity", input_);
      graph_.mutable_node(detour.end.node).control_inputs = {trigger};
      return detour;
    }
    if (choices_.Chance(kMostly)) {
      // It may come first, or after all that dies.
      const OutputRef other = Led(choices_.Chance(kEvenly) ? a.side(!side) : input_);
      detour.end = Merge({last, choices_.Chance(kEvenly) ? LedFar(other) : other});
    }
    return detour;
  }
  // By two inputs, or by a control edge.
  OutputRef Joined(OutputRef a, OutputRef b) {
    if (choices_.Chance(kEvenly)) return Binary("Maximum", a, b);
    const OutputRef joined = Changed(a);
    graph_.mutable_node(joined.node).control_inputs = {Unary("Identity", b).node};
    return joined;
  }
  OutputRef Led(OutputRef value) {
    for (int more = choices_.Between(0, 2); more > 0; --more) value = Changed(value);
    return value;
  }
  OutputRef LedFar(OutputRef value) {
    for (int more = choices_.Between(6, 12); more > 0; --more) value = Changed(value);
    return value;
  }

  // The same of the same, each in a branch by a control edge alone, which may be on the way to it;
  // and where no branch is.
  std::optional<Detour> Copies() {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (!truth || !IsNumber()) return std::nullopt;
    const bool is_in_root = wiring_.FrameOf(input_.node) == FrameTree::kRoot;
    const bool is_constant = Is(DType::kInt32) && is_in_root && choices_.Chance(kEvenly);
    const OutputRef source = is_constant ? FreeNumber(choices_.Between(1, 4)) : input_;
    const Sides pivots = Switch(*truth, *truth, DType::kBool);
    std::vector<OutputRef> copies;
    for (const bool side : {false, true}) {
      const NodeId pivot = wiring_.Add("Identity", {pivots.side(side)}, DType::kBool);
      const OutputRef way = choices_.Chance(kEvenly) ? Unary("Identity", source) : source;
      copies.push_back(Unary("Neg", way));
      const NodeId waiting = way == source ? copies.back().node : way.node;
      graph_.mutable_node(waiting).control_inputs = {pivot};
    }
    const OutputRef everywhere = Unary("Neg", source);
    if (choices_.Chance(kEvenly)) copies.resize(1);
    return Detour{Binary("Sub", Merge(copies), everywhere), everywhere};
  }
  // A case of two to four ways, not all of which need lead on.
  std::optional<Detour> ByNumber() {
    const std::optional<OutputRef> number = wiring_.AnyNumber(node());
    if (!number) return std::nullopt;
    const int32_t ways = choices_.Between(2, 4);
    const auto branch = [&](OutputRef value, int32_t num_outs) {
      const NodeId id = wiring_.Add("_SwitchN", {value, *number}, type_);
      graph_.SetAttr(id, "num_outs", num_outs);
      return id;
    };
    const NodeId usual = branch(input_, ways);
    const std::optional<OutputRef> another = wiring_.Another(node(), input_);
    // Which of more ways comes for a number that is too large is not the same.
    const int32_t more = choices_.Chance(kSometimes) ? choices_.Between(1, 2) : 0;
    const NodeId unusual =
        another && choices_.Chance(kEvenly) ? branch(*another, ways + more) : usual;
    std::vector<OutputRef> ends;
    for (int32_t way = 0; way < ways; ++way) {
      const NodeId taken = choices_.Chance(kEvenly) ? usual : unusual;
      const OutputRef end = OfOneWay({taken, way}, *number, way);
      if (choices_.Chance(kMostly)) ends.push_back(end);
    }
    if (ends.empty()) ends.push_back({usual, 0});
    // Of both, which ask one number and do not mean the same by it.
    if (more > 0 && unusual != usual && IsNumber() && choices_.Chance(kEvenly)) {
      ends.back() =
          Binary("Maximum", {usual, ways - 1}, {unusual, choices_.Between(ways, ways + more - 1)});
    }
    Detour detour{Merge(std::move(ends))};
    if (choices_.Chance(kSometimes)) detour.cut = {unusual, choices_.Between(0, ways - 1)};
    return detour;
  }
  // It may fail, where it is not to be taken.
  OutputRef OfOneWay(OutputRef value, OutputRef number, int32_t way) {
    const bool adds = Is(DType::kInt32) || Is(DType::kFloat);
    if (adds && choices_.Chance(kEvenly)) {
      value = Binary("Add", value, choices_.Chance(kEvenly) ? value : input_);
    }
    if (!Is(DType::kInt32) || !choices_.Chance(kSometimes)) return value;
    if (choices_.Chance(kSometimes)) return Binary("FloorDiv", value, number);
    return FailingElsewhere(value, Binary("Equal", number, Number(way, number.node)));
  }

  // The number of the input that came to a Merge before, whose inputs may be turned: with loops',
  // what enters is the first as a rule.
  std::optional<Detour> CountInputs() {
    if (!Is(DType::kInt32)) return std::nullopt;
    std::vector<NodeId> merges;
    for (const NodeId id : wiring_.Earlier(node())) {
      if (IsMerge(graph_.node(id))) merges.push_back(id);
    }
    if (merges.empty()) return std::nullopt;
    const NodeId merge = choices_.Of(merges);
    if (choices_.Chance(kEvenly)) std::ranges::reverse(graph_.mutable_node(merge).inputs);
    return Detour{Binary("Add", input_, {merge, 1})};
  }

  // In a branch, what nothing takes; it may fail.
  std::optional<Detour> DeadEnd() {
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    const std::optional<OutputRef> number = wiring_.AnyNumber(node());
    if (!truth || !number) return std::nullopt;
    const OutputRef side = Switch(*number, *truth, DType::kInt32).side(choices_.Chance(kEvenly));
    const OutputRef divisor =
        choices_.Chance(kEvenly) ? Number(choices_.Between(0, 1), number->node) : *number;
    return Detour{input_, {}, wiring_.Add("FloorDiv", {side, divisor}, DType::kInt32)};
  }
};

}  // namespace

std::optional<Detour> AddBranchDetour(const DetourSite& site) { return BranchDetour(site).Add(); }

}  // namespace tagflow::fuzz
