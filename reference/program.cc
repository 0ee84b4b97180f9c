#include "reference/program.h"

#include <string_view>
#include <unordered_map>

#include "graph/call_checks.h"
#include "graph/unknown_ops.h"

namespace tagflow::reference {
namespace {

const std::unordered_map<std::string_view, Role>& Roles() {
  static const auto& roles = *new std::unordered_map<std::string_view, Role>{
      {"Switch", Role::kSwitch},
      {"RefSwitch", Role::kSwitch},
      {"_SwitchN", Role::kSwitch},
      {"Merge", Role::kMerge},
      {"RefMerge", Role::kMerge},
      {"Enter", Role::kEnter},
      {"RefEnter", Role::kEnter},
      {"Exit", Role::kExit},
      {"RefExit", Role::kExit},
      {"NextIteration", Role::kNextIteration},
      {"RefNextIteration", Role::kNextIteration},
      {"LoopCond", Role::kLoopCond},
      {"ControlTrigger", Role::kTrigger},
      {"_Send", Role::kSend},
      {"_HostSend", Role::kSend},
      {"_Recv", Role::kRecv},
      {"_HostRecv", Role::kRecv},
      {"If", Role::kFunctional},
      {"StatelessIf", Role::kFunctional},
      {"While", Role::kFunctional},
      {"StatelessWhile", Role::kFunctional},
      {"Case", Role::kFunctional},
      {"StatelessCase", Role::kFunctional},
      {"For", Role::kFunctional},
      {"RemoteCall", Role::kFunctional},
      {"SymbolicGradient", Role::kFunctional},
      {"PartitionedCall", Role::kFunctional},
      {"StatefulPartitionedCall", Role::kFunctional},
  };
  return roles;
}

// Of an op without a kernel, where it turns out to be live ([graph.1]).
const Kernel& CannotRunKernel() {
  static const Kernel& kernel =
      *new Kernel([](KernelContext& context) { return CannotRun(context.node, "reference"); });
  return kernel;
}

class Builder {
 public:
  Builder(const Graph& graph, const KernelRegistry& kernels) : graph_(graph), kernels_(kernels) {}

  Result<Program> Build(CallSpec call) {
    program_.graph = &graph_;
    program_.call = std::move(call);
    TAGFLOW_ASSIGN_OR_RETURN(ValidatedCall valid, ValidateCall(graph_, program_.call));
    program_.frames = valid.frames;
    program_.needed = valid.needed;
    CollectNodes();
    for (ProgramNode& node : program_.nodes) TAGFLOW_RETURN_IF_ERROR(Describe(node));
    TAGFLOW_RETURN_IF_ERROR(
        RefuseWhatMustRun(graph_, program_.call, valid, cannot_run_, "reference"));
    ConnectFeeds();
    for (size_t i = 0; i < program_.nodes.size(); ++i) Connect(static_cast<int>(i));
    MarkFetchesAndTargets();
    TAGFLOW_RETURN_IF_ERROR(CheckPlaceholdersFed(graph_, program_.call, program_.needed));
    LayOutFrames();
    return std::move(program_);
  }

 private:
  int FeedOf(OutputRef output) const {
    for (size_t i = 0; i < program_.call.feeds.size(); ++i) {
      if (program_.call.feeds[i] == output) return static_cast<int>(i);
    }
    return -1;
  }

  // A fed placeholder is its feed: no node of the program ([feed.2]).
  int PlaceholderFeed(NodeId id) const {
    return IsPlaceholderOp(graph_.node(id)) ? FeedOf(OutputRef{id, 0}) : -1;
  }

  void CollectNodes() {
    index_.assign(graph_.id_limit(), -1);
    for (NodeId id : graph_.NodeIds()) {
      if (!program_.needed[Index(id)] || PlaceholderFeed(id) >= 0) continue;
      index_[Index(id)] = static_cast<int>(program_.nodes.size());
      program_.nodes.emplace_back().node = &graph_.node(id);
    }
  }

  Status Describe(ProgramNode& node) {
    const Node& source = *node.node;
    node.role = RoleOf(source);
    TAGFLOW_ASSIGN_OR_RETURN(node.signature, ResolveSignature(source));
    node.consumers.resize(node.signature.outputs.size());
    node.fetches.resize(node.signature.outputs.size());
    node.frame = program_.frames.frame_of[Index(source.id)];
    for (OutputRef input : source.inputs) node.sources.push_back(KindOf(input));
    node.num_control = static_cast<int>(source.control_inputs.size());
    node.is_source = source.inputs.empty() && source.control_inputs.empty();
    if (node.role == Role::kEnter) TAGFLOW_RETURN_IF_ERROR(DescribeEnter(node));
    if (graph_.registry().Find(source.op) == nullptr && source.def != nullptr &&
        !IsStandIn(source)) {
      node.role = Role::kFunctional;  // a call by the function's name
    }
    if (node.role != Role::kOrdinary) return Status();
    node.kernel = kernels_.Find(source.op);
    if (node.kernel != nullptr) return Status();
    node.kernel = &CannotRunKernel();
    cannot_run_.push_back(source.id);
    return Status();
  }

