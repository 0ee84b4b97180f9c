#include "optimized/tokens/plan.h"

#include <algorithm>
#include <utility>

#include "graph/call_checks.h"
#include "graph/unknown_ops.h"
#include "optimized/async_kernel.h"
#include "optimized/devices/devices.h"
#include "optimized/tokens/channels.h"
#include "optimized/tokens/dead_classes.h"
#include "optimized/tokens/edge_table.h"
#include "optimized/tokens/kept_inputs.h"
#include "optimized/tokens/shortcuts.h"

namespace tagflow::optimized::tokens {
namespace {

bool IsUnfedPlaceholder(const Node& node) {
  return IsPlaceholderOp(node) && node.op != "PlaceholderWithDefault";
}

// What an output, fed or not, is looked up by.
class FeedIndex {
 public:
  FeedIndex(const Graph& graph, const std::vector<OutputRef>& feeds) : is_fed_(graph.id_limit()) {
    for (uint32_t i = 0; i < feeds.size(); ++i) {
      is_fed_[Index(feeds[i].node)] = true;
      sorted_.emplace_back(feeds[i], i);
    }
    std::sort(sorted_.begin(), sorted_.end());
  }
  // The feed's index; -1 when it is not fed.
  int Find(OutputRef output) const {
    if (!is_fed_[Index(output.node)]) return -1;
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(output, 0u));
    return found == sorted_.end() || found->first != output ? -1 : static_cast<int>(found->second);
  }
  // A fed placeholder is its feed: no node of the plan ([feed.2]).
  int FindPlaceholder(const Node& node) const {
    return IsPlaceholderOp(node) ? Find({node.id, 0}) : -1;
  }

 private:
  std::vector<bool> is_fed_;
  std::vector<std::pair<OutputRef, uint32_t>> sorted_;
};

// What is known of a node while the plan is made; the plan's own arrays still move.
struct Draft {
  uint32_t first_arg = 0;
  uint32_t first_output = 0;
};

class PlanMaker {
 public:
  explicit PlanMaker(const ExecutableSpec& spec)
      : spec_(spec), graph_(spec.graph), fed_(spec.graph, spec.call.feeds) {}

  Result<TokenPlan> Make() {
    plan_.graph = &graph_;
    plan_.call = spec_.call;
    LayOutFrames();
    NumberNodes();
    TAGFLOW_RETURN_IF_ERROR(DescribeNodes());
    NumberChannels(plan_);
    if (spec_.devices != nullptr) FindCrossings(*spec_.devices, plan_);
    NumberMerges();
    TAGFLOW_RETURN_IF_ERROR(CheckPlaceholdersFed(graph_, spec_.call, spec_.valid.needed));
    GiveOutputsSlots();
    for (uint32_t i = 0; i < plan_.nodes.size(); ++i) ConnectInputs(i);
    MarkFetches();
    MarkTargets();
    CountUses();
    MakeCounts();
    LayOutEdges();
    Seal();
    FindShortcuts(plan_);
    FindKeptInputs(spec_, plan_);
    FindDeadClasses(spec_, plan_);
    return std::move(plan_);
  }

 private:
  static constexpr int32_t kAbsent = -1;  // in plan_.index: not needed, a feed or unreached
  const FrameTree& tree() const { return spec_.valid.frames; }
  FramePlan& frame(int i) { return plan_.frames[static_cast<size_t>(i)]; }
  uint32_t PlaceOf(uint32_t node) { return node - frame(plan_.infos[node].frame).first_node; }

  void LayOutFrames() {
    child_.resize(tree().frames.size());
    for (size_t i = 0; i < tree().frames.size(); ++i) {
      const StaticFrame& source = tree().frames[i];
      FramePlan& made = plan_.frames.emplace_back();
      made.name = NameOf(source);
      made.parent = source.parent;
      made.parallel_iterations = source.parallel_iterations;
      made.num_enters = static_cast<int32_t>(source.enters.size());
      if (i > 0) child_[i] = frame(source.parent).num_children++;
    }
    never_.assign(plan_.frames.size(), kNoSlot);
  }

