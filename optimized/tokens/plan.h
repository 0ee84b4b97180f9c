#ifndef TAGFLOW_OPTIMIZED_TOKENS_PLAN_H_
#define TAGFLOW_OPTIMIZED_TOKENS_PLAN_H_

// A call of a graph laid out for the token executor. Immutable.
//
//   Nodes are numbered by static frame; within its frame a node has a *place*. Every iteration of
//   a frame is one block of memory: a word per place for what has arrived there (rules.h), and a
//   *slot* per value. A value lies where its consumers run: an Enter's in the child frame, an
//   Exit's in the parent. An output is stored once, however many consumers read it; a slot with
//   several has a counter of uses to come, so that the last one may take the value.
//
//   What arrives at nodes with one input needs no counting: those with several come first in their
//   frame, and an iteration has words for them alone. The root has words for all, which tell after
//   the step what was dead.
//
//   Edges are one array; a node's lie together, its outputs' and its control edges'. Several edges
//   from one node to another are one edge of that weight, but for nodes whose outputs may differ in
//   deadness (Switch, Recv): theirs are in order of output, the control edges last.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/executable.h"
#include "optimized/kernel.h"
#include "optimized/limits.h"
#include "optimized/tokens/rules.h"

namespace tagflow::optimized::tokens {

// How the token machine treats a node; the Ref forms are as the plain ones. What computes something
// from its live inputs is a kernel.
enum class Role : uint8_t {
  kKernel,
  kPass,      // Identity
  kLoopCond,  // the same, of a predicate
  kTrigger,
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kSend,
  kRecv,
  kAsync,      // a kernel that completes by itself, or runs on a device of its own
  kDeadClass,  // no node of the graph: nodes that die as a whole (dead_classes.h)
};
Role RoleOf(const Node& node);

enum class EdgeKind : uint8_t {
  // All that the target waits for; if it is an Exit (`detail` its ordinal) or a NextIteration, it
  // need not fire when that is dead.
  kOnly,
  kExit,
  kNext,
  kCount,         // `detail` of its inputs
  kLoopHead,      // from a NextIteration: the one input of a Merge in later iterations, `detail`
  kMergeData,     // data input `detail` of a Merge
  kMergeControl,  // `detail` control inputs of a Merge
  kFetch,         // fetch `detail` of the call; no target
  kDeadClass,     // tells a class of one of its entries
};

struct Edge {
  static constexpr uint32_t kMaxDetail = kMaxTokenInputs;

  Edge() = default;
  Edge(EdgeKind edge_kind, uint32_t place, uint32_t edge_detail, bool heavy = false)
      : target(place), kind(edge_kind), is_heavy(heavy), detail(edge_detail & kMaxDetail) {}

  uint32_t target = 0;  // place, in the frame where the token goes
  EdgeKind kind = EdgeKind::kOnly;
  uint32_t is_heavy : 1 = 0;  // the target is worth a hand-over to another thread
  uint32_t detail : 23 = 0;
};
static_assert(sizeof(Edge) == 8);

// What a firing looks at: one cache line.
struct alignas(64) PlanNode {
  BoundKernel::Function function = nullptr;  // of a kernel
  const void* state = nullptr;
  const Arg* args = nullptr;          // one per data input; is_last where it has no counter
  const uint32_t* outputs = nullptr;  // slots, in the frame of the outputs
  const Edge* edges = nullptr;
  uint32_t num_edges = 0;
  uint32_t num_inputs = 0;
  uint32_t num_outputs = 0;
  uint32_t detail = 0;  // by role: index into ports, enters, transfers; ordinal in its frame of a
                        // Merge or Exit; of a NextIteration, the Merge that it becomes (kNoPlace);
                        // of a class, its word
  Role role = Role::kKernel;
  bool is_heavy = false;
  bool is_target = false;         // whether it fires is recorded
  bool reads_references = false;  // an input comes as a reference
  bool has_unused_output = false;
  bool keeps_live_input = false;  // of a Merge (kept_inputs.h)
  bool is_plain = false;          // a kernel with none of the above but being heavy

  static constexpr uint32_t kNoPlace = ~0u;
  const Edge* edges_end() const { return edges + num_edges; }
};
static_assert(sizeof(PlanNode) == 64);

// An input that comes as a reference to a variable.
struct ReferenceInput {
  uint32_t input = 0;
  uint32_t token_slot = 0;       // where the reference is; the arg's own slot if it is passed on
  uint32_t use = 0;              // its counter, as in TokenPlan::arg_uses
  bool is_passed_on = false;     // the op takes a reference
  bool allows_no_value = false;  // and one to an uninitialized variable
};

struct NodeInfo {
  static constexpr uint32_t kNoClass = ~0u;

