// The check of a whole graph, whatever a call needs of it.

#include <string>

#include "graph/control_ops.h"
#include "graph/cycles.h"
#include "graph/feed_set.h"
#include "graph/shape_inference.h"
#include "graph/validate.h"
#include "graph/validate_node.h"

namespace tagflow {
namespace {

// Attrs that start with '_' belong to whoever made the graph, for any op.
bool IsForeign(const Node& node, const std::string& attr) {
  return node.def != nullptr && !attr.starts_with('_') && node.def->FindAttr(attr) == nullptr;
}

void NoteAttrs(const Node& node, std::vector<std::string>& notes) {
  for (const auto& [name, value] : node.attrs) {
    if (!IsForeign(node, name)) continue;
    notes.push_back("node '" + node.name + "' has the attr '" + name + "' = " + value.ToString() +
                    ", which its op " + node.op + " does not: it is kept and means nothing");
  }
}

void NoteFrames(const Graph& graph, const FrameTree& tree, std::vector<std::string>& notes) {
  std::vector<bool> has_cond(tree.frames.size());
  std::vector<bool> has_exit(tree.frames.size());
  std::vector<bool> has_next(tree.frames.size());
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const int frame = tree.frame_of[Index(id)];
    if (frame == FrameTree::kUnreached) {
      notes.push_back("node '" + node.name +
                      "' waits for a cycle that no Enter leads into: it never runs");
      continue;
    }
    const ControlOp op = ControlOpOf(node.op);
    if (op == ControlOp::kLoopCond) has_cond[static_cast<size_t>(frame)] = true;
    if (op == ControlOp::kExit) has_exit[static_cast<size_t>(frame)] = true;
    if (op == ControlOp::kNextIteration) has_next[static_cast<size_t>(frame)] = true;
  }
  for (size_t i = 1; i < tree.frames.size(); ++i) {
    const std::string name = "frame '" + tree.Path(static_cast<int>(i)) + "'";
    if (has_next[i] && !has_cond[i]) {
      notes.push_back(name + " iterates without a LoopCond: it cannot be spread over devices");
    }
    if (!has_exit[i]) notes.push_back(name + " has no Exit: nothing of it can be fetched");
  }
}

}  // namespace

std::vector<Status> ValidateGraph(const Graph& graph) {
  std::vector<Status> problems;
  const CallSpec no_call;
  const FeedSet no_feeds(graph, {});
  NodeChecker checker(graph);
  for (NodeId id : graph.NodeIds()) {
    if (Status status = checker.Check(graph.node(id), no_feeds); !status.ok()) {
      problems.push_back(std::move(status));
    }
  }
  const std::vector<bool> all = AllNodes(graph);
  if (const auto cycle = FindIllegalCycle(graph, all, no_call); !cycle.empty()) {
    problems.push_back(IllegalCycle(graph, cycle));
  }
  if (const auto tree = AssignFrames(graph, all, no_call); !tree.ok()) {
    problems.push_back(tree.status());
  }
  if (const auto shapes = InferShapes(graph); !shapes.ok()) problems.push_back(shapes.status());
  return problems;
}

std::vector<std::string> GraphNotes(const Graph& graph) {
  std::vector<std::string> notes;
  for (NodeId id : graph.NodeIds()) NoteAttrs(graph.node(id), notes);
  const Result<FrameTree> tree = AssignFrames(graph, AllNodes(graph), CallSpec());
  if (!tree.ok()) return notes;
  notes.insert(notes.end(), tree->warnings.begin(), tree->warnings.end());
  NoteFrames(graph, *tree, notes);
  return notes;
}

}  // namespace tagflow
