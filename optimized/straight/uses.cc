#include "optimized/straight/uses.h"

#include "graph/control_ops.h"

namespace tagflow::optimized {

Uses::Uses(const ExecutableSpec& spec, const FeedSet& fed, const Structure& structure,
           const Values& values)
    : is_used_(values.num_places()),
      is_only_asked_(spec.graph.id_limit()),
      is_awaited_(spec.graph.id_limit()) {
  const auto use = [&](OutputRef output) {
    if (!fed.Contains(output)) is_used_[values.Place(output)] = true;
  };
  for (const NodeId id : structure.order) {
    if (values.kind(id) == NodeKind::kFed) continue;
    const Node& node = spec.graph.node(id);
    const bool is_in_loop = spec.valid.frames.frame_of[Index(id)] != FrameTree::kRoot;
    if (is_in_loop) NoteUsesOfLoopConds(spec.graph, node);
    for (const OutputRef input : node.inputs) use(input);
  }
  for (const OutputRef fetch : spec.call.fetches) use(fetch);
}

void Uses::NoteUsesOfLoopConds(const Graph& graph, const Node& node) {
  if (IsLoopCond(node)) is_only_asked_[Index(node.id)] = true;  // producers come first
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (i != 1 || !IsSwitch(node)) is_only_asked_[Index(node.inputs[i].node)] = false;
  }
  for (const NodeId control : node.control_inputs) {
    is_awaited_[Index(control)] = true;
    is_only_asked_[Index(control)] = false;
    // What waits for a Switch itself is in neither of its branches.
    const Node& awaited = graph.node(control);
    if (IsSwitch(awaited)) is_only_asked_[Index(awaited.inputs[1].node)] = false;
  }
}

}  // namespace tagflow::optimized
