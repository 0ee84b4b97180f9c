#include "optimized/straight/schedule.h"

#include <algorithm>
#include <utility>

#include "graph/control_ops.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::optimized {
namespace {

// The items of all frames, what waits for what among those of one frame, and in which frame each
// is.
struct Work {
  std::vector<Item> items;
  std::vector<int32_t> frame;                        // by item
  std::vector<std::pair<uint32_t, uint32_t>> edges;  // item, and an item that waits for it
  std::vector<uint32_t> waiting;                     // by item
  std::vector<uint32_t> consumers_begin;             // by item, and one more
  std::vector<uint32_t> consumers;
};

class WorkBuilder {
 public:
  WorkBuilder(const Graph& graph, const FeedSet& fed, const ValidatedCall& valid,
              Structure& structure)
      : graph_(graph), fed_(fed), valid_(valid), structure_(structure) {}

  Work Build() && {
    AddFrames();
    item_of_node_.assign(graph_.id_limit(), 0);
    ended_by_.assign(graph_.id_limit(), kNothing);
    for (const NodeId id : structure_.order) {
      const int frame = valid_.frames.frame_of[Index(id)];
      const uint32_t item = Add(frame, {Item::Kind::kNode, id, 0, structure_.condition[Index(id)]});
      item_of_node_[Index(id)] = item;
      ended_by_[Index(id)] = EndedBy(graph_.node(id), item);
    }
    for (const NodeId id : structure_.order) Connect(graph_.node(id));
    Finish();
    return std::move(work_);
  }

 private:
  uint32_t Add(int frame, Item item) {
    work_.items.push_back(item);
    work_.frame.push_back(frame);
    return static_cast<uint32_t>(work_.items.size() - 1);
  }
  void Edge(uint32_t before, uint32_t after) { work_.edges.emplace_back(before, after); }

  // Item f is frame f as a part of its parent; that of the root is in no frame.
  void AddFrames() {
    for (size_t frame = 0; frame < structure_.frames.size(); ++frame) {
      const ConditionId entered = structure_.frames[frame].entered.value_or(ConditionId::kAlways);
      Add(valid_.frames.frames[frame].parent,
          {Item::Kind::kFrame, NodeId::kNone, static_cast<int32_t>(frame), entered});
    }
  }

  static constexpr uint32_t kNothing = 0;  // item 0 is the root frame: nobody waits for it

  // The item in its consumers' frame that ends when the node has fired; nothing for what a frame
  // begins with.
  uint32_t EndedBy(const Node& node, uint32_t item) const {
    if (IsEnter(node) || IsNextIteration(node)) return kNothing;
    return IsExit(node) ? static_cast<uint32_t>(valid_.frames.frame_of[Index(node.id)]) : item;
  }
  void EdgeFrom(NodeId producer, uint32_t item) {
    if (const uint32_t before = ended_by_[Index(producer)]; before != kNothing) Edge(before, item);
  }

  void Connect(const Node& node) {
    const uint32_t item = item_of_node_[Index(node.id)];
    if (fed_.IsFedPlaceholder(node)) return;
    const bool joins = IsMerge(node) && !IsLoopVariable(graph_, node, fed_);
    if (joins) ConnectWays(node, item);
    for (size_t i = 0; i < node.inputs.size() && !joins; ++i) ConnectInput(node.inputs[i], item);
    for (const NodeId control : node.control_inputs) EdgeFrom(control, item);
    if (IsEnter(node)) Edge(item, static_cast<uint32_t>(valid_.frames.OutputFrame(node)));
  }
  void ConnectInput(OutputRef input, uint32_t item) {
    if (!fed_.Contains(input)) EdgeFrom(input.node, item);
  }
  void ConnectWays(const Node& merge, uint32_t item) {
    for (size_t i = 0; i < merge.inputs.size(); ++i) {
      const OutputRef input = merge.inputs[i];
      const ConditionId condition = fed_.Contains(input)
                                        ? ConditionId::kAlways
                                        : structure_.OfOutput(graph_, valid_.frames, input);
      const uint32_t way =
          Add(work_.frame[item], {Item::Kind::kWay, merge.id, static_cast<int32_t>(i), condition});
      ConnectInput(input, way);
      // The way is where a variable is read, by reference ([merge.2], [ref.2]).
      for (const NodeId control : merge.control_inputs) EdgeFrom(control, way);
      Edge(way, item);
    }
  }

  // Consumers in one array by producer.
  void Finish() {
    work_.waiting.resize(work_.items.size());
    work_.consumers_begin.resize(work_.items.size() + 1);
    for (const auto& [before, after] : work_.edges) {
      ++work_.consumers_begin[before + 1];
      ++work_.waiting[after];
    }
    for (size_t i = 1; i < work_.consumers_begin.size(); ++i) {
      work_.consumers_begin[i] += work_.consumers_begin[i - 1];
    }
    work_.consumers.resize(work_.edges.size());
    std::vector<uint32_t> next = work_.consumers_begin;
    for (const auto& [before, after] : work_.edges) work_.consumers[next[before]++] = after;
  }

  const Graph& graph_;
  const FeedSet& fed_;
  const ValidatedCall& valid_;
  Structure& structure_;
  Work work_;
  std::vector<uint32_t> item_of_node_;
  std::vector<uint32_t> ended_by_;  // by node id
};

// Orders the items of one frame at a time.
class Scheduler {
 public:
  Scheduler(Work work, Structure& structure)
      : work_(std::move(work)), structure_(structure), conditions_(structure.conditions) {
    ready_.resize(conditions_.size());
  }

