#include "transform/partition/partition.h"

#include <algorithm>
#include <utility>

#include "graph/control_ops.h"
#include "graph/feed_set.h"
#include "graph/out_of_memory.h"
#include "graph/validate.h"
#include "transform/partition/control_loops.h"
#include "transform/partition/late_recvs.h"
#include "transform/partition/layout.h"
#include "transform/partition/parts.h"

namespace tagflow {
namespace {

class Partitioner {
 public:
  Partitioner(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
              const Placement& placement, const FeedSet& fed, const Layout& layout,
              const PartitionOptions& options)
      : graph_(graph),
        call_(call),
        valid_(valid),
        placement_(placement),
        fed_(fed),
        layout_(layout),
        options_(options),
        parts_(graph, placement, options),
        loops_(valid.frames, layout, placement.devices.size()) {}

  Result<std::vector<DevicePart>> Run() && {
    TAGFLOW_RETURN_IF_ERROR(CheckFrames(graph_, valid_, layout_, placement_));
    AddCopies();
    loops_.Choose(graph_, fed_, options_);
    loops_.Add(graph_, parts_);
    for (NodeId id : graph_.NodeIds()) {
      if (!valid_.needed[Index(id)] || fed_.IsFedPlaceholder(graph_.node(id))) continue;
      for (const int device : layout_.devices_of[Index(id)]) {
        TAGFLOW_RETURN_IF_ERROR(Connect(graph_.node(id), device));
      }
    }
    for (const ControlLoop& loop : loops_.all()) TAGFLOW_RETURN_IF_ERROR(Drive(loop));
    if (options_.recvs == RecvStart::kLate) DelayRecvs(parts_.all(), AboutParts(), options_);
    return std::move(parts_).Take();
  }

 private:
  void AddCopies() {
    copies_.resize(graph_.id_limit());
    for (NodeId id : graph_.NodeIds()) {
      for (const int device : layout_.devices_of[Index(id)]) AddCopy(graph_.node(id), device);
    }
  }

  void AddCopy(const Node& node, int device) {
    Graph& graph = parts_.graph(device);
    const bool is_home = device == layout_.home[Index(node.id)];
    // One that is fed has no use for its default, and no input.
    const std::string op = fed_.IsFedPlaceholder(node) ? "Placeholder" : node.op;
    const NodeId id = is_home ? *graph.AddNode(node.name, op) : parts_.Add(device, node.name, op);
    Node& copy = graph.mutable_node(id);
    copy.device = placement_.devices[static_cast<size_t>(device)];
    if (op == node.op) copy.def = node.def;  // also one that no registry has
    copy.attrs = node.attrs;
    copy.unknown_fields = node.unknown_fields;
    // The smallest of a frame's applies, wherever its Enter is ([frame.5]).
    if (IsEnter(node) && valid_.needed[Index(node.id)]) {
      const int frame = valid_.frames.output_frame_of[Index(node.id)];
      graph.SetAttr(id, "parallel_iterations", loops_.ParallelIterations(frame));
    }
    copies_[Index(node.id)].emplace_back(device, id);
  }

  NodeId CopyOn(NodeId id, int device) const {
    for (const auto& [there, copy] : copies_[Index(id)]) {
      if (there == device) return copy;
    }
    return NodeId::kNone;
  }

  // The inputs of a node's copy: nodes of its own part, Recvs where there is none.
  Status Connect(const Node& node, int device) {
    Result<Signature> signature = ResolveSignature(node);
    if (!signature.ok()) return signature.status();
    std::vector<OutputRef> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(const OutputRef input,
                               Bring(node.inputs[i], device, node, signature->inputs[i].dtype));
      inputs.push_back(input);
    }
    std::vector<NodeId> controls;
    for (const NodeId control : node.control_inputs) {
      controls.push_back(BringControl(control, device));
    }
    if (HangsOnConstants(node)) {
      const ControlLoop* loop = loops_.Find(valid_.frames.frame_of[Index(node.id)], device);
      if (loop != nullptr) controls.push_back(loop->merge);
    }
    Node& copy = parts_.graph(device).mutable_node(CopyOn(node.id, device));
    copy.inputs = std::move(inputs);
    copy.control_inputs = std::move(controls);
    return Status();
  }

  // Whether in later iterations than the first all that comes to the node are constants of its
  // loop: nothing it waits for tells that such an iteration begins.
  bool HangsOnConstants(const Node& node) const {
    std::vector<NodeId> sources = node.control_inputs;
    for (const OutputRef& input : node.inputs) {
      if (fed_.Contains(input)) return false;
      sources.push_back(input.node);
    }
    const auto enters = [this](NodeId id) { return IsEnter(graph_.node(id)); };
    const auto is_constant = [this](NodeId id) {
      const Result<bool> attr = BoolAttr(graph_.node(id), "is_constant");
      return attr.ok() && *attr;
    };
    return std::ranges::all_of(sources, enters) && std::ranges::any_of(sources, is_constant);
  }

  // dtype: what the consumer takes
  Result<OutputRef> Bring(OutputRef tensor, int device, const Node& consumer, DType dtype) {
    const NodeId here = CopyOn(tensor.node, device);
    if (here != NodeId::kNone) return OutputRef{here, tensor.index};
    // A feed is a value, whatever its node would have made.
    if (!fed_.Contains(tensor) && options_.fault != PartitionFault::kReferencesCross) {
      TAGFLOW_ASSIGN_OR_RETURN(const Signature made, ResolveSignature(graph_.node(tensor.node)));
      const ArgType type = made.outputs[static_cast<size_t>(tensor.index)];
      if (type.is_ref || type.dtype == DType::kResource) {
        return CannotCross(tensor, device, consumer, type);
      }
    }
    return parts_.Cross(CrossingOf(tensor, device, dtype));
  }

