// How an unstructured graph grows. There are frames, each with the values that can be used in it;
// an action takes some of them and makes another. A node takes its inputs from nodes made before
// it, but for the slots of header Merges that wait for a NextIteration (growth_loops.h); these are
// filled when all else is done. So every cycle goes through a NextIteration, and no edge crosses
// frames.
//
// Tested by unstructured_test.cc.

#include "fuzz/graphs/unstructured.h"

#include <algorithm>

#include "fuzz/graphs/growth_base.h"
#include "fuzz/graphs/growth_effects.h"
#include "fuzz/graphs/growth_loops.h"
#include "fuzz/graphs/growth_recipes.h"
#include "fuzz/graphs/unstructured_call.h"

namespace tagflow::fuzz {
namespace {

class Growth : GrowthBase {
 public:
  Growth(Choices& choices, GraphMaker& maker, const UnstructuredOptions& options)
      : GrowthBase(choices, maker),
        options_(options),
        recipes_(RecipesOfGrowth().size(), choices),
        loops_(choices, maker),
        effects_(choices, maker) {}

  GraphSample Grow() {
    AddFeeds();
    const int actions = choices_.Between(options_.least_actions, options_.most_actions);
    for (int i = 0; i < actions; ++i) Act();
    loops_.FillAll();
    const int edges = choices_.Between(kUpToThree);
    for (int i = 0; i < edges; ++i) AddLateControl();
    return FinishSample(choices_, std::move(maker_), feeds_);
  }

 private:
  void AddFeeds() {
    const int bools = choices_.Between(kOneOrTwo);
    for (int i = 0; i < bools; ++i) AddFeed(DType::kBool);
    const int ints = choices_.Between(kOneOrTwo);
    for (int i = 0; i < ints; ++i) AddFeed(DType::kInt32);
  }

  void AddFeed(DType type) {
    const NodeId id = maker_.AddNode("Placeholder", {}, {{"dtype", type}}, "feed");
    maker_.frame(kRoot).nodes.push_back(id);
    feeds_.push_back(maker_.Publish(kRoot, {{id, 0}, type, Span::kOnce, {}}));
  }