  // What it is called in tags.
  const std::string& NameOf(const StaticFrame& frame) const {
    if (spec_.frame_names == nullptr) return frame.name;
    const auto found = spec_.frame_names->find(frame.name);
    return found == spec_.frame_names->end() ? frame.name : found->second;
  }

  // Several tokens must come before it fires, and it is no Merge, which counts in its own way.
  static bool IsCounted(const Node& node) {
    return InputsOf(node) > 1 && RoleOf(node) != Role::kMerge;
  }

  // By static frame, in each those that wait for several inputs first.
  void NumberNodes() {
    plan_.index.assign(graph_.id_limit(), kAbsent);
    std::vector<std::vector<NodeId>> members(plan_.frames.size());
    for (NodeId id : graph_.NodeIds()) {
      if (!spec_.valid.needed[Index(id)] || fed_.FindPlaceholder(graph_.node(id)) >= 0) continue;
      needed_.push_back(id);
      const int where = tree().frame_of[Index(id)];
      if (where != FrameTree::kUnreached) members[static_cast<size_t>(where)].push_back(id);
    }
    uint32_t next = 0;
    for (size_t i = 0; i < members.size(); ++i) {
      const auto counted_end =
          std::stable_partition(members[i].begin(), members[i].end(),
                                [&](NodeId id) { return IsCounted(graph_.node(id)); });
      FramePlan& made = plan_.frames[i];
      made.first_node = next;
      made.num_nodes = static_cast<uint32_t>(members[i].size());
      made.num_words =
          i == 0 ? made.num_nodes : static_cast<uint32_t>(counted_end - members[i].begin());
      for (NodeId id : members[i]) plan_.index[Index(id)] = static_cast<int32_t>(next++);
    }
    plan_.nodes.resize(next);
    plan_.infos.resize(next);
    drafts_.resize(next);
  }

  Status DescribeNodes() {
    for (NodeId id : needed_) {
      const Node& node = graph_.node(id);
      TAGFLOW_ASSIGN_OR_RETURN(Signature signature, ResolveSignature(node));
      if (InputsOf(node) > Edge::kMaxDetail) {
        return ResourceExhausted("node '" + node.name + "' has " + std::to_string(InputsOf(node)) +
                                 " inputs, data and control, and the engine takes at most " +
                                 std::to_string(Edge::kMaxDetail))
            .WithNode(node.name);
      }
      const Role role = RoleOf(node);
      const bool wants_kernel = role == Role::kKernel && !IsUnfedPlaceholder(node);
      const KernelEntry* const kernel = wants_kernel ? spec_.kernels.Find(node.op) : nullptr;
      if (wants_kernel && kernel == nullptr) cannot_run_.push_back(id);
      if (plan_.index[Index(id)] == kAbsent) continue;
      const auto i = static_cast<uint32_t>(plan_.index[Index(id)]);
      plan_.infos[i].node = &node;
      plan_.infos[i].signature = std::move(signature);
      plan_.infos[i].frame = tree().frame_of[Index(id)];
      plan_.nodes[i].role = role;
      if (kernel != nullptr) Bind(i, *kernel);
      if (wants_kernel && kernel == nullptr) {
        plan_.infos[i].kernel =
            BoundKernel([error = CannotRun(node, "CPU")](KernelContext&) { return error; });
      }
      TAGFLOW_RETURN_IF_ERROR(DescribeRole(i));
    }
    return RefuseWhatMustRun(graph_, spec_.call, spec_.valid, cannot_run_, "CPU");
  }

