// How an unstructured graph grows. There are frames, each with the values that can be used in it;
// an action takes some of them and makes another. A node takes its inputs from nodes made before
// it, but for the slots of header Merges that wait for a NextIteration (Pending); these are filled
// when all else is done. So every cycle goes through a NextIteration, and no edge crosses frames.
//
// Tested by unstructured_test.cc.

#include "fuzz/graphs/unstructured.h"

#include <algorithm>
#include <set>

#include "fuzz/graphs/growth_base.h"
#include "fuzz/graphs/growth_recipes.h"
#include "fuzz/graphs/message.h"
#include "fuzz/graphs/unstructured_call.h"

namespace tagflow::fuzz {
namespace {

const std::vector<int64_t> kParallel = {1, 2, 10, 3, int64_t{1} << 31};

// A slot of a Merge that a NextIteration is to fill.
struct Pending {
  int frame;
  NodeId merge;
  size_t slot;
  DType type;
};

struct Variable {
  Value handle;
  std::string name;
  std::string container;
  int last_frame = GraphMaker::kRoot;
  NodeId last = NodeId::kNone;  // what touched it last
};

class Growth : GrowthBase {
 public:
  Growth(Choices& choices, const UnstructuredOptions& options)
      : GrowthBase(choices), options_(options), recipes_(RecipesOfGrowth().size(), choices) {}

  GraphSample Grow() {
    AddFeeds();
    const int actions = choices_.Between(options_.least_actions, options_.most_actions);
    for (int i = 0; i < actions; ++i) Act();
    for (size_t i = 0; i < pending_.size(); ++i) Fill(pending_[i]);
    const int edges = choices_.Between(0, 3);
    for (int i = 0; i < edges; ++i) AddLateControl();
    return FinishSample(choices_, std::move(maker_), feeds_);
  }

 private:
  void AddFeeds() {
    const int bools = choices_.Between(1, 2);
    for (int i = 0; i < bools; ++i) AddFeed(DType::kBool);
    const int ints = choices_.Between(1, 2);
    for (int i = 0; i < ints; ++i) AddFeed(DType::kInt32);
  }

  void AddFeed(DType type) {
    const NodeId id = maker_.AddNode("Placeholder", {}, {{"dtype", type}}, "feed");
    maker_.frame(kRoot).nodes.push_back(id);
    feeds_.push_back(maker_.Publish(kRoot, {{id, 0}, type, Span::kOnce, {}}));
  }

  void Act() {
    using Action = void (Growth::*)(int frame);
    static const std::vector<std::pair<int, Action>> actions = {
        {14, &Growth::Compute},       {6, &Growth::Compare},    {4, &Growth::Copy},
        {5, &Growth::ConstIn},        {10, &Growth::Branch},    {12, &Growth::Join},
        {12, &Growth::CondIn},        {9, &Growth::EnterFrame}, {14, &Growth::LoopIn},
        {8, &Growth::LoopVariable},   {13, &Growth::Leave},     {5, &Growth::Next},
        {5, &Growth::Trigger},        {2, &Growth::LoopCond},   {7, &Growth::Touch},
        {3, &Growth::SendAndReceive}, {30, &Growth::Piece},     {3, &Growth::FeedInside},
    };
    std::vector<int> weights;
    for (const auto& [weight, action] : actions) weights.push_back(weight);
    const size_t chosen = choices_.Weighted(weights);
    (this->*actions[chosen].second)(AnyFrame());
  }

  // --- ordinary nodes -----------------------------------------------------------------------

  void Compute(int frame) {
    static const std::vector<std::string> ops = {"AddV2", "Sub", "Mul", "FloorMod"};
    static const int weights[] = {6, 4, 2, 1};
    const std::string& op = ops[choices_.Weighted(weights)];
    const Value a = AnyInt(frame);
    Value b = AnyInt(frame);
    if (op == "FloorMod" && !choices_.Chance(kSeldom)) b = Literal(frame, choices_.Between(1, 5));
    maker_.AddOp(frame, op, {a, b}, {DType::kInt32}, {{"T", DType::kInt32}});
    MaybeControl(frame, Last(), kSeldom);
  }

