#include "optimized/tokens/shortcuts.h"

#include <algorithm>

namespace tagflow::optimized::tokens {
namespace {

// The static frame where a node's tokens go.
int OutputFrame(const TokenPlan& plan, size_t i) {
  const PlanNode& node = plan.nodes[i];
  if (node.role == Role::kEnter) return plan.enters[node.detail].frame;
  const int home = plan.infos[i].frame;
  return node.role == Role::kExit ? plan.frames[static_cast<size_t>(home)].parent : home;
}

const PlanNode& Target(const TokenPlan& plan, int frame, const Edge& edge) {
  return plan.nodes[plan.frames[static_cast<size_t>(frame)].first_node + edge.target];
}

void MarkDeadSinks(TokenPlan& plan, size_t i) {
  const PlanNode& node = plan.nodes[i];
  const size_t first = static_cast<size_t>(node.edges - plan.edges.data());
  for (size_t e = first; e < first + node.num_edges; ++e) {
    Edge& edge = plan.edges[e];
    if (edge.kind != EdgeKind::kOnly) continue;
    const PlanNode& target = Target(plan, OutputFrame(plan, i), edge);
    if (target.is_target) continue;
    if (target.role == Role::kNextIteration) edge.kind = EdgeKind::kNext;
    if (target.role == Role::kExit) edge = Edge(EdgeKind::kExit, edge.target, target.detail);
  }
}

// Nobody may see that the Merge fired, or which input it took.
void JoinLoopHead(TokenPlan& plan, size_t i) {
  PlanNode& node = plan.nodes[i];
  if (node.role != Role::kNextIteration || node.reads_references) return;
  if (node.num_edges != 1 || node.edges->kind != EdgeKind::kLoopHead) return;
  const PlanNode& merge = Target(plan, plan.infos[i].frame, *node.edges);
  const std::vector<uint32_t>& unused = plan.info(merge).unused_outputs;
  const bool shows_input = std::find(unused.begin(), unused.end(), 1u) == unused.end();
  if (!shows_input && !merge.is_target && !merge.reads_references) node.detail = node.edges->target;
}

// False when a constant goes to a Merge, which must see it come.
bool CountIn(const PlanNode& enter, FramePlan& frame) {
  for (const Edge* edge = enter.edges; edge != enter.edges_end(); ++edge) {
    switch (edge->kind) {
      case EdgeKind::kOnly:
      case EdgeKind::kExit:
      case EdgeKind::kNext:
        frame.due_by_constants.push_back(*edge);
        break;
      case EdgeKind::kCount: {
        uint32_t& word = frame.counts[1][edge->target];
        word -= Arrivals::Step(edge->detail);
        if (!Arrivals::Due(word)) break;
        frame.due_by_constants.emplace_back(EdgeKind::kOnly, edge->target, 1, edge->is_heavy);
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

void CountInConstants(TokenPlan& plan) {
  for (FramePlan& frame : plan.frames) {
    frame.counts[1] = frame.counts[0];
    frame.has_simple_constants = true;
  }
  for (const PlanNode& node : plan.nodes) {
    if (node.role != Role::kEnter || !plan.enters[node.detail].is_constant) continue;
    FramePlan& frame = plan.frames[static_cast<size_t>(plan.enters[node.detail].frame)];
    if (!CountIn(node, frame)) frame.has_simple_constants = false;
  }
}

}  // namespace

void FindShortcuts(TokenPlan& plan) {
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    MarkDeadSinks(plan, i);
    JoinLoopHead(plan, i);
  }
  CountInConstants(plan);
}

}  // namespace tagflow::optimized::tokens
