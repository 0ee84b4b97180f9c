#include "transform/placement/requests.h"

#include <algorithm>
#include <utility>

#include "graph/control_ops.h"
#include "graph/device_name.h"
#include "graph/unknown_ops.h"
#include "transform/placement/kernel_dtype.h"

namespace tagflow {
namespace {

using Fits = std::vector<bool>;  // by device

Fits Both(const Fits& a, const Fits& b) {
  Fits both(a.size());
  for (size_t i = 0; i < a.size(); ++i) both[i] = a[i] && b[i];
  return both;
}
bool IsAny(const Fits& fits) { return std::find(fits.begin(), fits.end(), true) != fits.end(); }
size_t CountOf(const Fits& fits) {
  return static_cast<size_t>(std::count(fits.begin(), fits.end(), true));
}

std::string Quoted(const std::string& word) { return "'" + word + "'"; }

bool IsVariable(const Node& node) {
  return node.op == "VarHandleOp" || node.op == "VariableV2" || node.op == "Variable";
}

class Reader {
 public:
  Reader(const Graph& graph, const std::vector<std::string>& devices, NodeGroups together,
         const RequestOptions& options)
      : graph_(graph), devices_(devices), options_(options) {
    requests_.group_of = together.All();
    requests_.fits.resize(graph.id_limit());
    requests_.reasons.resize(graph.id_limit());
    members_.resize(graph.id_limit());
    for (const NodeId id : graph.NodeIds()) {
      members_[Index(requests_.group_of[Index(id)])].push_back(id);
    }
  }

  Result<Requests> Read() && {
    for (const std::string& device : devices_) {
      TAGFLOW_ASSIGN_OR_RETURN(DeviceName name, ParseDeviceName(device));
      names_.push_back(std::move(name));
    }
    for (const NodeId id : graph_.NodeIds()) {
      if (!members_[Index(id)].empty()) TAGFLOW_RETURN_IF_ERROR(ReadGroup(id));
    }
    FollowData();
    return std::move(requests_);
  }

 private:
  // Why a node cannot have what it asks for: as an error, and as a reason.
  struct Refusal {
    Status status;
    std::string words;
  };

  bool Counts(NodeId id) const { return options_.needed.empty() || options_.needed[Index(id)]; }

  Fits KernelsOf(const Node& node) const {
    if (options_.catalog == nullptr || RunsNowhere(node)) return Fits(devices_.size(), true);
    return DevicesFor(node, *options_.catalog);
  }

  Status ReadGroup(NodeId group) {
    const std::vector<NodeId>& members = members_[Index(group)];
    TAGFLOW_ASSIGN_OR_RETURN(const Fits able, AbleToRunAll(members));
    Fits& fits = requests_.fits[Index(group)];
    fits = able;
    NodeId asker = NodeId::kNone;  // the first that is heard
    for (const NodeId id : members) {
      const Node& node = graph_.node(id);
      if (node.device.empty() || !Counts(id)) continue;
      TAGFLOW_ASSIGN_OR_RETURN(const Fits asked, AskedFor(node));
      if (const Fits left = Both(fits, asked); IsAny(left)) {
        fits = left;
        if (asker == NodeId::kNone) asker = id;
        Say(id, CountOf(asked) == 1 ? "asked for" : "asked for " + Quoted(node.device));
        continue;
      }
      const Refusal refusal = Refuse(node, asked, able, members, asker);
      if (!options_.soft) return refusal.status;
      Say(id, "softly: " + refusal.words);
    }
    Explain(members, asker);
    return Status();
  }

  void Say(NodeId id, std::string reason) { requests_.reasons[Index(id)] = std::move(reason); }

  Result<Fits> AskedFor(const Node& node) const {
    const Result<DeviceName> asked = ParseDeviceName(node.device);
    if (!asked.ok()) return asked.status().WithNode(node.name).WithRule("graph.4");
    Fits fits;
    for (const DeviceName& name : names_) fits.push_back(Satisfies(name, *asked));
    return fits;
  }