  Status DescribeEnter(ProgramNode& node) {
    TAGFLOW_ASSIGN_OR_RETURN(node.frame_name, StringAttr(*node.node, "frame_name"));
    TAGFLOW_ASSIGN_OR_RETURN(node.is_constant, BoolAttr(*node.node, "is_constant"));
    node.child_frame = program_.frames.OutputFrame(*node.node);
    return Status();
  }

  SourceKind KindOf(OutputRef input) const {
    if (FeedOf(input) >= 0) return SourceKind::kOrdinary;
    const Node& source = graph_.node(input.node);
    switch (RoleOf(source)) {
      case Role::kEnter: {
        Result<bool> is_constant = BoolAttr(source, "is_constant");
        return is_constant.ok() && *is_constant ? SourceKind::kConstantEnter : SourceKind::kEnter;
      }
      case Role::kNextIteration:
        return SourceKind::kNextIteration;
      default:
        return SourceKind::kOrdinary;
    }
  }

  void Connect(int index) {
    const Node& node = *program_.nodes[static_cast<size_t>(index)].node;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const OutputRef input = node.inputs[slot];
      const DataEdge edge{index, static_cast<int>(slot)};
      if (const int feed = FeedOf(input); feed >= 0) {
        program_.feeds[static_cast<size_t>(feed)].consumers.push_back(edge);
      } else {
        Producer(input.node).consumers[static_cast<size_t>(input.index)].push_back(edge);
      }
    }
    for (size_t slot = 0; slot < node.control_inputs.size(); ++slot) {
      const NodeId input = node.control_inputs[slot];
      const ControlEdge edge{index, static_cast<int>(slot)};
      if (const int feed = PlaceholderFeed(input); feed >= 0) {
        program_.feeds[static_cast<size_t>(feed)].control_consumers.push_back(edge);
      } else {
        Producer(input).control_consumers.push_back(edge);
      }
    }
  }

  void ConnectFeeds() { program_.feeds.resize(program_.call.feeds.size()); }

  void MarkFetchesAndTargets() {
    for (size_t i = 0; i < program_.call.fetches.size(); ++i) {
      const OutputRef fetch = program_.call.fetches[i];
      if (const int feed = FeedOf(fetch); feed >= 0) {
        program_.feeds[static_cast<size_t>(feed)].fetches.push_back(static_cast<int>(i));
      } else {
        Producer(fetch.node)
            .fetches[static_cast<size_t>(fetch.index)]
            .push_back(static_cast<int>(i));
      }
    }
    for (NodeId target : program_.call.targets) {
      if (PlaceholderFeed(target) < 0) Producer(target).is_target = true;
    }
  }

  void LayOutFrames() {
    program_.extents.resize(program_.frames.frames.size());
    program_.frame_nodes.resize(program_.frames.frames.size());
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      ProgramNode& node = program_.nodes[i];
      // A node on a cycle that nothing enters never fires; it needs no place.
      if (node.frame == FrameTree::kUnreached) continue;
      FrameExtent& extent = program_.extents[static_cast<size_t>(node.frame)];
      node.place = extent.nodes++;
      extent.next_iterations += node.role == Role::kNextIteration ? 1 : 0;
      node.first_input = extent.inputs;
      extent.inputs += static_cast<int>(node.sources.size());
      program_.frame_nodes[static_cast<size_t>(node.frame)].push_back(static_cast<int>(i));
    }
  }

  ProgramNode& Producer(NodeId id) {
    return program_.nodes[static_cast<size_t>(index_[Index(id)])];
  }

  const Graph& graph_;
  const KernelRegistry& kernels_;
  Program program_;
  std::vector<int> index_;  // by node id
  std::vector<NodeId> cannot_run_;
};

}  // namespace

Role RoleOf(const Node& node) {
  auto found = Roles().find(node.op);
  return found == Roles().end() ? Role::kOrdinary : found->second;
}

Result<Program> PrepareProgram(const Graph& graph, CallSpec call, const KernelRegistry& kernels) {
  return Builder(graph, kernels).Build(std::move(call));
}

}  // namespace tagflow::reference