  const Node* node = nullptr;  // of a class, one of its nodes
  Signature signature;
  BoundKernel kernel;
  int frame = FrameTree::kRoot;
  uint32_t target = 0;  // of a target: its index in TokenPlan::targets
  std::vector<ReferenceInput> references;
  std::vector<uint32_t> unused_outputs;     // of kernels
  std::unique_ptr<DeviceKernel> on_device;  // of a kernel on a device that is not the host's
  uint32_t dead_class = kNoClass;           // its node
  bool index_is_taken = false;              // of a Merge that two live inputs may reach
};

struct EnterPlan {
  int frame = 0;       // that it leads into
  uint32_t child = 0;  // which of the children of the frame it is in
  bool is_constant = false;
};

struct TransferPlan {
  std::string sender, receiver, tensor;  // devices and name: the key but for the tag
  // These three and the names of the frames around, as a number: the key but for the iterations.
  uint32_t channel = 0;
  bool is_contested = false;  // some other Send, or Recv, has the same channel
  uint32_t first_port = 0;    // of a Recv, as of a Switch
  // Of a Recv: whether it or its Send is on a device with a memory of its own, and the two devices.
  // The names in the key may be any.
  bool crosses_memory = false;
  int from = 0;
  int to = 0;
};

struct FramePlan {
  std::string name;
  int parent = -1;
  int64_t parallel_iterations = 1;
  int32_t num_enters = 0;
  uint32_t first_node = 0;  // of its nodes in TokenPlan::nodes
  uint32_t num_nodes = 0;
  uint32_t num_slots = 0;
  uint32_t num_children = 0;  // static frames whose parent it is
  // Words by place, of the first nodes; behind them the uses of slots with more than one; and then
  // the words of classes. As an iteration begins: before its constants came, and with them.
  uint32_t num_words = 0;
  uint32_t first_class_word = 0;
  std::vector<uint32_t> classes;  // nodes; their words are in this order
  std::vector<uint32_t> counts[2];
  std::vector<uint64_t> merges[2];  // by ordinal: in iteration 0; in later ones
  uint32_t num_later_merges = 0;    // the first of them; the rest are heads of the loop
  std::vector<uint32_t> merge_places;
  std::vector<uint32_t> kept_slots;  // by ordinal, of Merges that keep an input; may be shorter
  std::vector<uint32_t> exits;       // places, by ordinal
  // Of constant Enters, whose values stay in their slots while the frame lives.
  uint32_t num_constants = 0;
  bool has_simple_constants = false;  // the two below hold
  std::vector<uint32_t> constant_slots;
  std::vector<Edge> due_by_constants;  // to what waits for nothing else, in each iteration
  std::vector<uint32_t> unread_slots;  // that nobody reads; kernels' apart

  uint32_t initial_word(size_t place) const { return counts[0][place]; }
};

struct FeedPlan {
  uint32_t slot = 0;
  uint32_t first_edge = 0, end_edge = 0;
};

struct FetchPlan {
  uint32_t slot = 0;
  bool is_reference = false;
};

struct TargetPlan {
  NodeId node = NodeId::kNone;
  int frame = FrameTree::kRoot;  // kUnreached: it never fires
};

// What an output of a Switch or Recv sends, live and dead.
struct PortEdges {
  const Edge* live = nullptr;
  const Edge* live_end = nullptr;
  const Edge* dead = nullptr;
  const Edge* dead_end = nullptr;
};

struct TokenPlan {
  static constexpr uint32_t kSingleUse = ~0u;
  static constexpr uint32_t kKept = ~0u - 1;  // of a constant: nobody takes it

  const Graph* graph = nullptr;
  CallSpec call;
  std::vector<FramePlan> frames;  // parents before children; the root first
  std::vector<PlanNode> nodes;    // of the frames, one after the other; and then the classes
  std::vector<NodeInfo> infos;    // by node
  std::vector<Arg> args;
  std::vector<uint32_t> arg_uses;  // by arg: the counter of its slot, kSingleUse or kKept
  std::vector<uint32_t> outputs;
  std::vector<Edge> edges;
  uint32_t most_edges = 0;  // of a node
  bool has_async = false;
  bool has_heavy = false;  // a kernel that is worth a hand-over to another thread
  // Where the edges of each output begin among the node's, and last its control edges; of Switch
  // and Recv.
  std::vector<uint32_t> ports;
  std::vector<PortEdges> port_edges;  // by index in `ports`
  std::vector<EnterPlan> enters;
  std::vector<TransferPlan> transfers;
  std::vector<FeedPlan> feeds;      // by feed of the call
  std::vector<FetchPlan> fetches;   // by fetch
  std::vector<TargetPlan> targets;  // those that are nodes here
  std::vector<uint32_t> sources;    // places in the root of the nodes without inputs
  std::vector<int32_t> index;       // of a node by its id; -1: none here

  const NodeInfo& info(const PlanNode& node) const {
    return infos[static_cast<size_t>(&node - nodes.data())];
  }
  const uint32_t* uses_of(const PlanNode& node) const {
    return arg_uses.data() + (node.args - args.data());
  }
};

// Errors: UNIMPLEMENTED naming the nodes whose ops have no kernel and that no Switch can kill;
// INVALID_ARGUMENT naming placeholders that must be fed. Another node without a kernel, or with one
// that cannot be bound (a dtype without kernel, a bad attr), fails when it fires, as in the
// reference: in a branch not taken it does no harm.                              Spec: [graph.1]
Result<TokenPlan> MakeTokenPlan(const ExecutableSpec& spec);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_PLAN_H_