  std::optional<std::vector<Item>> Order(int frame, const std::vector<uint32_t>& items) {
    order_.clear();
    done_ = 0;
    StartRepeat(frame, items);
    for (const uint32_t item : items) {
      if (work_.waiting[item] == 0) MakeReady(item);
    }
    at_.assign(1, ConditionId::kAlways);
    while (std::optional<uint32_t> next = Next()) {
      order_.push_back(work_.items[*next]);
      Finish(*next);
    }
    if (done_ < items.size()) return std::nullopt;
    return std::move(order_);
  }

 private:
  // The item that repeats the loop is made ready by count.
  void StartRepeat(int frame, const std::vector<uint32_t>& items) {
    repeat_ = Item();
    before_repeat_ = 0;
    const std::optional<ConditionLiteral> repeats =
        structure_.frames[static_cast<size_t>(frame)].repeats;
    if (!repeats) return;
    repeat_ = {Item::Kind::kRepeat, NodeId::kNone, frame,
               conditions_.With(ConditionId::kAlways, *repeats)};
    if (ready_.size() < conditions_.size()) ready_.resize(conditions_.size());
    for (const uint32_t item : items) before_repeat_ += IsBeforeRepeat(item) ? 1 : 0;
  }
  bool IsBeforeRepeat(uint32_t item) const {
    return repeat_.kind == Item::Kind::kRepeat &&
           !conditions_.Exclusive(work_.items[item].condition, repeat_.condition);
  }

  std::vector<uint32_t>& Ready(ConditionId condition) {
    return ready_[static_cast<size_t>(condition)];
  }

  void MakeReady(uint32_t item) {
    const ConditionId condition = work_.items[item].condition;
    if (condition == ConditionId::kNever) return never_.push_back(item);
    if (Ready(condition).empty()) active_.push_back(condition);
    Ready(condition).push_back(item);
  }

  void Finish(uint32_t item) {
    ++done_;
    for (uint32_t i = work_.consumers_begin[item]; i < work_.consumers_begin[item + 1]; ++i) {
      const uint32_t consumer = work_.consumers[i];
      if (--work_.waiting[consumer] == 0) MakeReady(consumer);
    }
    if (IsBeforeRepeat(item) && --before_repeat_ == 0) order_.push_back(repeat_);
  }

  std::optional<uint32_t> Next() {
    FinishWhatNeverRuns();
    ConditionId left = ConditionId::kAlways;
    while (true) {
      const ConditionId at = at_.back();
      if (!Ready(at).empty()) return Take(at);
      if (const std::optional<ConditionId> branch = Branch(at, left)) {
        at_.push_back(*branch);
        return Take(*branch);
      }
      if (at_.size() == 1) return std::nullopt;
      left = at;
      at_.pop_back();
    }
  }
  void FinishWhatNeverRuns() {
    while (!never_.empty()) {
      const uint32_t item = never_.back();
      never_.pop_back();
      Finish(item);
    }
  }
  uint32_t Take(ConditionId condition) {
    std::vector<uint32_t>& ready = Ready(condition);
    const uint32_t item = ready.back();
    ready.pop_back();
    if (ready.empty()) active_.erase(std::ranges::find(active_, condition));
    return item;
  }

  // A condition with something ready that holds only where `at` does; one that excludes `left`
  // first.
  std::optional<ConditionId> Branch(ConditionId at, ConditionId left) const {
    constexpr size_t kLooks = 16;
    std::optional<ConditionId> found;
    const size_t looks = std::min(kLooks, active_.size());
    for (size_t i = 0; i < looks; ++i) {
      const ConditionId condition = active_[active_.size() - 1 - i];
      if (!conditions_.Implied(at, condition)) continue;
      if (left != ConditionId::kAlways && conditions_.Exclusive(left, condition)) return condition;
      if (!found) found = condition;
    }
    return found;
  }

  Work work_;
  Structure& structure_;
  Conditions& conditions_;
  std::vector<std::vector<uint32_t>> ready_;  // by condition: items of the frame at hand
  std::vector<uint32_t> never_;               // ready, and without a place in the order
  std::vector<ConditionId> active_;           // those with something ready, the newest last
  std::vector<ConditionId> at_;               // the branches being in
  std::vector<Item> order_;
  size_t done_ = 0;
  Item repeat_;
  size_t before_repeat_ = 0;
};

}  // namespace

std::optional<std::vector<std::vector<Item>>> ScheduleFrames(const Graph& graph, const FeedSet& fed,
                                                             const ValidatedCall& valid,
                                                             Structure& structure) {
  Work work = WorkBuilder(graph, fed, valid, structure).Build();
  const size_t frames = structure.frames.size();
  std::vector<std::vector<uint32_t>> items(frames);
  for (size_t item = 1; item < work.items.size(); ++item) {
    items[static_cast<size_t>(work.frame[item])].push_back(static_cast<uint32_t>(item));
  }
  Scheduler scheduler(std::move(work), structure);
  std::vector<std::vector<Item>> orders;
  for (size_t frame = 0; frame < frames; ++frame) {
    std::optional<std::vector<Item>> order = scheduler.Order(static_cast<int>(frame), items[frame]);
    if (!order) return std::nullopt;
    orders.push_back(*std::move(order));
  }
  return orders;
}

}  // namespace tagflow::optimized
