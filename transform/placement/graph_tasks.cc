#include "transform/placement/graph_tasks.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "graph/control_ops.h"
#include "graph/feed_set.h"
#include "graph/hash.h"
#include "transform/placement/graph_costs.h"

namespace tagflow {
namespace {

constexpr double kMostFirings = 1e12;  // so that no sum of times is infinite

class Maker {
 public:
  Maker(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
        const Requests& requests, const std::vector<DeviceInfo>& devices,
        const CostOptions& options)
      : graph_(graph),
        call_(call),
        valid_(valid),
        fed_(graph, call.feeds),
        requests_(requests),
        devices_(devices),
        options_(options),
        costs_(graph, devices, options) {}

  GraphTasks Make() && {
    CountIterations();
    AddLinks();
    made_.task_of.assign(graph_.id_limit(), -1);
    made_.group_of.assign(graph_.id_limit(), -1);
    for (const NodeId id : graph_.NodeIds()) {
      if (valid_.needed[Index(id)]) AddTask(graph_.node(id));
    }
    AddFeeds();
    for (const NodeId id : graph_.NodeIds()) {
      const int task = made_.task_of[Index(id)];
      if (task >= 0) Connect(graph_.node(id), made_.tasks.tasks[static_cast<size_t>(task)]);
    }
    AddFetches();
    AddPredicates();
    return std::move(made_);
  }

 private:
  void CountIterations() {
    const FrameTree& tree = valid_.frames;
    std::vector<bool> is_loop(tree.frames.size(), false);
    std::vector<double> measured(tree.frames.size(), -1);
    for (const NodeId id : graph_.NodeIds()) {
      const int frame = tree.frame_of[Index(id)];
      if (!valid_.needed[Index(id)] || frame < 0) continue;
      const Node& node = graph_.node(id);
      if (IsNextIteration(node)) is_loop[static_cast<size_t>(frame)] = true;
      const auto found = options_.measured.find(node.name);
      double& most = measured[static_cast<size_t>(frame)];
      if (found != options_.measured.end()) most = std::max(most, found->second.firings);
    }
    iterations_.assign(tree.frames.size(), 1);
    for (size_t f = 1; f < tree.frames.size(); ++f) {
      const double outside = iterations_[static_cast<size_t>(std::max(tree.frames[f].parent, 0))];
      const double trips = is_loop[f] ? options_.unknown_trips : 1;
      iterations_[f] = std::min(measured[f] >= 0 ? measured[f] : outside * trips, kMostFirings);
    }
  }

  double IterationsOf(int frame) const {
    return frame < 0 ? 1 : iterations_[static_cast<size_t>(frame)];
  }

  void AddLinks() {
    made_.tasks.devices = static_cast<int>(devices_.size());
    for (const DeviceInfo& from : devices_) {
      std::vector<LinkSpeed>& links = made_.tasks.links.emplace_back();
      for (const DeviceInfo& to : devices_) links.push_back(LinkBetween(options_, from, to));
    }
  }

  void AddTask(const Node& node) {
    Task task;
    task.group = GroupOf(node.id);
    const double firings = FiringsOf(node);
    for (const double ns : costs_.FiringNs(node)) task.ns.push_back(firings * ns);
    task.state_bytes = StateBytesOf(node);
    made_.task_of[Index(node.id)] = static_cast<int>(made_.tasks.tasks.size());
    made_.node_of.push_back(node.id);
    made_.tasks.tasks.push_back(std::move(task));
  }

  int AddTaskOfNoTime(NodeId with, int group) {
    Task task;
    task.group = group;
    task.ns.assign(devices_.size(), 0);
    made_.node_of.push_back(with);
    made_.tasks.tasks.push_back(std::move(task));
    return static_cast<int>(made_.tasks.tasks.size()) - 1;
  }

  int AddHostTask() {
    if (host_group_ < 0) {
      host_group_ = static_cast<int>(made_.tasks.groups.size());
      TaskGroup group{std::vector<bool>(devices_.size(), false)};
      group.fits[0] = true;
      made_.tasks.groups.push_back(std::move(group));
    }
    return AddTaskOfNoTime(NodeId::kNone, host_group_);
  }

  void AddFeeds() {
    for (const OutputRef feed : call_.feeds) {
      const int tensor = static_cast<int>(made_.tasks.tensors.size());
      if (!feeds_.try_emplace({feed.node, feed.index}, tensor).second) continue;
      made_.tasks.tensors.push_back({AddHostTask(), costs_.BytesOf(feed), 1});
    }
  }

  void AddFetches() {
    if (call_.fetches.empty()) return;
    const int task = AddHostTask();
    for (const OutputRef fetch : call_.fetches) {
      if (!fed_.Contains(fetch)) Take(made_.tasks.tasks[static_cast<size_t>(task)], fetch);
    }
    Unique(made_.tasks.tasks[static_cast<size_t>(task)].takes);
  }

