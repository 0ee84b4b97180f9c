#include "transform/placement/placement.h"

#include "graph/control_ops.h"
#include "graph/device_name.h"

namespace tagflow {
namespace {

constexpr int kAnywhere = -1;

// What the nodes of one group ask for together.
struct Wish {
  std::vector<bool> fits;        // by device; empty: they ask for nothing
  NodeId first = NodeId::kNone;  // the first that asks
  int size = 0;
};

class Placer {
 public:
  Placer(const Graph& graph, const std::vector<std::string>& devices)
      : graph_(graph), devices_(devices), group_of_(Colocated(graph)), wishes_(graph.id_limit()) {}

  Result<Placement> Place() && {
    for (const std::string& device : devices_) {
      TAGFLOW_ASSIGN_OR_RETURN(DeviceName name, ParseDeviceName(device));
      names_.push_back(std::move(name));
    }
    for (const NodeId id : graph_.NodeIds()) TAGFLOW_RETURN_IF_ERROR(Note(graph_.node(id)));
    Placement placement{devices_, std::vector<std::string>(graph_.id_limit())};
    for (const NodeId id : graph_.NodeIds()) {
      placement.device_of[Index(id)] = devices_[static_cast<size_t>(DeviceOf(id))];
    }
    return placement;
  }

 private:
  Wish& WishOf(NodeId id) { return wishes_[Index(group_of_[Index(id)])]; }

  // Narrows what the node's group may be on.
  Status Note(const Node& node) {
    Wish& wish = WishOf(node.id);
    ++wish.size;
    if (node.device.empty()) return Status();
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceName asked, ParseDeviceName(node.device));
    if (wish.first == NodeId::kNone) wish.first = node.id;
    if (wish.fits.empty()) wish.fits.assign(devices_.size(), true);
    bool there = false;
    bool together = false;
    for (size_t i = 0; i < devices_.size(); ++i) {
      const bool satisfies = Satisfies(names_[i], asked);
      there = there || satisfies;
      wish.fits[i] = wish.fits[i] && satisfies;
      together = together || wish.fits[i];
    }
    if (together) return Status();
    return there ? Apart(node, graph_.node(wish.first)) : NotThere(node);
  }

  Status NotThere(const Node& node) const {
    return CheckDeviceIsThere(node.device, devices_).WithNode(node.name).WithRule("graph.4");
  }
  static Status Apart(const Node& node, const Node& first) {
    return InvalidArgument("nodes '" + first.name + "' (on '" + first.device + "') and '" +
                           node.name + "' (on '" + node.device +
                           "') share a variable, a reference or a handle, or ask to be together: "
                           "place them on one device")
        .WithNode(node.name)
        .WithRule("partition.4");
  }

  // Of a group that asks for something, the first that fits.
  int AskedFor(NodeId id) {
    const std::vector<bool>& fits = WishOf(id).fits;
    for (size_t i = 0; i < fits.size(); ++i) {
      if (fits[i]) return static_cast<int>(i);
    }
    return kAnywhere;
  }

  // A control-flow node by itself is where what it takes is: follows first inputs, as many as there
  // are nodes at most, since they may go round.
  int DeviceOf(NodeId id) {
    for (size_t steps = 0; steps < graph_.num_nodes(); ++steps) {
      const int asked = AskedFor(id);
      if (asked != kAnywhere) return asked;
      const Node& node = graph_.node(id);
      const bool follows = ControlOpOf(node.op) != ControlOp::kNone && WishOf(id).size == 1;
      if (!follows || node.inputs.empty()) return 0;
      id = node.inputs[0].node;
    }
    return 0;
  }

  const Graph& graph_;
  const std::vector<std::string>& devices_;
  const std::vector<NodeId> group_of_;
  std::vector<Wish> wishes_;  // by the group's least node
  std::vector<DeviceName> names_;
};

}  // namespace

Result<Placement> PlaceAsAsked(const Graph& graph, const std::vector<std::string>& devices) {
  return Placer(graph, devices).Place();
}

}  // namespace tagflow