  void Compare(int frame) {
    const uint32_t way = choices_.Below(4);
    if (way < 2) {
      maker_.AddOp(frame, way == 0 ? "Less" : "Equal", {AnyInt(frame), AnyInt(frame)},
                   {DType::kBool}, {{"T", DType::kInt32}});
    } else if (way == 2) {
      maker_.AddOp(frame, "LogicalNot", {AnyBool(frame)}, {DType::kBool}, {});
    } else {
      maker_.AddOp(frame, "LogicalAnd", {AnyBool(frame), AnyBool(frame)}, {DType::kBool}, {});
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

  void ConstIn(int frame) { Literal(frame, choices_.Between(0, 5)); }

  void Trigger(int frame) {
    const std::vector<NodeId> nodes = maker_.frame(frame).nodes;
    if (nodes.empty()) return;
    const int inputs = choices_.Between(1, 3);
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
    const int wanted = choices_.Between(2, 4);
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
          maker_.AddConst(frame, DType::kInt32, choices_.Between(1, 9), &pivot_node);
      maker_.AddOp(frame, "AddV2", {pivot, number}, {DType::kInt32}, {{"T", DType::kInt32}});
      *side = maker_.frame(frame).values.back();
    }
    if (choices_.Chance(kSometimes)) return;
    const bool swapped = choices_.Chance(kEvenly);
    maker_.AddMerge(frame, {swapped ? yes : no, swapped ? no : yes}, data.span);
    MaybeControl(frame, Last(), kSeldom);
  }

  // --- frames -------------------------------------------------------------------------------

  int ChildOf(int parent, Odds makes_one) {
    std::vector<int> children;
    for (size_t i = 0; i < maker_.frames.size(); ++i) {
      if (maker_.frames[i].parent == parent) children.push_back(static_cast<int>(i));
    }
    if (!children.empty() && !choices_.Chance(makes_one)) return choices_.Of(children);
    const int child = maker_.AddFrame(parent, choices_.Of(kParallel));
    // With what means something in a tag.
    static const std::vector<std::string> kEndings = {"[0]", "/f1", "\\", "[0]/f2"};
    if (choices_.Chance(kSeldom)) Rename(child, maker_.frame(child).name + choices_.Of(kEndings));
    return child;
  }

  // Unless another has that name.
  void Rename(int frame, const std::string& name) {
    const auto has_it = [&](const MakerFrame& other) { return other.name == name; };
    if (std::ranges::none_of(maker_.frames, has_it)) maker_.frame(frame).name = name;
  }

  // Most Enters of a frame agree about parallel_iterations; the least applies ([frame.5]).
  int64_t Parallel(int frame) {
    return choices_.Chance(kSeldom) ? choices_.Of(kParallel) : maker_.frame(frame).parallel;
  }

  bool DeepEnough(int frame) {
    int depth = 0;
    for (; frame != kRoot; frame = maker_.frame(frame).parent) ++depth;
    return depth >= 5;
  }

  void EnterFrame(int parent) {
    if (DeepEnough(parent)) return;
    const int child = ChildOf(parent, kSometimes);
    const Value input = Any(parent, AnyType());
    maker_.AddEnter(child, input, choices_.Chance(kEvenly), Parallel(child));
    MaybeControl(parent, Last(), kSeldom);
  }

  // Counts from a value to a limit. The predicate goes through a LoopCond, one named as a counter's
  // where the frame has one already, or straight to the Switch ([frame.9]).
  void LoopIn(int parent) {
    if (DeepEnough(parent)) return;
    const int frame = ChildOf(parent, kMostly);
    const Value start =
        choices_.Chance(kSometimes) ? AnyInt(parent) : Constant(parent, choices_.Between(0, 2));
    const Value limit =
        choices_.Chance(kSometimes) ? AnyInt(parent) : Constant(parent, choices_.Between(0, 5));
    const Value first = maker_.AddEnter(frame, start, false, Parallel(frame));
    MaybeControl(parent, Last(), kSeldom);
    const Value most = maker_.AddEnter(frame, limit, true, Parallel(frame));
    MaybeControl(parent, Last(), kSeldom);
    const Value counter = Header(frame, {first}, 1);
    maker_.AddOp(frame, "Less", {counter, most}, {DType::kBool}, {{"T", DType::kInt32}});
    const Value pivot = Pivot(frame, maker_.frame(frame).values.back());
    const auto [done, go] = maker_.AddSwitch(frame, counter, pivot);
    const Value body = maker_.AddIdentity(frame, go);
    const NodeId body_node = body.output.node;
    const Value one = maker_.AddConst(frame, DType::kInt32, choices_.Between(1, 2), &body_node);
    maker_.AddOp(frame, "AddV2", {body, one}, {DType::kInt32}, {{"T", DType::kInt32}});
    FillWith(pending_.back(), maker_.frame(frame).values.back());
    pending_.pop_back();
    const int exits = choices_.Chance(kMostly) ? 1 : choices_.Between(0, 2);
    for (int i = 0; i < exits; ++i) {
      maker_.AddExit(frame, done);
      MaybeControl(frame, Last(), kSeldom);
    }
    const int variables = choices_.Between(0, 2);
    for (int i = 0; i < variables; ++i) LoopVariable(frame);
  }

  Value Constant(int frame, int64_t number) {
    if (frame == kRoot) return maker_.AddConst(kRoot, DType::kInt32, number);
    const Value outer = Constant(maker_.frame(frame).parent, number);
    return maker_.AddEnter(frame, outer, true, maker_.frame(frame).parallel);
  }

  // The value that the loop's Switches are to take.
  Value Pivot(int frame, const Value& less) {
    MakerFrame& home = maker_.frame(frame);
    Value pivot = less;
    const bool counter = home.has_loop_cond;
    if (!counter || choices_.Chance(kEvenly)) {
      const NodeId id =
          maker_.AddNode("LoopCond", {less.output}, {}, counter ? "LoopCounter" : "loopcond");
      home.has_loop_cond = true;
      home.nodes.push_back(id);
      pivot = maker_.Publish(frame, {{id, 0}, DType::kBool, less.span, less.conditions});
    }
    maker_.frame(frame).pivots.push_back(pivot.output);
    return pivot;
  }

  // A Merge of the inputs and of `nexts` NextIterations to come, in any order.
  Value Header(int frame, const std::vector<Value>& inputs, int nexts) {
    std::vector<Value> slots = inputs;
    for (int i = 0; i < nexts; ++i) {
      Value hole{OutputRef(), inputs[0].type, Span::kEndless, {}};
      slots.insert(slots.begin() + choices_.Between(0, static_cast<int>(slots.size())), hole);
    }
    std::reverse(slots.begin(), slots.end());
    const Value header = maker_.AddMerge(frame, slots, Span::kEndless);
    const NodeId merge = header.output.node;
    MaybeControl(frame, merge, kSeldom);
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].output.node == NodeId::kNone) pending_.push_back({frame, merge, i, header.type});
    }
    return header;
  }