  Result<Fits> AbleToRunAll(const std::vector<NodeId>& members) const {
    Fits able(devices_.size(), true);
    NodeId narrow = members[0];  // the last that left fewer devices
    for (const NodeId id : members) {
      const Node& node = graph_.node(id);
      if (!Counts(id)) continue;
      const Fits kernels = KernelsOf(node);
      if (!IsAny(kernels)) return RunByNone(node);
      const Fits both = Both(able, kernels);
      if (!IsAny(both)) return RunApart(graph_.node(narrow), node);
      if (CountOf(both) < CountOf(able)) narrow = id;
      able = both;
    }
    return able;
  }

  Refusal Refuse(const Node& node, const Fits& asked, const Fits& able,
                 const std::vector<NodeId>& members, NodeId asker) const {
    if (!IsAny(asked)) return NotThere(node);
    if (!IsAny(Both(asked, KernelsOf(node)))) return NoKernel(node, node);
    if (IsAny(Both(asked, able))) return Apart(node, graph_.node(asker));
    Fits left = asked;
    for (const NodeId id : members) {
      if (Counts(id)) left = Both(left, KernelsOf(graph_.node(id)));
      if (!IsAny(left)) return NoKernel(node, graph_.node(id));
    }
    return NoKernel(node, node);
  }

  Refusal NotThere(const Node& node) const {
    return {CheckDeviceIsThere(node.device, devices_).WithNode(node.name).WithRule("graph.4"),
            Quoted(node.device) + " is not there"};
  }

  // other: itself, or one that must be with it
  Refusal NoKernel(const Node& node, const Node& other) const {
    const bool is_itself = node.id == other.id;
    const std::string what = OpAndDType(other);
    const std::string with =
        is_itself ? "" : " (" + Quoted(other.name) + ", which must be with it)";
    return {InvalidArgument("node " + Quoted(node.name) + " asks for " + Quoted(node.device) +
                            ", which has no kernel for " + what + with + ": " + KindsWith(other) +
                            "; place it there, or on no device in particular, or place softly")
                .WithNode(node.name)
                .WithRule("graph.4"),
            Quoted(node.device) + " has no kernel for " + what + with};
  }

  Refusal Apart(const Node& node, const Node& first) const {
    return {InvalidArgument("nodes " + Quoted(first.name) + " (on " + Quoted(first.device) +
                            ") and " + Quoted(node.name) + " (on " + Quoted(node.device) +
                            ") share a variable, a reference or a handle, are in one frame that "
                            "cannot be cut, or ask to be together: place them on one device")
                .WithNode(node.name)
                .WithRule("partition.4"),
            "it must be with " + Quoted(first.name) + ", which asks for " + Quoted(first.device)};
  }

  Status RunByNone(const Node& node) const {
    return Unimplemented("node " + Quoted(node.name) + ": no device there has a kernel for " +
                         OpAndDType(node))
        .WithNode(node.name);
  }

  Status RunApart(const Node& one, const Node& other) const {
    return InvalidArgument("nodes " + Quoted(one.name) + " (" + OpAndDType(one) + ") and " +
                           Quoted(other.name) + " (" + OpAndDType(other) +
                           ") must be on one device, and no device there has a kernel for both: " +
                           KindsWith(one) + ", and " + KindsWith(other))
        .WithNode(other.name)
        .WithRule("partition.4");
  }

  // "there is one for Add of float on CPU, CUDA"
  std::string KindsWith(const Node& node) const {
    std::string kinds;
    for (const std::string& kind : options_.catalog->KindsFor(node.op, KernelDType(node))) {
      kinds += (kinds.empty() ? "" : ", ") + kind;
    }
    return "there is one for " + OpAndDType(node) + " on " + kinds;
  }

  // What is left to say of those that did not ask, or were not heard.
  void Explain(const std::vector<NodeId>& members, NodeId asker) {
    for (const NodeId id : members) {
      std::string& reason = requests_.reasons[Index(id)];
      const Node& node = graph_.node(id);
      if (!Counts(id)) {
        reason = "not needed";
      } else if (!reason.empty()) {
        continue;
      } else if (const Fits own = KernelsOf(node); CountOf(own) == 1 && devices_.size() > 1) {
        reason =
            "only " +
            devices_[static_cast<size_t>(std::find(own.begin(), own.end(), true) - own.begin())] +
            " has a kernel for " + OpAndDType(node);
      } else if (members.size() > 1) {
        reason = Company(members, id, asker);
      } else if (devices_.size() == 1) {
        reason = "the only device";
      }
    }
  }

