#include "transform/placement/graph_tasks.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

#include "graph/control_ops.h"
#include "transform/placement/graph_costs.h"

namespace tagflow {
namespace {

constexpr double kMostFirings = 1e12;  // so that no sum of times is infinite

class Maker {
 public:
  Maker(const Graph& graph, const ValidatedCall& valid, const FeedSet& fed,
        const Requests& requests, const std::vector<DeviceInfo>& devices,
        const CostOptions& options)
      : graph_(graph),
        valid_(valid),
        fed_(fed),
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
    for (size_t i = 0; i < made_.node_of.size(); ++i) {
      const Node& node = graph_.node(made_.node_of[i]);
      if (!fed_.IsFedPlaceholder(node)) Connect(node, made_.tasks.tasks[i]);
    }
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
    made_.task_of[Index(node.id)] = static_cast<int>(made_.tasks.tasks.size());
    made_.node_of.push_back(node.id);
    made_.tasks.tasks.push_back(std::move(task));
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
    for (const OutputRef& input : node.inputs) Take(task, input);
    for (const NodeId control : node.control_inputs) {
      Take(task, {control, TensorName::kControl});
    }
    std::sort(task.takes.begin(), task.takes.end());
    task.takes.erase(std::unique(task.takes.begin(), task.takes.end()), task.takes.end());
    if (IsExit(node)) WaitForVariable(node, task);
  }

  void Take(Task& task, OutputRef output) {
    const int producer = made_.task_of[Index(output.node)];
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
  const ValidatedCall& valid_;
  const FeedSet& fed_;
  const Requests& requests_;
  const std::vector<DeviceInfo>& devices_;
  const CostOptions& options_;
  const GraphCosts costs_;
  std::vector<double> iterations_;  // by frame: in a step
  absl::flat_hash_map<std::pair<NodeId, int32_t>, int> tensors_;
  GraphTasks made_;
};

}  // namespace

GraphTasks TasksOf(const Graph& graph, const ValidatedCall& valid, const FeedSet& fed,
                   const Requests& requests, const std::vector<DeviceInfo>& devices,
                   const CostOptions& options) {
  return Maker(graph, valid, fed, requests, devices, options).Make();
}

}  // namespace tagflow