  // One more variable of a loop: a header, a Switch by some predicate of the frame, an Exit.
  void LoopVariable(int frame) {
    const std::vector<OutputRef> pivots = maker_.frame(frame).pivots;
    if (frame == kRoot || pivots.empty()) return;
    const DType type = AnyType();
    const Value input = Any(maker_.frame(frame).parent, type);
    const Value entered = maker_.AddEnter(frame, input, choices_.Chance(kRarely), Parallel(frame));
    MaybeControl(maker_.frame(frame).parent, Last(), kSeldom);
    std::vector<Value> inputs = {entered};
    if (choices_.Chance(kSeldom)) AddOtherEnter(frame, inputs);
    const Value header = Header(frame, inputs, 1);
    const OutputRef pivot = choices_.Of(pivots);
    const Value predicate{pivot, DType::kBool, Span::kEndless, {}};
    const Value done = maker_.AddSwitch(frame, header, predicate).first;
    MaybeControl(frame, Last(), kSeldom);
    if (!choices_.Chance(kMostly)) return;
    maker_.AddExit(frame, done);
    MaybeControl(frame, Last(), kSeldom);
  }

  // A second Enter into the header: of the other side of a Switch, so that one is dead.
  void AddOtherEnter(int frame, std::vector<Value>& inputs) {
    const int parent = maker_.frame(frame).parent;
    const Value first = Any(parent, inputs[0].type);
    const auto [no, yes] = maker_.AddSwitch(parent, first, AnyBool(parent));
    const bool swapped = choices_.Chance(kEvenly);
    inputs = {maker_.AddEnter(frame, swapped ? yes : no, false, Parallel(frame)),
              maker_.AddEnter(frame, swapped ? no : yes, false, Parallel(frame))};
  }