  void Act() {
    struct Action {
      Odds weight;
      void (*act)(Growth& growth, int frame);
    };
    static constexpr Action kActions[] = {
        {kSometimes, [](Growth& growth, int frame) { growth.Piece(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.Compute(frame); }},
        {kRarely, [](Growth& growth, int frame) { growth.Compare(frame); }},
        {kRarely, [](Growth& growth, int frame) { growth.Copy(frame); }},
        {kRarely, [](Growth& growth, int frame) { growth.ConstIn(frame); }},
        {kRarely, [](Growth& growth, int frame) { growth.Trigger(frame); }},
        {kRarely, [](Growth& growth, int frame) { growth.LoopCond(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.Branch(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.Join(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.CondIn(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.loops_.EnterFrame(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.loops_.LoopIn(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.loops_.LoopVariable(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.loops_.Leave(frame); }},
        {kRarely, [](Growth& growth, int frame) { growth.loops_.Next(frame); }},
        {kSeldom, [](Growth& growth, int frame) { growth.effects_.Touch(frame); }},
        {kRarely, [](Growth& growth, int frame) { growth.effects_.SendAndReceive(frame); }},
        {kRarely, [](Growth& growth, int frame) { growth.FeedInside(frame); }},
    };
    choices_.ByWeight(kActions).act(*this, AnyFrame());
  }

  // --- ordinary nodes -----------------------------------------------------------------------

  void Compute(int frame) {
    static const std::vector<std::string> ops = {"AddV2", "Sub", "Mul", "FloorMod"};
    static const Odds weights[] = {kEvenly, kSometimes, kSeldom, kSeldom};
    const std::string& op = ops[choices_.Weighted(weights)];
    const Value a = AnyInt(frame);
    Value b = AnyInt(frame);
    if (op == "FloorMod" && !choices_.Chance(kSeldom))
      b = Literal(frame, choices_.Between(kSeveral));
    maker_.AddOp(frame, op, {a, b}, {DType::kInt32}, {{"T", DType::kInt32}});
    MaybeControl(frame, Last(), kSeldom);
  }

  void Compare(int frame) {
    const std::string op = choices_.Of({"Less", "Equal", "LogicalNot", "LogicalAnd"});
    if (op == "LogicalNot") {
      maker_.AddOp(frame, op, {AnyBool(frame)}, {DType::kBool}, {});
    } else if (op == "LogicalAnd") {
      maker_.AddOp(frame, op, {AnyBool(frame), AnyBool(frame)}, {DType::kBool}, {});
    } else {
      maker_.AddOp(frame, op, {AnyInt(frame), AnyInt(frame)}, {DType::kBool},
                   {{"T", DType::kInt32}});
    }
    MaybeControl(frame, Last(), kSeldom);
  }

  void Copy(int frame) {
    maker_.AddIdentity(frame, Any(frame, AnyType()));
    MaybeControl(frame, Last(), kEvenly);
  }

  // A constant of the frame: in the root one without inputs, in a loop one that waits for
  // something there, or comes in by a constant Enter.
  Value Literal(int frame, int64_t number) {
    if (frame == kRoot) return maker_.AddConst(kRoot, DType::kInt32, number);
    const std::vector<NodeId>& nodes = maker_.frame(frame).nodes;
    if (!nodes.empty() && choices_.Chance(kMostly)) {
      const NodeId control = choices_.Of(nodes);
      return maker_.AddConst(frame, DType::kInt32, number, &control);
    }
    const Value outer = Literal(maker_.frame(frame).parent, number);
    return maker_.AddEnter(frame, outer, true, maker_.frame(frame).parallel);
  }

  void ConstIn(int frame) { Literal(frame, choices_.Between(kUpToFour)); }

  void Trigger(int frame) {
    const std::vector<NodeId> nodes = maker_.frame(frame).nodes;
    if (nodes.empty()) return;
    const int inputs = choices_.Between(kFew);
    const NodeId id = maker_.AddNode(choices_.Chance(kEvenly) ? "ControlTrigger" : "NoOp", {}, {});
    for (int i = 0; i < inputs; ++i) maker_.AddControl(id, choices_.Of(nodes));
    maker_.frame(frame).nodes.push_back(id);
  }

  // A LoopCond that is there for its own sake: a frame has one at most ([frame.9]).
  void LoopCond(int frame) {
    if (frame != kRoot && maker_.frame(frame).has_loop_cond) return;
    if (frame != kRoot) maker_.frame(frame).has_loop_cond = true;
    maker_.AddOp(frame, "LoopCond", {AnyBool(frame)}, {DType::kBool}, {});
  }

  // --- Switch and Merge ---------------------------------------------------------------------

  void Branch(int frame) {
    const DType type = AnyType();
    const Value data = Any(frame, type);
    maker_.AddSwitch(frame, data, AnyBool(frame));
    MaybeControl(frame, Last(), kSeldom);
  }

  // A Merge of what excludes each other, as a rule.
  void Join(int frame) {
    const DType type = AnyType();
    const int careless = choices_.Chance(kRarely) ? 1 : 0;
    std::vector<Value> inputs = {Any(frame, type)};
    const int wanted = choices_.Between(kTwoToFour);
    for (int i = 1; i < wanted; ++i) {
      const Value* next = Find(frame, [&](const Value& value) {
        return value.type == type &&
               (careless == 1 || std::all_of(inputs.begin(), inputs.end(), [&](const Value& other) {
                  return Exclude(value, other);
                }));
      });
      if (next != nullptr) inputs.push_back(*next);
    }
    if (inputs.size() < 2 && !choices_.Chance(kSometimes)) return;
    if (choices_.Chance(kEvenly)) std::reverse(inputs.begin(), inputs.end());
    Span span = inputs[0].span;
    for (const Value& input : inputs) span = std::max(span, input.span);
    maker_.AddMerge(frame, inputs, span);
    MaybeControl(frame, Last(), kSometimes);
  }

  // A Switch, something in a branch or both, perhaps a constant behind its pivot, and the Merge.
  void CondIn(int frame) {
    const Value data = AnyInt(frame);
    auto [no, yes] = maker_.AddSwitch(frame, data, AnyBool(frame));
    for (Value* side : {&no, &yes}) {
      if (!choices_.Chance(kEvenly)) continue;
      const Value pivot = maker_.AddIdentity(frame, *side);
      const NodeId pivot_node = pivot.output.node;
      const Value number =
          maker_.AddConst(frame, DType::kInt32, choices_.Between(kSeveral), &pivot_node);
      maker_.AddOp(frame, "AddV2", {pivot, number}, {DType::kInt32}, {{"T", DType::kInt32}});
      *side = maker_.frame(frame).values.back();
    }
    if (choices_.Chance(kSometimes)) return;
    const bool swapped = choices_.Chance(kEvenly);
    maker_.AddMerge(frame, {swapped ? yes : no, swapped ? no : yes}, data.span);
    MaybeControl(frame, Last(), kSeldom);
  }

  // --- pieces of several nodes --------------------------------------------------------------

  void Piece(int frame) { AddRecipeTo(*this, frame, !DeepEnough(frame), recipes_, feeds_); }

  // A value of an inner frame that is fed, and so of the root ([feed.2], [feed.3]): of a node that
  // fires in its frame all the same, or of a placeholder, which does not.
  void FeedInside(int frame) {
    if (frame == kRoot) return;
    const Value input = AnyInt(frame);
    const bool is_placeholder = choices_.Chance(kEvenly);
    const NodeId node =
        is_placeholder
            ? maker_.AddNode("PlaceholderWithDefault", {input.output},
                             {{"dtype", DType::kInt32}, {"shape", PartialShape::Scalar()}})
            : maker_.AddNode("Identity", {input.output}, {{"T", DType::kInt32}});
    maker_.frame(is_placeholder ? kRoot : frame).nodes.push_back(node);
    if (is_placeholder) maker_.AddConst(kRoot, DType::kInt32, choices_.Between(kSeveral), &node);
    const Value fed{{node, 0}, DType::kInt32, Span::kOnce, {}};
    maker_.AddIdentity(kRoot, fed);  // whose node is of the root, too
    feeds_.push_back(fed);
  }

  // A control edge between two nodes of a frame that are there already, the one made later last;
  // also from a NextIteration or a Merge of it.
  void AddLateControl() {
    const int frame = AnyFrame();
    std::vector<NodeId> nodes = maker_.frame(frame).nodes;
    std::sort(nodes.begin(), nodes.end());
    if (nodes.size() < 2) return;
    const size_t to = 1 + choices_.Below(nodes.size() - 1);
    const size_t from = choices_.Below(to);
    const std::string& op = maker_.graph.node(nodes[to]).op;
    // An Enter or Exit here has its inputs in another frame; a source must stay one.
    if (op.ends_with("Enter") || op.ends_with("Exit") || op == "Placeholder") return;
    if (op == "VarHandleOp" || op == "VariableV2") return;
    maker_.AddControl(nodes[to], nodes[from]);
  }

  const UnstructuredOptions& options_;
  const Swarm recipes_;
  std::vector<Value> feeds_;
  LoopGrowth loops_;
  EffectGrowth effects_;
};

}  // namespace

GraphSample MakeUnstructured(Choices& choices, const UnstructuredOptions& options) {
  GraphMaker maker;
  return Growth(choices, maker, options).Grow();
}

}  // namespace tagflow::fuzz
