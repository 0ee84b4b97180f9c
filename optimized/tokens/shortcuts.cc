#include "optimized/tokens/shortcuts.h"

#include <algorithm>

namespace tagflow::optimized::tokens {
namespace {

const PlanNode& Target(const PlanDraft& draft, int frame, const Edge& edge) {
  return draft.plan.nodes[draft.frame(frame).first_node + edge.target];
}

void MarkDeadSinks(PlanDraft& draft, uint32_t i) {
  for (Edge& edge : draft.edges(i)) {
    if (edge.kind != EdgeKind::kOnly) continue;
    const PlanNode& target = Target(draft, draft.OutputFrame(i), edge);
    if (target.is_target) continue;
    if (target.role == Role::kNextIteration) edge.kind = EdgeKind::kNext;
    if (target.role == Role::kExit) edge = Edge(EdgeKind::kExit, edge.target, target.detail);
  }
}

// Nobody may see that the Merge fired, or which input it took.
void JoinLoopHead(PlanDraft& draft, uint32_t i) {
  PlanNode& node = draft.plan.nodes[i];
  const std::span<const Edge> edges = draft.edges(i);
  if (node.role != Role::kNextIteration || node.reads_references) return;
  if (edges.size() != 1 || edges[0].kind != EdgeKind::kLoopHead) return;
  const PlanNode& merge = Target(draft, draft.plan.infos[i].frame, edges[0]);
  const std::vector<uint32_t>& unused = draft.plan.info(merge).unused_outputs;
  const bool shows_input = std::find(unused.begin(), unused.end(), 1u) == unused.end();
  if (!shows_input && !merge.is_target && !merge.reads_references) node.detail = edges[0].target;
}

// False when a constant goes to a Merge, which must see it come.
bool CountIn(std::span<const Edge> edges, FramePlan& frame) {
  for (const Edge& edge : edges) {
    switch (edge.kind) {
      case EdgeKind::kOnly:
      case EdgeKind::kExit:
      case EdgeKind::kNext:
        frame.due_by_constants.push_back(edge);
        break;
      case EdgeKind::kCount: {
        uint32_t& word = frame.counts[1][edge.target];
        word -= Arrivals::Step(edge.detail);
        if (!Arrivals::Due(word)) break;
        frame.due_by_constants.emplace_back(EdgeKind::kOnly, edge.target, 1, edge.is_heavy);
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

void CountInConstants(PlanDraft& draft) {
  for (FramePlan& frame : draft.plan.frames) {
    frame.counts[1] = frame.counts[0];
    frame.has_simple_constants = true;
  }
  for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
    if (!draft.IsConstantEnter(i)) continue;
    FramePlan& frame = draft.frame(draft.OutputFrame(i));
    if (!CountIn(draft.edges(i), frame)) frame.has_simple_constants = false;
  }
}

}  // namespace

void FindShortcuts(PlanDraft& draft) {
  for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
    MarkDeadSinks(draft, i);
    JoinLoopHead(draft, i);
  }
  CountInConstants(draft);
}

}  // namespace tagflow::optimized::tokens