  // "" for whom the others are with.
  std::string Company(const std::vector<NodeId>& members, NodeId id, NodeId asker) const {
    const auto variable = std::ranges::find_if(
        members, [this](NodeId other) { return IsVariable(graph_.node(other)); });
    NodeId with = asker;
    if (with == NodeId::kNone) with = variable == members.end() ? members[0] : *variable;
    if (with == id) return "";
    const Node& node = graph_.node(with);
    return std::string("with ") + (IsVariable(node) ? "variable " : "") + Quoted(node.name);
  }

  NodeId GroupOf(NodeId id) const { return requests_.group_of[Index(id)]; }

  // Whether nothing but its data says where the group is.
  bool Follows(NodeId group) const {
    return std::ranges::all_of(members_[Index(group)], [this](NodeId id) {
      const Node& node = graph_.node(id);
      return ControlOpOf(node.op) != ControlOp::kNone && Counts(id) && node.device.empty();
    });
  }

  void FollowData() {
    const std::vector<NodeId> leaders = Leaders();
    const std::vector<NodeId> ends = EndsOf(leaders);
    for (const NodeId id : graph_.NodeIds()) {
      const NodeId group = GroupOf(id);
      const NodeId end = ends[Index(group)];
      if (end == group || end == NodeId::kNone) continue;
      std::string& reason = requests_.reasons[Index(id)];
      const NodeId leader = leaders[Index(group)];
      if (reason.empty()) reason = "with its data, " + Quoted(graph_.node(leader).name);
    }
    for (NodeId& group : requests_.group_of) {
      if (ends[Index(group)] != NodeId::kNone) group = ends[Index(group)];
    }
  }

  // By a group's least node: the node outside that the group goes with, if it follows anybody;
  // kNone: there is none.
  std::vector<NodeId> Leaders() const {
    std::vector<NodeId> leaders(graph_.id_limit(), NodeId::kNone);
    const auto note = [&](NodeId follower, NodeId with) {
      NodeId& leader = leaders[Index(GroupOf(follower))];
      if (leader == NodeId::kNone && GroupOf(with) != GroupOf(follower)) leader = with;
    };
    for (const NodeId id : graph_.NodeIds()) {
      if (IsNextIteration(graph_.node(id))) continue;
      for (const OutputRef& input : graph_.node(id).inputs) {
        const bool is_next = IsNextIteration(graph_.node(input.node));
        note(is_next ? input.node : id, is_next ? id : input.node);
      }
    }
    return leaders;
  }

  // By a group's least node: the group where following leads; itself where it does not follow;
  // kNone: nowhere.
  std::vector<NodeId> EndsOf(const std::vector<NodeId>& leaders) const {
    enum class State : uint8_t { kUnknown, kOnTheWay, kKnown };
    std::vector<State> states(graph_.id_limit(), State::kUnknown);
    std::vector<NodeId> ends(graph_.id_limit(), NodeId::kNone);
    for (const NodeId id : graph_.NodeIds()) {
      std::vector<NodeId> way;
      NodeId at = GroupOf(id);
      while (at != NodeId::kNone && states[Index(at)] == State::kUnknown) {
        way.push_back(at);
        if (!Follows(at)) break;
        states[Index(at)] = State::kOnTheWay;
        const NodeId leader = leaders[Index(at)];
        at = leader == NodeId::kNone ? leader : GroupOf(leader);
      }
      NodeId end = at;
      if (at != NodeId::kNone && states[Index(at)] == State::kKnown) end = ends[Index(at)];
      if (at != NodeId::kNone && states[Index(at)] == State::kOnTheWay) end = NodeId::kNone;
      for (const NodeId group : way) {
        ends[Index(group)] = end;
        states[Index(group)] = State::kKnown;
      }
    }
    return ends;
  }

  const Graph& graph_;
  const std::vector<std::string>& devices_;
  const RequestOptions& options_;
  Requests requests_;
  std::vector<DeviceName> names_;
  std::vector<std::vector<NodeId>> members_;  // by a group's least node
};

}  // namespace

Result<Requests> ReadRequests(const Graph& graph, const std::vector<std::string>& devices,
                              NodeGroups together, const RequestOptions& options) {
  return Reader(graph, devices, std::move(together), options).Read();
}

}  // namespace tagflow