  void Bind(uint32_t i, const KernelEntry& kernel) {
    if (IsAsync(kernel)) {
      plan_.nodes[i].role = Role::kAsync;
      plan_.has_async = true;
    }
    NodeInfo& info = plan_.infos[i];
    plan_.nodes[i].is_heavy = kernel.cost == Cost::kHeavy;
    plan_.has_heavy |= plan_.nodes[i].is_heavy;
    Result<BoundKernel> bound = kernel.bind(Binding{*info.node, info.signature});
    if (bound.ok()) {
      info.kernel = *std::move(bound);
    } else {
      info.kernel = BoundKernel([error = bound.status()](KernelContext&) { return error; });
    }
    const int device = DeviceOf(info.node->device);
    if (IsOnHost(device)) return;
    info.on_device = std::make_unique<DeviceKernel>(
        Devices::KernelOf(device, *info.node, info.signature, info.kernel));
    plan_.nodes[i].role = Role::kAsync;
    plan_.nodes[i].is_heavy = false;  // to start it is not
    plan_.has_async = true;
  }

  int DeviceOf(const std::string& name) const {
    return spec_.devices == nullptr ? -1 : spec_.devices->Find(name);
  }
  bool IsOnHost(int device) const { return device < 0 || spec_.devices->IsHost(device); }

  Status DescribeRole(uint32_t i) {
    const Node& node = *plan_.infos[i].node;
    FramePlan& home = frame(plan_.infos[i].frame);
    switch (plan_.nodes[i].role) {
      case Role::kEnter: {
        TAGFLOW_ASSIGN_OR_RETURN(const bool is_constant, BoolAttr(node, "is_constant"));
        const int into = tree().OutputFrame(node);
        plan_.nodes[i].detail = static_cast<uint32_t>(plan_.enters.size());
        plan_.enters.push_back({into, child_[static_cast<size_t>(into)], is_constant});
        return Status();
      }
      case Role::kExit:
        plan_.nodes[i].detail = static_cast<uint32_t>(home.exits.size());
        home.exits.push_back(PlaceOf(i));
        return Status();
      case Role::kNextIteration:
        plan_.nodes[i].detail = PlanNode::kNoPlace;
        return Status();
      case Role::kSend:
      case Role::kRecv:
        return DescribeTransfer(i);
      default:
        return Status();
    }
  }

  // The heads of a loop, which wait for one token in later iterations, come last: only in iteration
  // 0 is there anything to count.
  void NumberMerges() {
    for (const bool heads : {false, true}) {
      for (uint32_t i = 0; i < plan_.nodes.size(); ++i) {
        if (plan_.nodes[i].role != Role::kMerge) continue;
        if (IsLoopHead(*plan_.infos[i].node) != heads) continue;
        FramePlan& home = frame(plan_.infos[i].frame);
        plan_.nodes[i].detail = static_cast<uint32_t>(home.merge_places.size());
        home.merge_places.push_back(PlaceOf(i));
        if (!heads) ++home.num_later_merges;
      }
    }
  }
  bool IsLoopHead(const Node& merge) const {
    return PresentInputs(merge, false) == 1 && merge.control_inputs.empty() &&
           std::ranges::any_of(merge.inputs, [&](OutputRef input) {
             return SourceOf(input) == Source::kNextIteration;
           });
  }
  int64_t PresentInputs(const Node& merge, bool first_iteration) const {
    return std::ranges::count_if(merge.inputs, [&](OutputRef input) {
      return MergeInputPresent(SourceOf(input), first_iteration);
    });
  }

  Status DescribeTransfer(uint32_t i) {
    const Node& node = *plan_.infos[i].node;
    TransferPlan transfer;
    TAGFLOW_ASSIGN_OR_RETURN(transfer.sender, StringAttr(node, "send_device"));
    TAGFLOW_ASSIGN_OR_RETURN(transfer.receiver, StringAttr(node, "recv_device"));
    TAGFLOW_ASSIGN_OR_RETURN(transfer.tensor, StringAttr(node, "tensor_name"));
    transfer.from = transfer.to = DeviceOf(node.device);
    plan_.nodes[i].detail = static_cast<uint32_t>(plan_.transfers.size());
    plan_.transfers.push_back(std::move(transfer));
    return Status();
  }

