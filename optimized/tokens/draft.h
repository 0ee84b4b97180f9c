#ifndef TAGFLOW_OPTIMIZED_TOKENS_DRAFT_H_
#define TAGFLOW_OPTIMIZED_TOKENS_DRAFT_H_

// A plan in the making: its arrays still grow, so what lies in them is named by index. Seal turns
// the indices into the pointers of PlanNode and PortEdges, once, when all is there.
//
//   DraftNodes     frames; nodes by number, with their roles, kernels and keys
//   DraftValues    slots, args, and how often each slot is read
//   DraftEdges     what each node waits for, and where its tokens go
//   shortcuts.h, kept_inputs.h, dead_classes.h    what the above shows
//
// Each function says what it reads of those before it.   Tested by plan_test.cc.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/executable.h"
#include "optimized/tokens/plan.h"

namespace tagflow::optimized::tokens {

// What an output, fed or not, is looked up by.
class FeedIndex {
 public:
  FeedIndex(const Graph& graph, const std::vector<OutputRef>& feeds);
  // The feed's index.
  std::optional<uint32_t> Find(OutputRef output) const;
  // A fed placeholder is its feed: no node of the plan ([feed.2]).
  std::optional<uint32_t> FindPlaceholder(const Node& node) const;

 private:
  std::vector<bool> is_fed_;
  std::vector<std::pair<OutputRef, uint32_t>> sorted_;
};

// Of edges in TokenPlan::edges.
struct EdgeRange {
  uint32_t first = 0, end = 0;
};

// Where the parts of a node begin in the plan's arrays.
struct DraftNode {
  uint32_t first_arg = 0;
  uint32_t first_output = 0;
  EdgeRange edges;
};

struct DraftPort {
  EdgeRange live, dead;
};

struct PlanDraft {
  explicit PlanDraft(const ExecutableSpec& call_spec)
      : spec(call_spec), graph(call_spec.graph), fed(call_spec.graph, call_spec.call.feeds) {
    plan.graph = &graph;
    plan.call = call_spec.call;
  }

  const FrameTree& tree() const { return spec.valid.frames; }
  FramePlan& frame(int i) { return plan.frames[static_cast<size_t>(i)]; }
  const FramePlan& frame(int i) const { return plan.frames[static_cast<size_t>(i)]; }
  uint32_t num_nodes() const { return static_cast<uint32_t>(plan.nodes.size()); }
  // The number of a node; none of one that is not needed, a feed or unreached.
  std::optional<uint32_t> NumberOf(NodeId id) const {
    const int32_t number = plan.index[Index(id)];
    return number < 0 ? std::nullopt : std::optional(static_cast<uint32_t>(number));
  }
  uint32_t PlaceOf(uint32_t node) const { return node - frame(plan.infos[node].frame).first_node; }
  // The static frame where the tokens of a node of the graph go.
  int OutputFrame(uint32_t node) const {
    return tree().output_frame_of[Index(plan.infos[node].node->id)];
  }
  bool IsConstantEnter(uint32_t node) const {
    return plan.nodes[node].role == Role::kEnter &&
           plan.enters[plan.nodes[node].detail].is_constant;
  }
  // Whether its outputs may differ in deadness.
  bool HasPorts(uint32_t node) const {
    return plan.nodes[node].role == Role::kSwitch || plan.nodes[node].role == Role::kRecv;
  }
  uint32_t FirstPort(uint32_t node) const {
    const uint32_t detail = plan.nodes[node].detail;
    return plan.nodes[node].role == Role::kRecv ? plan.transfers[detail].first_port : detail;
  }
  std::span<Edge> edges(uint32_t node) {
    const EdgeRange range = nodes[node].edges;
    return std::span(plan.edges).subspan(range.first, range.end - range.first);
  }

  const ExecutableSpec& spec;
  const Graph& graph;
  const FeedIndex fed;
  TokenPlan plan;                           // but for its pointers
  std::vector<DraftNode> nodes;             // by node
  std::vector<std::vector<uint32_t>> uses;  // by static frame: of slots that several read
  std::vector<DraftPort> ports;             // as in TokenPlan::ports
};

uint32_t NumInputs(const Node& node);  // data and control
// Where a Merge's input comes from, and how many of them there are in an iteration.
Source SourceOf(const PlanDraft& draft, OutputRef input);
int64_t PresentInputs(const PlanDraft& draft, const Node& merge, bool first_iteration);
// Whether a Merge waits for one NextIteration alone in later iterations.
bool IsLoopHead(const PlanDraft& draft, const Node& merge);

// Errors: as MakeTokenPlan
Status DraftNodes(PlanDraft& draft);
void DraftValues(PlanDraft& draft);
void DraftEdges(PlanDraft& draft);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_DRAFT_H_
