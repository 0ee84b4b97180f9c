#include "transform/partition/control_loops.h"

#include <algorithm>
#include <utility>

#include "transform/partition/loop_ends.h"

namespace tagflow {
namespace {

std::string Describe(const FrameTree& tree, int frame, const Devices& devices,
                     const Placement& placement) {
  std::string text = "frame '" + tree.Path(frame) + "' is on several devices (";
  for (size_t i = 0; i < devices.size(); ++i) {
    text += (i == 0 ? "'" : ", '") + placement.devices[static_cast<size_t>(devices[i])] + "'";
  }
  return text + ")";
}

}  // namespace

Status CheckFrames(const Graph& graph, const ValidatedCall& valid, const Layout& layout,
                   const Placement& placement) {
  for (size_t i = 0; i < layout.participants.size(); ++i) {
    if (layout.participants[i].size() < 2) continue;
    const int frame = static_cast<int>(i);
    const std::string what = Describe(valid.frames, frame, layout.participants[i], placement);
    const NodeId loop_cond = layout.loop_cond[i];
    if (loop_cond == NodeId::kNone) {
      const std::string& enter = graph.node(valid.frames.frames[i].enters.front()).name;
      return InvalidArgument(what +
                             " and has no LoopCond that could tell them how often it runs: "
                             "lead the predicate of its Switches through a LoopCond, or "
                             "place all of its nodes on one device")
          .WithNode(enter)
          .WithRule("partition.3");
    }
    const NodeId endless = FindEndlessVariable(graph, valid, frame, loop_cond);
    if (endless == NodeId::kNone) continue;
    return InvalidArgument(what + " and ends with its LoopCond '" + graph.node(loop_cond).name +
                           "', but NextIteration '" + graph.node(endless).name +
                           "' may go on: lead its value through output 1 of a Switch on that "
                           "LoopCond, or place all nodes of the frame on one device")
        .WithNode(graph.node(endless).name)
        .WithRule("partition.3");
  }
  return Status();
}

void ControlLoops::Choose(const Graph& graph, const FeedSet& fed, const PartitionOptions& options) {
  devices_of_ = layout_.participants;
  for (Devices& devices : devices_of_) {
    if (devices.size() < 2) devices.clear();
  }
  if (options.fault == PartitionFault::kLoopsOnlyWhereReceived) KeepReceiving(graph, fed);
}

// Keeps those frames of a device in which it receives something other than the predicate, and the
// frames around them.
void ControlLoops::KeepReceiving(const Graph& graph, const FeedSet& fed) {
  std::vector<Devices> receiving(devices_of_.size());
  auto note = [&](NodeId from, int device) {
    int frame = tree_.output_frame_of[Index(from)];
    if (frame <= FrameTree::kRoot || Contains(layout_.devices_of[Index(from)], device)) return;
    for (; frame != FrameTree::kRoot; frame = tree_.frames[static_cast<size_t>(frame)].parent) {
      Insert(receiving[static_cast<size_t>(frame)], device);
    }
  };
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    for (const int device : layout_.devices_of[Index(id)]) {
      for (const OutputRef& input : node.inputs) {
        if (!fed.Contains(input)) note(input.node, device);
      }
      for (const NodeId control : node.control_inputs) note(control, device);
    }
  }
  for (size_t frame = 0; frame < devices_of_.size(); ++frame) {
    std::erase_if(devices_of_[frame],
                  [&](int device) { return !Contains(receiving[frame], device); });
  }
}

void ControlLoops::Add(const Graph& graph, Parts& parts) {
  for (size_t frame = 0; frame < devices_of_.size(); ++frame) {
    for (const int device : devices_of_[frame]) {
      loops_.push_back(AddLoop(graph, parts, static_cast<int>(frame), device));
    }
  }
}

ControlLoop ControlLoops::AddLoop(const Graph& graph, Parts& parts, int frame, int device) {
  const StaticFrame& about = tree_.frames[static_cast<size_t>(frame)];
  const std::string prefix =
      graph.node(layout_.loop_cond[static_cast<size_t>(frame)]).name + "/_loop";
  const OutputRef start = StartOf(parts, about.parent, device);
  Graph& part = parts.graph(device);
  auto add = [&](const std::string& word, std::string_view op, std::vector<OutputRef> inputs) {
    const NodeId id = parts.Add(device, prefix + "_" + word, op);
    part.SetAttr(id, "T", DType::kBool);
    part.mutable_node(id).inputs = std::move(inputs);
    return id;
  };
  const NodeId enter = add("enter", "Enter", {start});
  part.SetAttr(enter, "frame_name", about.name);
  part.SetAttr(enter, "parallel_iterations", about.parallel_iterations);
  const NodeId merge = add("merge", "Merge", {{enter, 0}});
  part.SetAttr(merge, "N", 2);
  const NodeId loop_switch = add("switch", "Switch", {{merge, 0}});
  const NodeId next = add("next", "NextIteration", {{loop_switch, 1}});
  part.mutable_node(merge).inputs.push_back({next, 0});
  return {frame, device, merge, loop_switch, next};
}

// What is there once for each instance of a frame inside `parent`.
OutputRef ControlLoops::StartOf(Parts& parts, int parent, int device) {
  if (parent != FrameTree::kRoot) return {Find(parent, device)->merge, 0};
  NodeId& start = starts_[static_cast<size_t>(device)];
  if (start == NodeId::kNone) {
    start = parts.Add(device, "control_loops/_start", "Const");
    parts.graph(device).SetAttr(start, "dtype", DType::kBool);
    parts.graph(device).SetAttr(start, "value", Tensor::Scalar<bool>(true));
  }
  return {start, 0};
}

const ControlLoop* ControlLoops::Find(int frame, int device) const {
  const std::pair<int, int> wanted(frame, device);
  auto place = [](const ControlLoop& loop) { return std::pair(loop.frame, loop.device); };
  const auto at = std::ranges::lower_bound(loops_, wanted, {}, place);
  return at != loops_.end() && place(*at) == wanted ? &*at : nullptr;
}

}  // namespace tagflow