  void AddPredicates() {
    std::vector<NodeId> loop_conds(valid_.frames.frames.size(), NodeId::kNone);
    for (const NodeId id : graph_.NodeIds()) {
      if (made_.task_of[Index(id)] < 0 || !IsLoopCond(graph_.node(id))) continue;
      NodeId& known = loop_conds[static_cast<size_t>(valid_.frames.frame_of[Index(id)])];
      if (known == NodeId::kNone) known = id;
    }
    std::unordered_set<std::pair<int, int>, TupleHash> told;  // frame, group
    for (const NodeId id : graph_.NodeIds()) {
      if (made_.task_of[Index(id)] < 0) continue;
      const int group = GroupOf(id);
      int frame = valid_.frames.frame_of[Index(id)];
      for (; frame > FrameTree::kRoot;
           frame = valid_.frames.frames[static_cast<size_t>(frame)].parent) {
        const NodeId loop_cond = loop_conds[static_cast<size_t>(frame)];
        if (loop_cond == NodeId::kNone || !told.insert({frame, group}).second) continue;
        const int task = AddTaskOfNoTime(id, group);
        Take(made_.tasks.tasks[static_cast<size_t>(task)], {loop_cond, 0});
      }
    }
  }

  static void Unique(std::vector<int>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }

  // What a variable is known to keep.
  double StateBytesOf(const Node& node) const {
    if (node.op != "VarHandleOp" && node.op != "VariableV2") return 0;
    const Result<DType> dtype = TypeAttr(node, "dtype");
    const Result<PartialShape> shape = ShapeAttr(node, "shape");
    if (!dtype.ok() || !shape.ok() || !shape->fully_known()) return 0;
    return BytesOf(*shape, *dtype, options_.unknown_dim);
  }

  int GroupOf(NodeId id) {
    const NodeId least = requests_.group_of[Index(id)];
    int& group = made_.group_of[Index(least)];
    if (group < 0) {
      group = static_cast<int>(made_.tasks.groups.size());
      made_.tasks.groups.push_back({requests_.fits[Index(least)]});
    }
    return group;
  }

  double FiringsOf(const Node& node) const {
    if (fed_.IsFedPlaceholder(node)) return 0;
    const auto measured = options_.measured.find(node.name);
    if (measured != options_.measured.end()) {
      return std::min(measured->second.firings, kMostFirings);
    }
    return IterationsOf(valid_.frames.frame_of[Index(node.id)]);
  }

  void Connect(const Node& node, Task& task) {
    if (fed_.IsFedPlaceholder(node)) {
      task.takes = {feeds_.find({node.id, 0})->second};
      return;
    }
    for (const OutputRef& input : node.inputs) Take(task, input);
    for (const NodeId control : node.control_inputs) {
      Take(task, {control, TensorName::kControl});
    }
    Unique(task.takes);
    if (IsExit(node)) WaitForVariable(node, task);
  }

  void Take(Task& task, OutputRef output) {
    const int producer = made_.task_of[Index(output.node)];
    // A placeholder takes its feed; that of another node goes to who takes its output.
    if (fed_.Contains(output) && !IsPlaceholderOp(graph_.node(output.node))) {
      task.takes.push_back(feeds_.find({output.node, output.index})->second);
      return;
    }
    if (producer < 0 || IsNextIteration(graph_.node(output.node))) return;
    const auto [at, is_new] = tensors_.try_emplace({output.node, output.index},
                                                   static_cast<int>(made_.tasks.tensors.size()));
    if (is_new) made_.tasks.tensors.push_back(TensorOf(output, producer));
    task.takes.push_back(at->second);
  }

  TaskTensor TensorOf(OutputRef output, int producer) const {
    const Node& node = graph_.node(output.node);
    // What enters crosses before it enters ([partition.2]).
    const int frame = IsEnter(node) ? valid_.frames.frame_of[Index(node.id)]
                                    : valid_.frames.output_frame_of[Index(node.id)];
    return {producer, costs_.BytesOf(output), IterationsOf(frame)};
  }

  // Exit of a Switch of a Merge: the Merge's NextIteration comes before.
  void WaitForVariable(const Node& exit, Task& task) {
    const Node& loop_switch = SourceOf(exit);
    const Node& merge = SourceOf(loop_switch);
    if (!IsSwitch(loop_switch) || !IsMerge(merge)) return;
    for (const OutputRef& input : merge.inputs) {
      const int next = made_.task_of[Index(input.node)];
      if (next >= 0 && IsNextIteration(graph_.node(input.node))) task.after.push_back(next);
    }
  }

  // Of its first input; itself where it has none.
  const Node& SourceOf(const Node& node) const {
    return node.inputs.empty() ? node : graph_.node(node.inputs[0].node);
  }

  const Graph& graph_;
  const CallSpec& call_;
  const ValidatedCall& valid_;
  const FeedSet fed_;
  const Requests& requests_;
  const std::vector<DeviceInfo>& devices_;
  const CostOptions& options_;
  const GraphCosts costs_;
  std::vector<double> iterations_;  // by frame: in a step
  std::unordered_map<std::pair<NodeId, int32_t>, int, TupleHash> tensors_;
  std::unordered_map<std::pair<NodeId, int32_t>, int, TupleHash>
      feeds_;  // the tensors of fed outputs
  int host_group_ = -1;
  GraphTasks made_;
};

}  // namespace

GraphTasks TasksOf(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                   const Requests& requests, const std::vector<DeviceInfo>& devices,
                   const CostOptions& options) {
  return Maker(graph, call, valid, requests, devices, options).Make();
}

}  // namespace tagflow
