// The first part of a draft: frames, nodes and what they are.

#include <algorithm>
#include <memory>
#include <string>

#include "graph/call_checks.h"
#include "graph/unknown_ops.h"
#include "optimized/async_kernel.h"
#include "optimized/devices/devices.h"
#include "optimized/tokens/channels.h"
#include "optimized/tokens/draft.h"

namespace tagflow::optimized::tokens {
namespace {

// What a frame is called in tags.
const std::string& NameOf(const ExecutableSpec& spec, const StaticFrame& frame) {
  if (spec.frame_names == nullptr) return frame.name;
  const auto found = spec.frame_names->find(frame.name);
  return found == spec.frame_names->end() ? frame.name : found->second;
}

// By static frame: its ordinal among its parent's children.
std::vector<uint32_t> LayOutFrames(PlanDraft& draft) {
  const std::vector<StaticFrame>& sources = draft.tree().frames;
  std::vector<uint32_t> ordinals(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const StaticFrame& source = sources[i];
    FramePlan& made = draft.plan.frames.emplace_back();
    made.name = NameOf(draft.spec, source);
    made.parent = source.parent;
    made.parallel_iterations = source.parallel_iterations;
    made.num_enters = static_cast<int32_t>(source.enters.size());
    if (i > 0) ordinals[i] = draft.frame(source.parent).num_children++;
  }
  return ordinals;
}

// Several tokens must come before it fires, and it is no Merge, which counts in its own way.
bool IsCounted(const Node& node) { return NumInputs(node) > 1 && RoleOf(node) != Role::kMerge; }

// By static frame, in each those that wait for several inputs first.
//   returns: those that are needed, numbered or not, in order
std::vector<NodeId> NumberNodes(PlanDraft& draft) {
  TokenPlan& plan = draft.plan;
  plan.index.assign(draft.graph.id_limit(), -1);
  std::vector<NodeId> needed;
  std::vector<std::vector<NodeId>> members(plan.frames.size());
  for (const NodeId id : draft.graph.NodeIds()) {
    const bool is_feed = draft.fed.FindPlaceholder(draft.graph.node(id)).has_value();
    if (!draft.spec.valid.needed[Index(id)] || is_feed) continue;
    needed.push_back(id);
    const int where = draft.tree().frame_of[Index(id)];
    if (where != FrameTree::kUnreached) members[static_cast<size_t>(where)].push_back(id);
  }
  uint32_t next = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    const auto counted_end =
        std::stable_partition(members[i].begin(), members[i].end(),
                              [&](NodeId id) { return IsCounted(draft.graph.node(id)); });
    FramePlan& made = plan.frames[i];
    made.first_node = next;
    made.num_nodes = static_cast<uint32_t>(members[i].size());
    made.num_words =
        i == 0 ? made.num_nodes : static_cast<uint32_t>(counted_end - members[i].begin());
    for (const NodeId id : members[i]) plan.index[Index(id)] = static_cast<int32_t>(next++);
  }
  plan.nodes.resize(next);
  plan.infos.resize(next);
  draft.nodes.resize(next);
  return needed;
}

Status CheckInputs(const Node& node) {
  if (NumInputs(node) <= Edge::kMaxDetail) return Status();
  return ResourceExhausted("node '" + node.name + "' has " + std::to_string(NumInputs(node)) +
                           " inputs, data and control, and the engine takes at most " +
                           std::to_string(Edge::kMaxDetail))
      .WithNode(node.name);
}

bool WantsKernel(const Node& node) {
  const bool is_unfed = IsPlaceholderOp(node) && node.op != "PlaceholderWithDefault";
  return RoleOf(node) == Role::kKernel && !is_unfed;
}

int DeviceOf(const PlanDraft& draft, const Node& node) {
  return draft.spec.devices == nullptr ? -1 : draft.spec.devices->Find(node.device);
}

// found: nothing where the op has no kernel, and the node fails if it fires
void Bind(PlanDraft& draft, uint32_t i, const Devices::Found& found) {
  const KernelEntry* const kernel = found.entry;
  NodeInfo& info = draft.plan.infos[i];
  PlanNode& node = draft.plan.nodes[i];
  Result<BoundKernel> bound =
      kernel == nullptr ? CannotRun(*info.node, "CPU")
                        : kernel->bind(Binding{*info.node, info.signature, &draft.spec.graph});
  if (!bound.ok()) {
    bound = BoundKernel([error = bound.status()](KernelContext&) { return error; });
  }
  info.kernel = *std::move(bound);
  if (kernel == nullptr) return;
  if (IsAsync(*kernel)) node.role = Role::kAsync;
  node.is_heavy = kernel->cost == Cost::kHeavy;
  draft.plan.has_heavy |= node.is_heavy;
  const int device = DeviceOf(draft, *info.node);
  if (device >= 0 && !draft.spec.devices->IsHost(device)) {
    info.on_device = std::make_unique<DeviceKernel>(
        MakeDeviceKernel(device, *info.node, info.signature, *kernel, info.kernel, found.is_own));
    node.role = Role::kAsync;
    node.is_heavy = false;  // to start it is not
  }
  draft.plan.has_async |= node.role == Role::kAsync;
}

Status DescribeTransfer(PlanDraft& draft, uint32_t i) {
  const Node& node = *draft.plan.infos[i].node;
  TransferPlan transfer;
  TAGFLOW_ASSIGN_OR_RETURN(transfer.sender, StringAttr(node, "send_device"));
  TAGFLOW_ASSIGN_OR_RETURN(transfer.receiver, StringAttr(node, "recv_device"));
  TAGFLOW_ASSIGN_OR_RETURN(transfer.tensor, StringAttr(node, "tensor_name"));
  transfer.from = transfer.to = DeviceOf(draft, node);
  draft.plan.nodes[i].detail = static_cast<uint32_t>(draft.plan.transfers.size());
  draft.plan.transfers.push_back(std::move(transfer));
  return Status();
}

Status DescribeRole(PlanDraft& draft, uint32_t i, const std::vector<uint32_t>& ordinals) {
  const NodeInfo& info = draft.plan.infos[i];
  PlanNode& made = draft.plan.nodes[i];
  FramePlan& home = draft.frame(info.frame);
  switch (made.role) {
    case Role::kEnter: {
      TAGFLOW_ASSIGN_OR_RETURN(const bool is_constant, BoolAttr(*info.node, "is_constant"));
      const int into = draft.OutputFrame(i);
      made.detail = static_cast<uint32_t>(draft.plan.enters.size());
      draft.plan.enters.push_back({into, ordinals[static_cast<size_t>(into)], is_constant});
      return Status();
    }
    case Role::kExit:
      made.detail = static_cast<uint32_t>(home.exits.size());
      home.exits.push_back(draft.PlaceOf(i));
      return Status();
    case Role::kNextIteration:
      made.detail = PlanNode::kNoPlace;
      return Status();
    case Role::kSend:
    case Role::kRecv:
      return DescribeTransfer(draft, i);
    default:
      return Status();
  }
}

// needed: in order; those without a number are looked at, too, since what is wrong with one of them
// is an error of the call
Status DescribeNodes(PlanDraft& draft, const std::vector<NodeId>& needed,
                     const std::vector<uint32_t>& ordinals) {
  std::vector<NodeId> cannot_run;
  for (const NodeId id : needed) {
    const Node& node = draft.graph.node(id);
    TAGFLOW_ASSIGN_OR_RETURN(Signature signature, ResolveSignature(node));
    TAGFLOW_RETURN_IF_ERROR(CheckInputs(node));
    const bool wants_kernel = WantsKernel(node);
    const Devices::Found kernel =
        wants_kernel ? FindKernel(draft.spec.devices, node, draft.spec.kernels) : Devices::Found();
    if (wants_kernel && kernel.entry == nullptr) cannot_run.push_back(id);
    const std::optional<uint32_t> i = draft.NumberOf(id);
    if (!i) continue;
    NodeInfo& info = draft.plan.infos[*i];
    info.node = &node;
    info.signature = std::move(signature);
    info.frame = draft.tree().frame_of[Index(id)];
    draft.plan.nodes[*i].role = RoleOf(node);
    draft.plan.nodes[*i].num_inputs = static_cast<uint32_t>(node.inputs.size());
    draft.plan.nodes[*i].num_outputs = static_cast<uint32_t>(info.signature.outputs.size());
    if (wants_kernel) Bind(draft, *i, kernel);
    TAGFLOW_RETURN_IF_ERROR(DescribeRole(draft, *i, ordinals));
  }
  return RefuseWhatMustRun(draft.graph, draft.spec.call, draft.spec.valid, cannot_run, "CPU");
}

// The heads of a loop, which wait for one token in later iterations, come last: only in iteration 0
// is there anything to count.
void NumberMerges(PlanDraft& draft) {
  for (const bool heads : {false, true}) {
    for (uint32_t i = 0; i < draft.num_nodes(); ++i) {
      if (draft.plan.nodes[i].role != Role::kMerge) continue;
      if (IsLoopHead(draft, *draft.plan.infos[i].node) != heads) continue;
      FramePlan& home = draft.frame(draft.plan.infos[i].frame);
      draft.plan.nodes[i].detail = static_cast<uint32_t>(home.merge_places.size());
      home.merge_places.push_back(draft.PlaceOf(i));
      if (!heads) ++home.num_later_merges;
    }
  }
}

void MarkTargets(PlanDraft& draft) {
  TokenPlan& plan = draft.plan;
  for (const NodeId id : plan.call.targets) {
    if (draft.fed.FindPlaceholder(draft.graph.node(id))) continue;
    const std::optional<uint32_t> i = draft.NumberOf(id);
    if (i && plan.nodes[*i].is_target) continue;  // named twice
    if (i) {
      plan.nodes[*i].is_target = true;
      plan.infos[*i].target = static_cast<uint32_t>(plan.targets.size());
    }
    plan.targets.push_back({id, draft.tree().frame_of[Index(id)]});
  }
}

}  // namespace

Status DraftNodes(PlanDraft& draft) {
  const std::vector<uint32_t> ordinals = LayOutFrames(draft);
  const std::vector<NodeId> needed = NumberNodes(draft);
  TAGFLOW_RETURN_IF_ERROR(DescribeNodes(draft, needed, ordinals));
  NumberChannels(draft.plan);
  if (draft.spec.devices != nullptr) FindCrossings(*draft.spec.devices, draft.plan);
  NumberMerges(draft);
  MarkTargets(draft);
  return Status();
}

}  // namespace tagflow::optimized::tokens