  void GiveOutputsSlots() {
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      const NodeInfo& info = plan_.infos[i];
      FramePlan& into = frame(tree().output_frame_of[Index(info.node->id)]);
      drafts_[i].first_output = static_cast<uint32_t>(plan_.outputs.size());
      plan_.nodes[i].num_outputs = static_cast<uint32_t>(info.signature.outputs.size());
      if (IsConstantEnter(i)) {
        ++into.num_constants;
        into.constant_slots.push_back(into.num_slots);
      }
      for (size_t k = 0; k < info.signature.outputs.size(); ++k) {
        plan_.outputs.push_back(into.num_slots++);
      }
    }
    for (size_t i = 0; i < plan_.call.feeds.size(); ++i) {
      plan_.feeds.push_back({frame(FrameTree::kRoot).num_slots++, 0, 0});
    }
  }

  bool IsConstantEnter(size_t i) const {
    const PlanNode& node = plan_.nodes[i];
    return node.role == Role::kEnter && plan_.enters[node.detail].is_constant;
  }

  // The slot of an input in the frame of its consumer; one that stays empty for a node that never
  // fires.
  uint32_t SlotOf(OutputRef input, int where) {
    if (const int feed = fed_.Find(input); feed >= 0) return plan_.feeds[Unsigned(feed)].slot;
    const int32_t producer = plan_.index[Index(input.node)];
    if (producer != kAbsent) {
      return plan_.outputs[drafts_[Unsigned(producer)].first_output + Unsigned(input.index)];
    }
    uint32_t& never = never_[Unsigned(where)];
    if (never == kNoSlot) never = frame(where).num_slots++;
    return never;
  }

  bool IsReference(OutputRef input) const {
    const int32_t producer = plan_.index[Index(input.node)];
    if (producer == kAbsent || fed_.Find(input) >= 0) return false;
    return plan_.infos[Unsigned(producer)].signature.outputs[Unsigned(input.index)].is_ref;
  }

  void ConnectInputs(uint32_t i) {
    NodeInfo& info = plan_.infos[i];
    drafts_[i].first_arg = static_cast<uint32_t>(plan_.args.size());
    plan_.nodes[i].num_inputs = static_cast<uint32_t>(info.node->inputs.size());
    for (uint32_t k = 0; k < info.node->inputs.size(); ++k) {
      const OutputRef input = info.node->inputs[k];
      uint32_t slot = SlotOf(input, info.frame);
      if (IsReference(input)) slot = AddReference(i, k, slot);
      plan_.args.push_back({slot, 1});
    }
    const bool is_source = info.node->inputs.empty() && info.node->control_inputs.empty();
    if (is_source && info.frame == FrameTree::kRoot) plan_.sources.push_back(PlaceOf(i));
  }

  // A reference that the op reads is read into a slot of its own, when the node fires ([ref.2]).
  uint32_t AddReference(uint32_t i, uint32_t input, uint32_t slot) {
    NodeInfo& info = plan_.infos[i];
    ReferenceInput reference;
    reference.input = input;
    reference.token_slot = slot;
    reference.is_passed_on = info.signature.inputs[input].is_ref;
    reference.allows_no_value =
        reference.is_passed_on &&
        (info.node->def->allows_uninitialized_input || plan_.nodes[i].role == Role::kSwitch);
    info.references.push_back(reference);
    plan_.nodes[i].reads_references = true;
    return reference.is_passed_on ? slot : frame(info.frame).num_slots++;
  }

  void MarkFetches() {
    for (const OutputRef fetch : plan_.call.fetches) {
      FetchPlan made;
      if (fed_.Find(fetch) >= 0 || plan_.index[Index(fetch.node)] != kAbsent) {
        made.slot = SlotOf(fetch, FrameTree::kRoot);
      }
      made.is_reference = IsReference(fetch);
      plan_.fetches.push_back(made);
    }
  }

