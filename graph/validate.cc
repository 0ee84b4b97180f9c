#include "graph/validate.h"

#include <string>

#include "graph/control_ops.h"
#include "graph/cycles.h"
#include "graph/exit_of.h"
#include "graph/feed_set.h"
#include "graph/validate_node.h"

namespace tagflow {
namespace {

Status CheckFetch(const Graph& graph, const FrameTree& frames, OutputRef fetch) {
  const int frame = frames.OutputFrame(graph.node(fetch.node));
  if (frame <= FrameTree::kRoot) return Status();
  std::string message = "fetch '" + OutputName(graph, fetch) + "' is a tensor of frame '" +
                        frames.Path(frame) + "', which has a value in every iteration: ";
  int depth = 0;
  for (int f = frame; f > FrameTree::kRoot; f = frames.frames[static_cast<size_t>(f)].parent) {
    ++depth;
  }
  const NodeId exit = FindExitOf(graph, fetch.node, depth);
  message += exit != NodeId::kNone ? "fetch the loop's Exit '" + graph.node(exit).name + "' instead"
                                   : "add an Exit behind a Switch of the loop and fetch that";
  return InvalidArgument(std::move(message))
      .WithNode(graph.node(fetch.node).name)
      .WithRule("fetch.2");
}

Status CheckFetches(const Graph& graph, const CallSpec& call, const FrameTree& frames) {
  const FeedSet fed(graph, call.feeds);
  for (const OutputRef& fetch : call.fetches) {
    if (!fed.Contains(fetch)) TAGFLOW_RETURN_IF_ERROR(CheckFetch(graph, frames, fetch));
  }
  return Status();
}

}  // namespace

Result<ValidatedCall> ValidateCall(const Graph& graph, const CallSpec& call) {
  ValidatedCall valid;
  valid.needed = NeededNodes(graph, call);
  const FeedSet fed(graph, call.feeds);
  NodeChecker checker(graph);
  for (NodeId id : graph.NodeIds()) {
    if (valid.needed[Index(id)]) TAGFLOW_RETURN_IF_ERROR(checker.Check(graph.node(id), fed));
  }
  const std::vector<NodeId> cycle = FindIllegalCycle(graph, valid.needed, call);
  if (!cycle.empty()) return IllegalCycle(graph, cycle);
  TAGFLOW_ASSIGN_OR_RETURN(valid.frames, AssignFrames(graph, valid.needed, call));
  TAGFLOW_RETURN_IF_ERROR(CheckFetches(graph, call, valid.frames));
  return valid;
}

}  // namespace tagflow
