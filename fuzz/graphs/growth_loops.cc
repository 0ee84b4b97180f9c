#include "fuzz/graphs/growth_loops.h"

#include <algorithm>
#include <string>

namespace tagflow::fuzz {
namespace {

const std::vector<int64_t> kParallel = {1, 2, 10, 3, int64_t{1} << 31};

}  // namespace

Value LoopGrowth::Constant(int frame, SizeRange range) {
  return BroughtInto(frame, maker_.AddConst(kRoot, DType::kInt32, choices_.Between(range)));
}

int LoopGrowth::ChildOf(int parent, Odds makes_one) {
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
void LoopGrowth::Rename(int frame, const std::string& name) {
  const auto has_it = [&](const MakerFrame& other) { return other.name == name; };
  if (std::ranges::none_of(maker_.frames, has_it)) maker_.frame(frame).name = name;
}

// Most Enters of a frame agree about parallel_iterations; the least applies ([frame.5]).
int64_t LoopGrowth::Parallel(int frame) {
  return choices_.Chance(kSeldom) ? choices_.Of(kParallel) : maker_.frame(frame).parallel;
}

void LoopGrowth::EnterFrame(int parent) {
  if (DeepEnough(parent)) return;
  const int child = ChildOf(parent, kSometimes);
  const Value input = Any(parent, AnyType());
  maker_.AddEnter(child, input, choices_.Chance(kEvenly), Parallel(child));
  MaybeControl(parent, Last(), kSeldom);
}

void LoopGrowth::LoopIn(int parent) {
  if (DeepEnough(parent)) return;
  const int frame = ChildOf(parent, kMostly);
  const Value start = choices_.Chance(kSometimes) ? AnyInt(parent) : Constant(parent, kUpToTwo);
  const Value limit = choices_.Chance(kSometimes) ? AnyInt(parent) : Constant(parent, kUpToFour);
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
  const Value one = maker_.AddConst(frame, DType::kInt32, choices_.Between(kOneOrTwo), &body_node);
  maker_.AddOp(frame, "AddV2", {body, one}, {DType::kInt32}, {{"T", DType::kInt32}});
  FillWith(pending_.back(), maker_.frame(frame).values.back());
  pending_.pop_back();
  const int exits = choices_.Chance(kMostly) ? 1 : choices_.Between(kUpToTwo);
  for (int i = 0; i < exits; ++i) {
    maker_.AddExit(frame, done);
    MaybeControl(frame, Last(), kSeldom);
  }
  const int variables = choices_.Between(kUpToTwo);
  for (int i = 0; i < variables; ++i) LoopVariable(frame);
}

// The value that the loop's Switches are to take.
Value LoopGrowth::Pivot(int frame, const Value& less) {
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
Value LoopGrowth::Header(int frame, const std::vector<Value>& inputs, int nexts) {
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

void LoopGrowth::LoopVariable(int frame) {
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
void LoopGrowth::AddOtherEnter(int frame, std::vector<Value>& inputs) {
  const int parent = maker_.frame(frame).parent;
  const Value first = Any(parent, inputs[0].type);
  const auto [no, yes] = maker_.AddSwitch(parent, first, AnyBool(parent));
  const bool swapped = choices_.Chance(kEvenly);
  inputs = {maker_.AddEnter(frame, swapped ? yes : no, false, Parallel(frame)),
            maker_.AddEnter(frame, swapped ? no : yes, false, Parallel(frame))};
}

void LoopGrowth::Leave(int frame) {
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

void LoopGrowth::Next(int frame) {
  if (frame == kRoot) return;
  const Value* value = Find(frame, [&](const Value& v) {
    return v.type != DType::kResource && v.span != Span::kEndless;
  });
  if (value == nullptr) return;
  const Value next = maker_.AddNext(frame, Value(*value));
  MaybeControl(frame, next.output.node, kSeldom);
  maker_.Publish(frame, next);
}

void LoopGrowth::FillAll() {
  for (size_t i = 0; i < pending_.size(); ++i) Fill(pending_[i]);
}

void LoopGrowth::Fill(Pending pending) {
  const bool endless = choices_.Chance(kRarely);
  const Value* value = Find(pending.frame, [&](const Value& v) {
    return v.type == pending.type && (endless || v.span == Span::kGuarded);
  });
  FillWith(pending, value != nullptr ? Value(*value) : Guarded(pending.frame, pending.type));
}

void LoopGrowth::FillWith(const Pending& pending, const Value& value) {
  const Value next = maker_.AddNext(pending.frame, value);
  maker_.graph.mutable_node(pending.merge).inputs[pending.slot] = next.output;
  MaybeControl(pending.frame, next.output.node, kSeldom);
}

// A value that is live while the frame's first loop goes on.
Value LoopGrowth::Guarded(int frame, DType type) {
  const Value predicate{maker_.frame(frame).pivots.at(0), DType::kBool, Span::kEndless, {}};
  return maker_.AddSwitch(frame, Any(frame, type), predicate).second;
}

}  // namespace tagflow::fuzz