  void MarkTargets() {
    for (NodeId id : plan_.call.targets) {
      if (fed_.FindPlaceholder(graph_.node(id)) >= 0) continue;
      const auto index = static_cast<uint32_t>(plan_.targets.size());
      plan_.targets.push_back({id, tree().frame_of[Index(id)]});
      if (plan_.index[Index(id)] == kAbsent) continue;
      const auto i = static_cast<uint32_t>(plan_.index[Index(id)]);
      if (plan_.nodes[i].is_target) {
        plan_.targets.pop_back();  // named twice
        continue;
      }
      plan_.nodes[i].is_target = true;
      plan_.infos[i].target = index;
    }
  }

  // Counts the readers of each slot; those with several get a counter, but for constants.
  void CountUses() {
    std::vector<std::vector<uint32_t>> readers(plan_.frames.size());
    for (size_t i = 0; i < readers.size(); ++i) readers[i].resize(plan_.frames[i].num_slots);
    ForEachUse(
        [&](int where, uint32_t slot, uint32_t&, Arg*) { ++readers[Unsigned(where)][slot]; });
    MarkUnusedOutputs(readers);
    std::vector<std::vector<uint32_t>> counters(plan_.frames.size());
    uses_.resize(plan_.frames.size());
    for (size_t f = 0; f < readers.size(); ++f) {
      for (uint32_t count : readers[f]) {
        counters[f].push_back(count > 1 ? static_cast<uint32_t>(uses_[f].size())
                                        : TokenPlan::kSingleUse);
        if (count > 1) uses_[f].push_back(count);
      }
      for (uint32_t slot : plan_.frames[f].constant_slots) counters[f][slot] = TokenPlan::kKept;
    }
    plan_.arg_uses.assign(plan_.args.size(), TokenPlan::kSingleUse);
    ForEachUse([&](int where, uint32_t slot, uint32_t& use, Arg* arg) {
      use = counters[Unsigned(where)][slot];
      if (arg != nullptr) arg->is_last = use == TokenPlan::kSingleUse;
    });
  }

