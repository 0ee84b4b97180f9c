// Mutants of frames and iterations.

#include <algorithm>
#include <map>

#include "fuzz/mutants/edit.h"
#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {
namespace {

using reference::FrameState;
using reference::IterationState;

// A control edge between frames counts for nothing.
Status DropControlAcrossFrames(Graph& graph, Call& call, const Past&) {
  Graph data_only = graph.Clone();
  DropControl(data_only, [](const Node&, const Node&) { return true; });
  const Result<FrameTree> frames = FramesOf(data_only, call);
  if (!frames.ok()) return Status();
  DropControl(graph, [&](const Node& from, const Node& to) {
    // A node without data inputs is where its control inputs say.
    return !to.inputs.empty() && frames->frame_of[Index(to.id)] >= 0 &&
           frames->output_frame_of[Index(from.id)] != frames->frame_of[Index(to.id)];
  });
  return Status();
}

// A tensor from an outer frame is captured where it is used: Enter is put in by itself.
void CaptureInputs(Graph& graph, Node& node, const std::vector<OutputRef>& others) {
  for (OutputRef other : others) {
    const Node& entered = graph.node(other.node);
    if (!IsOp(entered, "Enter")) continue;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (node.inputs[slot] == other) continue;
      const NodeId to = node.id;
      const NodeId enter = CopyNode(graph, entered, entered.name + "_more");
      if (enter == NodeId::kNone) return;
      const OutputRef source = graph.node(to).inputs[slot];
      Node& made = graph.mutable_node(enter);
      made.inputs = {source};
      made.control_inputs.clear();
      graph.SetAttr(enter, "is_constant", true);
      if (const Result<Signature> signature = ResolveSignature(graph.node(source.node));
          signature.ok())
        graph.SetAttr(enter, "T", signature->outputs[static_cast<size_t>(source.index)].dtype);
      graph.mutable_node(to).inputs[slot] = OutputRef{enter, 0};
      return;
    }
  }
}

int64_t Parallel(const Node& node) {
  const Result<int64_t> parallel = IntAttr(node, "parallel_iterations");
  return parallel.ok() ? *parallel : 10;
}

// Every Enter of a frame gets the number that `choose` makes of two of them.
Status UniteParallel(Graph& graph, int64_t (*choose)(int64_t first, int64_t other)) {
  std::map<std::string, int64_t> by_frame;
  ForEachNode(graph, [&](Node& node) {
    const Result<std::string> frame = StringAttr(node, "frame_name");
    if (!IsOp(node, "Enter") || !frame.ok()) return;
    auto [at, is_first] = by_frame.try_emplace(*frame, Parallel(node));
    if (!is_first) at->second = choose(at->second, Parallel(node));
  });
  for (NodeId id : graph.NodeIds()) {
    const Result<std::string> frame = StringAttr(graph.node(id), "frame_name");
    if (!IsOp(graph.node(id), "Enter") || !frame.ok() || Parallel(graph.node(id)) < 1) continue;
    graph.SetAttr(id, "parallel_iterations", by_frame[*frame]);
  }
  return Status();
}

Status ParallelAtLeastOne(Graph& graph, Call&, const Past&) {
  for (NodeId id : graph.NodeIds()) {
    if (IsOp(graph.node(id), "Enter") && Parallel(graph.node(id)) < 1)
      graph.SetAttr(id, "parallel_iterations", 1);
  }
  return Status();
}

// All Switches behind header Merges of a frame follow one predicate.
Status OneLoopPerFrame(Graph& graph, Call& call, const Past&) {
  const Result<FrameTree> frames = FramesOf(graph, call);
  if (!frames.ok()) return Status();
  std::map<int, OutputRef> predicate;
  ForEachNode(graph, [&](Node& node) {
    if (!IsOp(node, "Switch") || node.inputs.size() != 2) return;
    const Node& merge = graph.node(node.inputs[0].node);
    const bool is_header =
        IsOp(merge, "Merge") &&
        std::any_of(merge.inputs.begin(), merge.inputs.end(),
                    [&](OutputRef input) { return IsOp(graph.node(input.node), "NextIteration"); });
    const int frame = frames->frame_of[Index(node.id)];
    if (!is_header || frame < 0) return;
    node.inputs[1] = predicate.try_emplace(frame, node.inputs[1]).first->second;
  });
  return Status();
}

// A frame has one LoopCond, whatever it is called.
Status RefuseSecondLoopCond(Graph& graph, Call& call, const Past&) {
  const Result<FrameTree> frames = FramesOf(graph, call);
  if (!frames.ok()) return Status();
  std::map<int, int> conditions;
  for (NodeId id : graph.NodeIds()) {
    const int frame = frames->frame_of[Index(id)];
    if (graph.node(id).op != "LoopCond" || frame < 0) continue;
    if (++conditions[frame] > 1)
      return InvalidArgument("a frame has two LoopConds").WithNode(graph.node(id).name);
  }
  return Status();
}

