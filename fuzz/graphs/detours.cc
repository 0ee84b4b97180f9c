// Tested by altered_test.cc.

#include "fuzz/graphs/detours.h"

#include <array>
#include <string>
#include <vector>

#include "fuzz/graphs/detour_base.h"
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
        Row{4, &ValueDetour::Frame},    Row{3, &ValueDetour::Twice},  Row{2, &ValueDetour::Sum},
        Row{6, &ValueDetour::Quotient}, Row{5, &ValueDetour::Halves}, Row{5, &ValueDetour::Product},
        Row{8, &ValueDetour::Parts},    Row{8, &ValueDetour::Loop},   Row{3, &ValueDetour::Growth}};
    return (this->*choices_.ByWeight(kWays).way)();
  }

 private:
  // A frame that nothing goes round in, or several, one within the other; what is in the innermost
  // may be sent and received there.
  std::optional<Detour> Frame() {
    const int depth = choices_.Chance(kSometimes) ? choices_.Between(3, 5) : 1;
    Detour detour{input_};
    for (int i = 0; i < depth; ++i) {
      BeginFrame();
      detour.end = Enter(detour.end, choices_.Chance(kEvenly));
    }
    if (depth > 1 && choices_.Chance(kMostly)) {
      const Ends ends = SendAndReceive(detour.end, "deep", detour.end.node);
      detour.end = {ends.receive, 0};
      detour.target = ends.send;
    }
    const std::optional<OutputRef> truth = wiring_.AnyTruth(node());
    if (depth == 1 && truth && choices_.Chance(kEvenly)) return LeftByBranch(detour.end, *truth);
    for (int i = 0; i < depth; ++i) detour.end = Unary("Exit", detour.end);
    return detour;
  }
  // By one of two Exits, each of one side of a branch; or by one of them or past the frame.
  Detour LeftByBranch(OutputRef inside, OutputRef truth) {
    const Sides sides = Switch(inside, Enter(truth, choices_.Chance(kEvenly), DType::kBool));
    const bool side = choices_.Chance(kEvenly);
    const OutputRef cut = Changed(Unary("Exit", sides.side(side)));
    const OutputRef other = choices_.Chance(kEvenly) ? Switch(input_, truth).side(!side)
                                                     : Unary("Exit", sides.side(!side));
    return Detour{Merge({cut, other}), cut};
  }

  // A loop of no trip or a few, which adds what is the same in each, and may fail to be there.
  std::optional<Detour> Loop() {
    const std::optional<OutputRef> number = wiring_.AnyNumber(node());
    if (!Is(DType::kInt32) || !number) return std::nullopt;
    const Counting counting = Count(input_.node);
    const bool is_idle = choices_.Chance(kSometimes);
    const Pivot pivots = is_idle ? IdlePivot(counting) : Pivot{counting.pivot, {}, NodeId::kNone};
    const NodeId pivot = pivots.node;
    const OutputRef value = Header(Enter(input_, false));
    const Sides values = Switch(value, {counting.asks, 0});
    static const std::vector<std::string> kOps = {"Div", "FloorDiv", "Div", "FloorMod", "Add"};
    OutputRef same = choices_.Chance(kSometimes)
                         ? Number(choices_.Between(0, 3), pivot)
                         : EnterAll(choices_.Chance(kEvenly) ? input_ : *number);
    // In the loop by what is there in every iteration, perhaps, and by a control edge alone.
    const NodeId anchor = choices_.Chance(kSometimes) ? EnterAll(*number).node : pivot;
    OutputRef other = choices_.Chance(kMostly) ? ZeroOrOne(input_.node, anchor) : EnterAll(*number);
    const bool fits = !choices_.Chance(kSometimes);
    if (!fits) {
      same = Enter(Numbers({1, 2, 3}), true);
      other = Numbers({1, 2}, pivot);
    }
    const bool is_joined = pivots.otherwise.node != NodeId::kNone;
    const bool waits = is_joined || choices_.Chance(kEvenly);
    // Itself, or who hands on what it takes.
    const bool is_handed_on = waits && choices_.Chance(kEvenly);
    if (is_handed_on) {
      other = Unary("Identity", other);
      graph_.mutable_node(other.node).control_inputs = {pivot};
    }
    OutputRef result = Binary(fits ? choices_.Of(kOps) : "Add", same, other);
    if (waits && !is_handed_on) graph_.mutable_node(result.node).control_inputs = {pivot};
    if (is_joined) result = Merge({result, pivots.otherwise});
    GoRound(value, Binary("Add", values.side(true), result));
    OutputRef exit = Unary("Exit", values.side(false));
    if (pivots.after != NodeId::kNone) {
      exit = Binary("Add", exit, Unary("Exit", Number(choices_.Between(1, 3), pivots.after)));
    }
    // Beside the value, perhaps, as the last that a branch does.
    if (choices_.Chance(kSometimes)) return Detour{input_, {}, exit.node};
    return Detour{exit};
  }
  // Zero, as a rule; from outside of the loop, or made in its body.
  OutputRef ZeroOrOne(NodeId outside, NodeId pivot) {
    const int32_t number = choices_.Chance(kMostly) ? 0 : 1;
    if (!choices_.Chance(kSometimes)) return Number(number, pivot);
    const bool is_in_root = wiring_.FrameOf(input_.node) == FrameTree::kRoot;
    const bool is_free = is_in_root && choices_.Chance(kEvenly);
    return EnterAll(is_free ? FreeNumber(number) : Number(number, outside));
  }
  // For all iterations; what comes there may wait for the input, and be dead where that is.
  OutputRef EnterAll(OutputRef value) {
    const OutputRef enter = Enter(value, true);
    if (choices_.Chance(kSometimes)) graph_.mutable_node(enter.node).control_inputs = {input_.node};
    return enter;
  }

  // What is there in each trip, or in some; and in the others the other.
  struct Pivot {
    NodeId node;
    OutputRef otherwise;
    NodeId after;  // there in the last iteration alone; kNone: nothing is
  };
  // Of a variable that is of no other use.
  Pivot IdlePivot(const Counting& counting) {
    const OutputRef idle = Header(Enter(input_, false));
    const Sides sides = Switch(idle, {counting.asks, 0});
    GoRound(idle, sides.side(true));
    const NodeId pivot = Unary("Identity", sides.side(true)).node;
    NodeId after = NodeId::kNone;
    if (choices_.Chance(kMostly)) after = Unary("Identity", sides.side(false)).node;
    if (choices_.Chance(kEvenly)) return {pivot, {}, after};
    const OutputRef count{counting.pivot, 0};
    const OutputRef limit = Number(choices_.Between(0, 1), counting.pivot);
    const NodeId asks = wiring_.Add("Greater", {count, limit}, DType::kInt32);
    const Sides some = Switch(count, {asks, 0}, DType::kInt32);
    const bool side = choices_.Chance(kEvenly);
    graph_.mutable_node(pivot).control_inputs = {
        wiring_.Add("Identity", {some.side(side)}, DType::kInt32)};
    return {pivot, some.side(!side), after};
  }

  // A loop in which it gets a dimension more each time round, or as many elements more as it had,
  // and goes by what its own shape says; at the end as many elements as there were, in the shape
  // they had.
  std::optional<Detour> Growth() {
    const Counting counting = Count(input_.node);
    const OutputRef value = Header(Enter(input_, false));
    const Sides values = Switch(value, {counting.asks, 0});
    const bool is_switched_first = choices_.Chance(kEvenly);
    const OutputRef same = BySameShape(is_switched_first ? values.side(true) : value);
    const OutputRef grown = choices_.Chance(kEvenly) ? Expanded(same, counting.pivot, type_)
                                                     : Longer(same, counting.pivot);
    GoRound(value, is_switched_first ? grown : Switch(grown, {counting.asks, 0}).side(true));
    const OutputRef exit = Unary("Exit", values.side(false));
    const OutputRef size = Expanded(AskShape("Size", input_), input_.node, DType::kInt32);
    const NodeId first = wiring_.Add("Slice", {Shaped(exit, {-1}), Numbers({0}), size}, type_);
    graph_.SetAttr(first, "Index", DType::kInt32);
    return Detour{Reshaped({first, 0}, AskShape("Shape", input_))};
  }
  OutputRef Longer(OutputRef value, NodeId with) {
    const OutputRef any = Numbers({-1}, with), more = Enter(input_, true);
    const NodeId longer = wiring_.Add(
        "ConcatV2", {Reshaped(value, any), Reshaped(more, any), Number(0, with)}, type_);
    graph_.SetAttr(longer, "N", 2);
    graph_.SetAttr(longer, "Tidx", DType::kInt32);
    return {longer, 0};
  }
  // What it was, by way of its shape or its rank.
  OutputRef BySameShape(OutputRef value) {
    constexpr int kWeights[] = {30, 30, 40};
    switch (choices_.Weighted(kWeights)) {
      case 0:
        return Reshaped(value, AskShape("Shape", value));
      case 1: {
        if (!IsNumber()) return value;
        const NodeId all = wiring_.Add("BroadcastTo", {value, AskShape("Shape", value)}, type_);
        graph_.SetAttr(all, "Tidx", DType::kInt32);
        return {all, 0};
      }
      default: {
        const OutputRef rank = AskShape("Rank", value);
        const OutputRef none = Number(0, value.node), one = Number(1, value.node);
        const NodeId axes = wiring_.Add("Range", {none, rank, one});
        graph_.SetAttr(axes, "Tidx", DType::kInt32);
        const NodeId turned = wiring_.Add("Transpose", {value, {axes, 0}}, type_);
        graph_.SetAttr(turned, "Tperm", DType::kInt32);
        return {turned, 0};
      }
    }
  }

  std::optional<Detour> Twice() {
    const NodeId twice = wiring_.Add("IdentityN", {input_, input_});
    AttrList types;
    types.types = {ArgType{type_, false}, ArgType{type_, false}};
    graph_.SetAttr(twice, "T", types);
    return Detour{{twice, choices_.Chance(kEvenly) ? 1 : 0}};
  }

  std::optional<Detour> Sum() {
    if (!IsNumber()) return std::nullopt;
    const NodeId sum = wiring_.Add("AddN", {input_, input_, input_}, type_);
    graph_.SetAttr(sum, "N", 3);
    return Detour{{sum, 0}};
  }

  // By what may be zero, or is.
  std::optional<Detour> Quotient() {
    if (!Is(DType::kInt32)) return std::nullopt;
    static const std::vector<std::string> kOps = {"FloorDiv", "FloorMod", "Div"};
    const std::string& op = choices_.Of(kOps);
    if (choices_.Chance(kEvenly)) {
      const std::optional<OutputRef> divisor = wiring_.Another(node(), input_);
      if (!divisor) return std::nullopt;
      return Detour{Binary(op, input_, *divisor)};
    }
    const NodeId awaited = choices_.Of(wiring_.Earlier(node()));
    const std::optional<OutputRef> invariant = AnyInvariant();
    const std::optional<OutputRef> other = AnyInvariant();
    // Such as a bound of 0, by which a body never divides.
    const OutputRef divisor =
        other && choices_.Chance(kEvenly) ? *other : Number(choices_.Between(0, 2), awaited);
    if (!invariant || choices_.Chance(kSometimes)) return Detour{Binary(op, input_, divisor)};
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
    const OutputRef cut{halves, choices_.Chance(kEvenly) ? 1 : 0};
    const bool is_right_first = choices_.Chance(kEvenly);
    OutputRef ends[2];
    for (const int side : {is_right_first ? 1 : 0, is_right_first ? 0 : 1}) {
      ends[side] = Rewritten({halves, side});
    }
    return Detour{Binary("AddV2", ends[1], ends[0]), cut};
  }
  OutputRef Rewritten(OutputRef value) {
    static const std::vector<std::string> changes = {"Neg", "Square", "Abs"};
    return Unary(choices_.Of(changes), value);
  }

  // With the parts of a constant, of which one may be fed.
  std::optional<Detour> Parts() {
    if (!Is(DType::kInt32) || wiring_.FrameOf(input_.node) != FrameTree::kRoot) return std::nullopt;
    if (choices_.Chance(kEvenly)) return HandedOn();
    const OutputRef whole = Numbers({choices_.Between(-2, 4), choices_.Between(-2, 4)});
    graph_.mutable_node(whole.node).control_inputs.clear();
    const NodeId parts = wiring_.Add("Unpack", {whole}, type_);
    graph_.SetAttr(parts, "num", 2);
    const OutputRef sum = Binary("Add", input_, Changed({parts, 1}));
    Detour detour{Binary("Sub", sum, {parts, 0})};
    detour.fed = parts;
    return detour;
  }

  // With a constant that is handed on twice, and may be fed on the way by a node that runs still.
  Detour HandedOn() {
    const NodeId first = Unary("Identity", FreeNumber(choices_.Between(1, 4))).node;
    const OutputRef sum = Binary("Add", input_, Unary("Identity", {first, 0}));
    if (choices_.Chance(kMostly)) graph_.mutable_node(sum.node).control_inputs = {first};
    Detour detour{sum};
    detour.fed = first;
    return detour;
  }

  // All products of two elements, or the sum of such, added to something of either shape, which may
  // be made of them.
  std::optional<Detour> Product() {
    // Kernels of their own are for floats.
    const bool is_float = Is(DType::kFloat) || Is(DType::kDouble);
    if (!IsNumber() || (!is_float && choices_.Chance(kMostly))) return std::nullopt;
    const OutputRef elements = WithNegatives();
    const OutputRef column = Shaped(elements, {-1, 1}), row = Shaped(elements, {1, -1});
    const bool turns_a = choices_.Chance(kEvenly), turns_b = choices_.Chance(kEvenly);
    const bool is_outer = choices_.Chance(kMostly), fits = !choices_.Chance(kSometimes);
    // Before the product, so that the sum comes right behind it, as it does for certain where the
    // product waits for the term; or of the product.
    std::optional<OutputRef> term;
    if (choices_.Chance(kMostly)) term = Rewritten(Binary("Mul", column, row));
    const OutputRef product = Binary("MatMul", is_outer != turns_a ? column : row,
                                     (is_outer != turns_b) == fits ? row : column);
    graph_.SetAttr(product.node, "transpose_a", turns_a);
    graph_.SetAttr(product.node, "transpose_b", turns_b);
    if (term && choices_.Chance(kMostly)) {
      graph_.mutable_node(product.node).control_inputs = {term->node};
    }
    if (!term) term = Rewritten(product);
    const OutputRef sum = choices_.Chance(kEvenly) ? Binary("AddV2", product, *term)
                                                   : Binary("AddV2", *term, product);
    const OutputRef total = Largest(sum);
    const OutputRef cut = choices_.Chance(kSometimes) ? product : total;
    const OutputRef factor =
        choices_.Chance(kSometimes) ? Binary("Sub", total, Largest(product)) : total;
    return Detour{Binary("Mul", input_, factor), cut};
  }
  // A vector of two elements at least, as a rule.
  OutputRef WithNegatives() {
    const OutputRef flat = Shaped(input_, {-1});
    const NodeId joined =
        wiring_.Add("ConcatV2", {flat, Unary("Neg", flat), Number(0, input_.node)}, type_);
    graph_.SetAttr(joined, "N", 2);
    graph_.SetAttr(joined, "Tidx", DType::kInt32);
    return {joined, 0};
  }
  OutputRef Shaped(OutputRef value, const std::vector<int32_t>& dims) {
    return Reshaped(value, Numbers(dims));
  }
  // Of all elements of a matrix.
  OutputRef Largest(OutputRef matrix) {
    const NodeId largest = wiring_.Add("Max", {matrix, Numbers({0, 1})}, type_);
    graph_.SetAttr(largest, "Tidx", DType::kInt32);
    return {largest, 0};
  }
};

}  // namespace

std::optional<Detour> AddValueDetour(const DetourSite& site) { return ValueDetour(site).Add(); }

std::optional<Detour> AddDetour(const DetourSite& site) {
  struct Row {
    int weight;
    decltype(&AddValueDetour) add;
  };
  static constexpr std::array kKinds = {Row{5, AddBranchDetour}, Row{4, AddValueDetour},
                                        Row{3, AddEffectDetour}};
  return site.choices.ByWeight(kKinds).add(site);
}

}  // namespace tagflow::fuzz