  // Calls visit(frame, slot, its use, arg or null) for each reading of a slot. A reference that is
  // read has its token as one; the slot it is read into is the node's own.
  template <typename Visit>
  void ForEachUse(const Visit& visit) {
    uint32_t scratch = 0;
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      NodeInfo& info = plan_.infos[i];
      for (uint32_t k = 0; k < plan_.nodes[i].num_inputs; ++k) {
        const uint32_t at = drafts_[i].first_arg + k;
        uint32_t& use = plan_.arg_uses.empty() ? scratch : plan_.arg_uses[at];
        visit(info.frame, plan_.args[at].slot, use, &plan_.args[at]);
      }
      for (ReferenceInput& reference : info.references) {
        if (reference.is_passed_on) continue;
        visit(info.frame, reference.token_slot, reference.use, nullptr);
      }
    }
  }

  // What kernels do not need to keep, and what else stays in a slot until its iteration ends.
  void MarkUnusedOutputs(const std::vector<std::vector<uint32_t>>& readers) {
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      PlanNode& node = plan_.nodes[i];
      const int into = tree().output_frame_of[Index(plan_.infos[i].node->id)];
      for (uint32_t k = 0; k < node.num_outputs; ++k) {
        const uint32_t slot = plan_.outputs[drafts_[i].first_output + k];
        if (readers[Unsigned(into)][slot] > 0) continue;
        plan_.infos[i].unused_outputs.push_back(k);
        if (node.role == Role::kKernel) {
          node.has_unused_output = true;
        } else if (into != FrameTree::kRoot && !IsConstantEnter(i)) {
          frame(into).unread_slots.push_back(slot);
        }
      }
    }
  }

  static uint32_t InputsOf(const Node& node) {
    return static_cast<uint32_t>(node.inputs.size() + node.control_inputs.size());
  }

  // What each instance waits for.
  void MakeCounts() {
    for (FramePlan& each : plan_.frames) each.counts[0].resize(each.num_words);
    for (uint32_t i = 0; i < plan_.nodes.size(); ++i) {
      FramePlan& home = frame(plan_.infos[i].frame);
      const uint32_t place = PlaceOf(i);
      if (place >= home.num_words || plan_.nodes[i].role == Role::kMerge) continue;
      home.counts[0][place] = Arrivals::Initial(InputsOf(*plan_.infos[i].node));
    }
    for (size_t f = 0; f < plan_.frames.size(); ++f) {
      FramePlan& home = plan_.frames[f];
      home.counts[0].insert(home.counts[0].end(), uses_[f].begin(), uses_[f].end());
      for (uint32_t place : home.merge_places) {
        const Node& merge = *plan_.infos[home.first_node + place].node;
        for (const bool first : {true, false}) {
          home.merges[first ? 0 : 1].push_back(
              MergeArrivals::Initial(static_cast<uint32_t>(PresentInputs(merge, first)),
                                     static_cast<uint32_t>(merge.control_inputs.size())));
        }
      }
    }
  }

  Source SourceOf(OutputRef input) const {
    if (fed_.Find(input) >= 0) return Source::kOrdinary;
    const Node& node = graph_.node(input.node);
    const Role role = RoleOf(node);
    if (role == Role::kNextIteration) return Source::kNextIteration;
    if (role != Role::kEnter) return Source::kOrdinary;
    const Result<bool> is_constant = BoolAttr(node, "is_constant");
    return is_constant.ok() && *is_constant ? Source::kOrdinary : Source::kEnter;
  }

  // Nodes are producers, and after them feeds.
  uint32_t FeedProducer(int feed) const {
    return static_cast<uint32_t>(plan_.nodes.size()) + Unsigned(feed);
  }
  bool HasPorts(uint32_t producer) const {
    if (producer >= plan_.nodes.size()) return false;
    const Role role = plan_.nodes[producer].role;
    return role == Role::kSwitch || role == Role::kRecv;
  }

  void LayOutEdges() {
    EdgeTable table(plan_.nodes.size() + plan_.feeds.size());
    // A fetch looks into the slot as the token arrives: before a consumer that fires on another
    // thread may have taken the value out, or a Merge let go of it as the second of two equal ones.
    for (uint32_t i = 0; i < plan_.fetches.size(); ++i) {
      AddDataEdge(plan_.call.fetches[i], Edge(EdgeKind::kFetch, 0, i), table);
    }
    for (uint32_t i = 0; i < plan_.nodes.size(); ++i) AddEdges(i, table);
    table.Lay(
        [&](uint32_t place, uint32_t producer) {
          const int into = producer >= plan_.nodes.size()
                               ? FrameTree::kRoot
                               : tree().output_frame_of[Index(plan_.infos[producer].node->id)];
          return InputsOf(*plan_.infos[frame(into).first_node + place].node);
        },
        [&](uint32_t producer) { return HasPorts(producer); });
    first_edge_.resize(plan_.nodes.size());
    for (uint32_t i = 0; i < plan_.nodes.size(); ++i) {
      first_edge_[i] = table.begin(i);
      plan_.nodes[i].num_edges = table.end(i) - table.begin(i);
      plan_.most_edges = std::max(plan_.most_edges, plan_.nodes[i].num_edges);
      if (HasPorts(i)) LayOutPorts(i, table);
    }
    for (uint32_t i = 0; i < plan_.feeds.size(); ++i) {
      const uint32_t producer = FeedProducer(static_cast<int>(i));
      plan_.feeds[i].first_edge = table.begin(producer);
      plan_.feeds[i].end_edge = table.end(producer);
    }
    plan_.edges = table.TakeEdges();
  }

  void LayOutPorts(uint32_t i, const EdgeTable& table) {
    PlanNode& node = plan_.nodes[i];
    const auto first = static_cast<uint32_t>(plan_.ports.size());
    if (node.role == Role::kRecv) {
      plan_.transfers[node.detail].first_port = first;
    } else {
      node.detail = first;
    }
    plan_.ports.push_back(0);
    for (uint32_t k = 0; k < node.num_outputs; ++k) plan_.ports.push_back(table.PortEnd(i, k));
  }

  void AddEdges(uint32_t i, EdgeTable& table) {
    const Node& node = *plan_.infos[i].node;
    const bool is_merge = plan_.nodes[i].role == Role::kMerge;
    const bool heavy = plan_.nodes[i].is_heavy;
    const uint32_t place = PlaceOf(i);
    const bool is_head = is_merge && IsLoopHead(node);
    for (uint32_t k = 0; k < node.inputs.size(); ++k) {
      Edge edge(EdgeKind::kCount, place, 1, heavy);
      if (is_merge) edge = Edge(EdgeKind::kMergeData, place, k);
      if (is_head && SourceOf(node.inputs[k]) == Source::kNextIteration) {
        edge.kind = EdgeKind::kLoopHead;
      }
      AddDataEdge(node.inputs[k], edge, table);
    }
    const Edge edge(is_merge ? EdgeKind::kMergeControl : EdgeKind::kCount, place, 1, heavy);
    for (NodeId control : node.control_inputs) {
      if (const int feed = fed_.FindPlaceholder(graph_.node(control)); feed >= 0) {
        table.Add(FeedProducer(feed), 0, edge);
      } else if (plan_.index[Index(control)] != kAbsent) {
        const auto producer = static_cast<uint32_t>(plan_.index[Index(control)]);
        table.Add(producer, plan_.nodes[producer].num_outputs, edge);
      }
    }
  }

  void AddDataEdge(OutputRef from, Edge edge, EdgeTable& table) {
    if (const int feed = fed_.Find(from); feed >= 0) {
      table.Add(FeedProducer(feed), 0, edge);
    } else if (plan_.index[Index(from.node)] != kAbsent) {
      table.Add(static_cast<uint32_t>(plan_.index[Index(from.node)]), Unsigned(from.index), edge);
    }
  }

  // Pointers, now that the arrays stay where they are.
  void Seal() {
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      PlanNode& node = plan_.nodes[i];
      node.function = plan_.infos[i].kernel.function();
      node.state = plan_.infos[i].kernel.state().get();
      node.args = plan_.args.data() + drafts_[i].first_arg;
      node.outputs = plan_.outputs.data() + drafts_[i].first_output;
      node.edges = plan_.edges.data() + first_edge_[i];
      node.is_plain = node.role == Role::kKernel && !node.is_target && !node.reads_references &&
                      !node.has_unused_output;
    }
  }

  template <typename Int>
  static uint32_t Unsigned(Int value) {
    return static_cast<uint32_t>(value);
  }

  static constexpr uint32_t kNoSlot = ~0u;

  const ExecutableSpec& spec_;
  const Graph& graph_;
  const FeedIndex fed_;
  TokenPlan plan_;
  std::vector<NodeId> needed_;               // without fed placeholders
  std::vector<NodeId> cannot_run_;           // without a kernel
  std::vector<Draft> drafts_;                // by node
  std::vector<uint32_t> first_edge_;         // by node
  std::vector<std::vector<uint32_t>> uses_;  // by static frame: of slots with several
  std::vector<uint32_t> child_;  // by static frame: its ordinal among its parent's children
  std::vector<uint32_t> never_;  // by static frame: a slot that stays empty
};

}  // namespace

Result<TokenPlan> MakeTokenPlan(const ExecutableSpec& spec) { return PlanMaker(spec).Make(); }

}  // namespace tagflow::optimized::tokens