  void Leave(int frame) {
    if (frame == kRoot) return;
    const bool careless = choices_.Chance(kRarely);
    const Value* value = Find(frame, [&](const Value& v) {
      return v.type != DType::kResource &&
             (careless || v.span == Span::kOnce || v.span == Span::kLast);
    });
    if (value == nullptr) return;
    maker_.AddExit(frame, Value(*value));
    MaybeControl(frame, Last(), kSeldom);
  }

  // A NextIteration whose value is there for any node of the next iteration, not only for a Merge.
  void Next(int frame) {
    if (frame == kRoot) return;
    const Value* value = Find(frame, [&](const Value& v) {
      return v.type != DType::kResource && v.span != Span::kEndless;
    });
    if (value == nullptr) return;
    const Value next = maker_.AddNext(frame, Value(*value));
    MaybeControl(frame, next.output.node, kSeldom);
    maker_.Publish(frame, next);
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
    if (is_placeholder) maker_.AddConst(kRoot, DType::kInt32, choices_.Between(1, 9), &node);
    const Value fed{{node, 0}, DType::kInt32, Span::kOnce, {}};
    maker_.AddIdentity(kRoot, fed);  // whose node is of the root, too
    feeds_.push_back(fed);
  }

  // --- what a NextIteration brings ----------------------------------------------------------

  void Fill(Pending pending) {
    const bool endless = choices_.Chance(kRarely);
    const Value* value = Find(pending.frame, [&](const Value& v) {
      return v.type == pending.type && (endless || v.span == Span::kGuarded);
    });
    FillWith(pending, value != nullptr ? Value(*value) : Guarded(pending.frame, pending.type));
  }

  void FillWith(const Pending& pending, const Value& value) {
    const Value next = maker_.AddNext(pending.frame, value);
    maker_.graph.mutable_node(pending.merge).inputs[pending.slot] = next.output;
    MaybeControl(pending.frame, next.output.node, kSeldom);
  }

  // A value that is live while the frame's first loop goes on.
  Value Guarded(int frame, DType type) {
    const Value predicate{maker_.frame(frame).pivots.at(0), DType::kBool, Span::kEndless, {}};
    return maker_.AddSwitch(frame, Any(frame, type), predicate).second;
  }

  // --- variables and messages ---------------------------------------------------------------

  void Touch(int frame) {
    if (variables_.empty() || choices_.Chance(kSometimes)) variables_.push_back(NewVariable());
    Variable& variable = variables_[choices_.Below(static_cast<uint32_t>(variables_.size()))];
    const std::vector<NodeId> before = maker_.frame(frame).nodes;
    const Value handle =
        BroughtInto(frame, choices_.Chance(kSeldom) ? OtherHandle(variable) : variable.handle);
    static const std::vector<std::string> ops = {"ReadVariableOp", "AssignVariableOp",
                                                 "AssignAddVariableOp"};
    static const int weights[] = {5, 3, 4};
    const size_t op = choices_.Weighted(weights);
    std::vector<Value> inputs = {handle};
    if (op != 0) inputs.push_back(AnyInt(frame));
    const std::vector<DType> outputs(op == 0 ? 1 : 0, DType::kInt32);
    const NodeId id = maker_.AddOp(frame, ops[op], inputs, outputs, {{"dtype", DType::kInt32}});
    const bool ordered = variable.last != NodeId::kNone && variable.last_frame == frame;
    if (ordered && !choices_.Chance(kSeldom)) {
      WaitFor(id, variable.last);
    } else if (!before.empty() && choices_.Chance(kEvenly)) {
      WaitFor(id, choices_.Of(before));
    }
    variable.last = id;
    variable.last_frame = frame;
  }

  // Also by way of a node that does nothing.
  void WaitFor(NodeId id, NodeId before) {
    if (choices_.Chance(kSometimes)) {
      const NodeId between =
          maker_.AddNode(choices_.Chance(kEvenly) ? "ControlTrigger" : "NoOp", {}, {});
      maker_.AddControl(between, before);
      before = between;  // made later than `id`: others must not take it for earlier
    }
    maker_.AddControl(id, before);
  }

