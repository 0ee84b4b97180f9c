// The third part of a draft: what nodes wait for, and where their tokens go. Reads the numbers of
// nodes and Merges, and the uses of slots, whose counters lie behind the words.

#include <algorithm>

#include "optimized/tokens/draft.h"
#include "optimized/tokens/edge_table.h"

namespace tagflow::optimized::tokens {
namespace {

// What each instance waits for.
void MakeCounts(PlanDraft& draft) {
  TokenPlan& plan = draft.plan;
  for (FramePlan& each : plan.frames) each.counts[0].resize(each.num_words);
  for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
    FramePlan& home = draft.frame(plan.infos[i].frame);
    const uint32_t place = draft.PlaceOf(i);
    if (place >= home.num_words || plan.nodes[i].role == Role::kMerge) continue;
    home.counts[0][place] = Arrivals::Initial(NumInputs(*plan.infos[i].node));
  }
  for (size_t f = 0; f < plan.frames.size(); ++f) {
    FramePlan& home = plan.frames[f];
    home.counts[0].insert(home.counts[0].end(), draft.uses[f].begin(), draft.uses[f].end());
    for (const uint32_t place : home.merge_places) {
      const Node& merge = *plan.infos[home.first_node + place].node;
      for (const bool first : {true, false}) {
        home.merges[first ? 0 : 1].push_back(
            MergeArrivals::Initial(static_cast<uint32_t>(PresentInputs(draft, merge, first)),
                                   static_cast<uint32_t>(merge.control_inputs.size())));
      }
    }
  }
}

void FindSources(PlanDraft& draft) {
  for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
    const NodeInfo& info = draft.plan.infos[i];
    if (NumInputs(*info.node) > 0 || info.frame != FrameTree::kRoot) continue;
    draft.plan.sources.push_back(draft.PlaceOf(i));
  }
}

// Nodes are producers, and after them feeds.
void AddDataEdge(const PlanDraft& draft, OutputRef from, Edge edge, EdgeTable& table) {
  if (const auto feed = draft.fed.Find(from)) {
    table.Add(draft.num_nodes() + *feed, 0, edge);
  } else if (const auto producer = draft.NumberOf(from.node)) {
    table.Add(*producer, static_cast<uint32_t>(from.index), edge);
  }
}
void AddControlEdge(const PlanDraft& draft, NodeId from, Edge edge, EdgeTable& table) {
  if (const auto feed = draft.fed.FindPlaceholder(draft.graph.node(from))) {
    table.Add(draft.num_nodes() + *feed, 0, edge);
  } else if (const auto producer = draft.NumberOf(from)) {
    table.Add(*producer, draft.plan.nodes[*producer].num_outputs, edge);
  }
}

// Those that lead to a node.
void AddEdges(const PlanDraft& draft, uint32_t i, EdgeTable& table) {
  const Node& node = *draft.plan.infos[i].node;
  const bool is_merge = draft.plan.nodes[i].role == Role::kMerge;
  const bool heavy = draft.plan.nodes[i].is_heavy;
  const uint32_t place = draft.PlaceOf(i);
  const bool is_head = is_merge && IsLoopHead(draft, node);
  for (uint32_t k = 0; k < node.inputs.size(); ++k) {
    Edge edge(EdgeKind::kCount, place, 1, heavy);
    if (is_merge) edge = Edge(EdgeKind::kMergeData, place, k);
    if (is_head && SourceOf(draft, node.inputs[k]) == Source::kNextIteration) {
      edge.kind = EdgeKind::kLoopHead;
    }
    AddDataEdge(draft, node.inputs[k], edge, table);
  }
  const Edge edge(is_merge ? EdgeKind::kMergeControl : EdgeKind::kCount, place, 1, heavy);
  for (const NodeId control : node.control_inputs) AddControlEdge(draft, control, edge, table);
}

void LayOutPorts(PlanDraft& draft, uint32_t i, const EdgeTable& table) {
  TokenPlan& plan = draft.plan;
  PlanNode& node = plan.nodes[i];
  const auto first = static_cast<uint32_t>(plan.ports.size());
  (node.role == Role::kRecv ? plan.transfers[node.detail].first_port : node.detail) = first;
  plan.ports.push_back(0);
  for (uint32_t k = 0; k < node.num_outputs; ++k) plan.ports.push_back(table.PortEnd(i, k));
}

void LayOutEdges(PlanDraft& draft) {
  TokenPlan& plan = draft.plan;
  const uint32_t num_nodes = draft.num_nodes();
  EdgeTable table(num_nodes + plan.feeds.size());
  // A fetch looks into the slot as the token arrives: before a consumer that fires on another
  // thread may have taken the value out, or a Merge let go of it as the second of two equal ones.
  for (uint32_t i = 0; i < plan.fetches.size(); ++i) {
    AddDataEdge(draft, plan.call.fetches[i], Edge(EdgeKind::kFetch, 0, i), table);
  }
  for (uint32_t i = 0; i < num_nodes; ++i) AddEdges(draft, i, table);
  table.Lay(
      [&](uint32_t place, uint32_t producer) {
        const int into = producer >= num_nodes ? FrameTree::kRoot : draft.OutputFrame(producer);
        return NumInputs(*plan.infos[draft.frame(into).first_node + place].node);
      },
      [&](uint32_t producer) { return producer < num_nodes && draft.HasPorts(producer); });
  for (uint32_t i = 0; i < num_nodes; ++i) {
    draft.nodes[i].edges = {table.begin(i), table.end(i)};
    plan.most_edges = std::max(plan.most_edges, table.end(i) - table.begin(i));
    if (draft.HasPorts(i)) LayOutPorts(draft, i, table);
  }
  for (uint32_t i = 0; i < plan.feeds.size(); ++i) {
    plan.feeds[i].first_edge = table.begin(num_nodes + i);
    plan.feeds[i].end_edge = table.end(num_nodes + i);
  }
  plan.edges = table.TakeEdges();
}

}  // namespace

void DraftEdges(PlanDraft& draft) {
  MakeCounts(draft);
  FindSources(draft);
  LayOutEdges(draft);
}

}  // namespace tagflow::optimized::tokens