void AddStatic(std::vector<Mutant>& all) {
  Add(all, "frame.1", "by-its-name", "a frame is its name, whatever iteration it is in")
      .rules.frame_key = [](const std::string&, const std::string& name) { return name; };
  Add(all, "frame.1", "by-its-nearest-parent", "a frame is its name and its parent's iteration")
      .rules.frame_key = [](const std::string& parent, const std::string& name) {
    return parent.substr(parent.rfind('/') + 1) + "/" + name;
  };
  Add(all, "frame.2", "control-may-cross", "a control edge between frames is ignored",
      "a body waited for something outside, and nothing said that it cannot")
      .rewrite = DropControlAcrossFrames;
  Add(all, "frame.2", "captures-itself", "a tensor from outside is captured where it is used")
      .rewrite = [](Graph& graph, Call& call, const Past&) {
    Mend(graph, call, "frame.2", [](Graph& wrong, Node& node) {
      const std::vector<OutputRef> inputs = node.inputs;
      CaptureInputs(wrong, node, inputs);
    });
    return Status();
  };
  Add(all, "frame.3", "a-frame-needs-no-name", "an empty frame_name is a name").rewrite =
      [](Graph& graph, Call&, const Past&) {
        for (NodeId id : graph.NodeIds()) {
          const Result<std::string> frame = StringAttr(graph.node(id), "frame_name");
          if (IsOp(graph.node(id), "Enter") && (!frame.ok() || frame->empty()))
            graph.SetAttr(id, "frame_name", "frame");
        }
        return Status();
      };
  Add(all, "frame.4", "at-the-root-they-pass-on", "Exit and NextIteration at the root do nothing",
      "a NextIteration at the root was taken")
      .rewrite = [](Graph& graph, Call& call, const Past&) {
    Mend(graph, call, "frame.4", [](Graph& wrong, Node& node) { MakeIdentity(node, wrong); });
    return Status();
  };
  Add(all, "frame.5", "zero-is-one", "parallel_iterations below 1 is taken for 1",
      "parallel_iterations 0 and -1 crashed")
      .rewrite = ParallelAtLeastOne;
  Add(all, "frame.5", "the-first-applies", "of differing parallel_iterations the first applies",
      "two numbers of parallel_iterations in a frame: the first Enter to fire decided")
      .rewrite = [](Graph& graph, Call&, const Past&) {
    return UniteParallel(graph, [](int64_t first, int64_t) { return first; });
  };
  Add(all, "frame.5", "the-greatest-applies", "of differing parallel_iterations the greatest does")
      .rewrite = [](Graph& graph, Call&, const Past&) {
    return UniteParallel(graph, [](int64_t a, int64_t b) { return std::max(a, b); });
  };
}

}  // namespace

void AddFrameMutants(std::vector<Mutant>& all) {
  AddStatic(all);
  Add(all, "frame.6", "inner-frames-do-not-count", "an iteration ends though a child frame lives")
      .rules.iteration_ended = [](const IterationState& state) {
    return state.unfinished == 0 && (state.index > 0 || state.enters_missing == 0);
  };
  Add(all, "frame.6", "running-nodes-do-not-count", "an iteration ends though a node is ready")
      .rules.iteration_ended = [](const IterationState& state) {
    return state.live_frames == 0 && (state.index > 0 || state.enters_missing == 0);
  };
  Add(all, "frame.6", "enters-do-not-count", "iteration 0 ends before every Enter has fired",
      "an Enter that came late stalled its frame")
      .rules.iteration_ended = [](const IterationState& state) {
    return state.unfinished == 0 && state.live_frames == 0;
  };
  Add(all, "frame.6", "iterations-do-not-end", "an iteration ends in the root alone")
      .rules.iteration_ended = [](const IterationState&) { return false; };
  Add(all, "frame.7", "ends-with-one-iteration-left", "a frame ends before its last iteration")
      .rules.frame_ended = [](const FrameState& state) {
    return state.enters_missing == 0 && state.live_iterations <= 1;
  };
  Add(all, "frame.7", "ends-with-its-enters", "a frame ends when every Enter has fired")
      .rules.frame_ended = [](const FrameState& state) { return state.enters_missing == 0; };
  Add(all, "frame.7", "never-ends", "a frame lives as long as the step").rules.frame_ended =
      [](const FrameState&) { return false; };
  Add(all, "frame.8", "one-loop-per-frame", "loops that share a frame share their condition")
      .rewrite = OneLoopPerFrame;
  Add(all, "frame.9", "any-number-of-conditions", "a second LoopCond in a frame is let pass")
      .rewrite = [](Graph& graph, Call& call, const Past&) {
    Mend(graph, call, "frame.9", [](Graph& wrong, Node& node) { MakeIdentity(node, wrong); });
    return Status();
  };
  Add(all, "frame.9", "counters-are-no-exception", "a counter's LoopCond is refused too").rewrite =
      RefuseSecondLoopCond;
}

}  // namespace tagflow::fuzz