  // A handle, behind the variable's first assignment as a rule. Now and then the name is another
  // variable's, in another container ([resource.1]).
  Variable NewVariable() {
    const bool shares = !variables_.empty() && choices_.Chance(kEvenly);
    const std::string number = std::to_string(maker_.graph.num_nodes());
    Variable variable;
    variable.name = shares ? variables_.back().name : "v" + number;
    variable.container = shares ? "c" + number : "";
    const Value handle = Handle(variable);
    variable.handle = handle;
    if (!choices_.Chance(kSeldom)) {
      const NodeId init = maker_.AddOp(kRoot, "AssignVariableOp", {handle, AnyInt(kRoot)}, {},
                                       {{"dtype", DType::kInt32}});
      const NodeId after =
          maker_.AddOp(kRoot, "Identity", {handle}, {DType::kResource}, {{"T", DType::kResource}});
      maker_.AddControl(after, init);
      variable.handle = maker_.frame(kRoot).values.back();
    }
    return variable;
  }

  Value Handle(const Variable& variable) {
    const NodeId id = maker_.AddNode("VarHandleOp", {},
                                     {{"dtype", DType::kInt32},
                                      {"shape", PartialShape::Scalar()},
                                      {"container", variable.container},
                                      {"shared_name", variable.name}});
    maker_.frame(kRoot).nodes.push_back(id);
    return {{id, 0}, DType::kResource, Span::kOnce, {}};
  }

  // By a node of its own; there when the variable's first handle is.
  Value OtherHandle(const Variable& variable) {
    const Value copy = maker_.AddIdentity(kRoot, Handle(variable));
    maker_.AddControl(copy.output.node, variable.handle.output.node);
    return copy;
  }

  // The Recv waits for something of the frame, so that it is there under the Send's tags.
  void SendAndReceive(int frame) {
    const Value value = AnyInt(frame);
    const std::vector<NodeId> nodes = maker_.frame(frame).nodes;
    const NodeId control = choices_.Chance(kEvenly) ? value.output.node : choices_.Of(nodes);
    const auto [send, receive] =
        AddMessage(maker_, value, control, NextKey(frame), choices_.Chance(kSometimes));
    MaybeControl(frame, send, kSometimes);
    for (const NodeId node : {receive, send}) maker_.frame(frame).nodes.push_back(node);
    // What comes may be dead, and the Recv is not ([rendezvous.2]).
    if (choices_.Chance(kEvenly)) {
      maker_.AddControl(maker_.AddIdentity(frame, AnyInt(frame)).output.node, receive);
    }
    maker_.Publish(frame, {{receive, 0}, DType::kInt32, value.span, {}});
  }

  // Of keys that differ in one part; the first ones of loops share one, since their tags differ.
  MessageKey NextKey(int frame) {
    MessageKey key{"edge"};
    const bool is_first = frame != kRoot && sending_.insert(frame).second;
    if (is_first) return key;
    const int number = static_cast<int>(maker_.graph.num_nodes());
    const uint32_t part = choices_.Below(4);
    if (part < 2) key.name += std::to_string(number);
    if (part == 2) key.sender = number;
    if (part == 3) key.receiver = number;
    return key;
  }

  // A control edge between two nodes of a frame that are there already, the one made later last;
  // also from a NextIteration or a Merge of it.
  void AddLateControl() {
    const int frame = AnyFrame();
    std::vector<NodeId> nodes = maker_.frame(frame).nodes;
    std::sort(nodes.begin(), nodes.end());
    if (nodes.size() < 2) return;
    const size_t to = 1 + choices_.Below(static_cast<uint32_t>(nodes.size() - 1));
    const size_t from = choices_.Below(static_cast<uint32_t>(to));
    const std::string& op = maker_.graph.node(nodes[to]).op;
    // An Enter or Exit here has its inputs in another frame; a source must stay one.
    if (op.ends_with("Enter") || op.ends_with("Exit") || op == "Placeholder") return;
    if (op == "VarHandleOp" || op == "VariableV2") return;
    maker_.AddControl(nodes[to], nodes[from]);
  }

  const UnstructuredOptions& options_;
  const Swarm recipes_;
  std::vector<Value> feeds_;
  std::vector<Pending> pending_;
  std::vector<Variable> variables_;
  std::set<int> sending_;  // frames that have a message
};

}  // namespace

GraphSample MakeUnstructured(Choices& choices, const UnstructuredOptions& options) {
  return Growth(choices, options).Grow();
}

}  // namespace tagflow::fuzz