  NodeId BringControl(NodeId from, int device) {
    const NodeId here = CopyOn(from, device);
    if (here != NodeId::kNone) return here;
    return parts_.Cross(CrossingOf({from, Parts::kControl}, device, DType::kInvalid)).node;
  }

  Parts::Crossing CrossingOf(OutputRef tensor, int device, DType dtype) const {
    const int source = layout_.home[Index(tensor.node)];
    const OutputRef there = {CopyOn(tensor.node, source), tensor.index};
    Parts::Crossing crossing{tensor, there, source, device, dtype, NodeId::kNone};
    // What is fed is in the root, wherever its node runs.
    if (!valid_.needed[Index(tensor.node)] || fed_.Contains(tensor)) return crossing;
    const ControlLoop* loop =
        loops_.Find(valid_.frames.output_frame_of[Index(tensor.node)], device);
    if (loop != nullptr) crossing.gate = loop->merge;
    return crossing;
  }

  Status CannotCross(OutputRef tensor, int device, const Node& consumer, ArgType type) const {
    const std::string& name = graph_.node(tensor.node).name;
    const int source = layout_.home[Index(tensor.node)];
    return InvalidArgument("'" + OutputName(graph_, tensor) + "' is a " +
                           (type.is_ref ? "reference" : "resource handle") + " on '" +
                           placement_.devices[static_cast<size_t>(source)] + "', and '" +
                           consumer.name + "' on '" +
                           placement_.devices[static_cast<size_t>(device)] +
                           "' takes it: what it names cannot be reached from there; place '" +
                           consumer.name + "' and '" + name + "' on one device")
        .WithNode(consumer.name)
        .WithRule("partition.4");
  }

  // Gives a control loop its predicate, and the order that the loop itself has.
  Status Drive(const ControlLoop& loop) {
    const auto frame = static_cast<size_t>(loop.frame);
    const NodeId loop_cond = layout_.loop_cond[frame];
    TAGFLOW_ASSIGN_OR_RETURN(
        const OutputRef predicate,
        Bring({loop_cond, 0}, loop.device, graph_.node(loop_cond), DType::kBool));
    parts_.graph(loop.device).mutable_node(loop.loop_switch).inputs.push_back(predicate);
    if (layout_.nexts[frame].size() != 1 || !Contains(layout_.stateful[frame], loop.device) ||
        options_.fault == PartitionFault::kStateDoesNotWait) {
      return Status();
    }
    // The iteration begins with the one NextIteration of the frame: whoever keeps state waits.
    const Node& next = graph_.node(layout_.nexts[frame][0]);
    std::vector<NodeId> awaited = next.control_inputs;
    awaited.insert(awaited.begin(), next.inputs[0].node);
    std::vector<NodeId> controls;
    for (const NodeId id : awaited) {
      TAGFLOW_RETURN_IF_ERROR(BringEnter(id, loop.device));
      controls.push_back(BringControl(id, loop.device));
    }
    parts_.graph(loop.device).mutable_node(loop.next).control_inputs = std::move(controls);
    return Status();
  }

  // What enters is on every device that waits for it ([partition.2]), such as by a control loop.
  Status BringEnter(NodeId id, int device) {
    const Node& node = graph_.node(id);
    if (!IsEnter(node) || CopyOn(id, device) != NodeId::kNone) return Status();
    AddCopy(node, device);
    return Connect(node, device);
  }

  std::vector<PartAbout> AboutParts() {
    std::vector<PartAbout> about(placement_.devices.size());
    for (size_t i = 0; i < about.size(); ++i) {
      const int device = static_cast<int>(i);
      about[i].whole.assign(parts_.graph(device).id_limit(), NodeId::kNone);
      about[i].received = &parts_.received(device);
    }
    for (const NodeId id : graph_.NodeIds()) {
      for (const auto& [device, copy] : copies_[Index(id)]) {
        about[static_cast<size_t>(device)].whole[Index(copy)] = id;
      }
    }
    for (const OutputRef feed : call_.feeds) {
      for (const auto& [device, copy] : copies_[Index(feed.node)]) {
        about[static_cast<size_t>(device)].fed.push_back({copy, feed.index});
      }
    }
    for (PartAbout& part : about) std::ranges::sort(part.fed);
    return about;
  }

  const Graph& graph_;
  const CallSpec& call_;
  const ValidatedCall& valid_;
  const Placement& placement_;
  const FeedSet& fed_;
  const Layout& layout_;
  const PartitionOptions& options_;
  Parts parts_;
  ControlLoops loops_;
  std::vector<std::vector<std::pair<int, NodeId>>> copies_;  // by node id: device and node there
};

}  // namespace

Result<std::vector<DevicePart>> PartitionCall(const Graph& graph, const CallSpec& call,
                                              const Placement& placement,
                                              const PartitionOptions& options) {
  return OrOutOfMemory([&]() -> Result<std::vector<DevicePart>> {
    TAGFLOW_ASSIGN_OR_RETURN(const ValidatedCall valid, ValidateCall(graph, call));
    return PartitionCall(graph, call, valid, placement, options);
  });
}

Result<std::vector<DevicePart>> PartitionCall(const Graph& graph, const CallSpec& call,
                                              const ValidatedCall& valid,
                                              const Placement& placement,
                                              const PartitionOptions& options) {
  return OrOutOfMemory([&]() -> Result<std::vector<DevicePart>> {
    const FeedSet fed(graph, call.feeds);
    TAGFLOW_ASSIGN_OR_RETURN(const Layout layout,
                             LayOut(graph, call, valid, fed, placement, options.fault));
    return Partitioner(graph, call, valid, placement, fed, layout, options).Run();
  });
}

}  // namespace tagflow
