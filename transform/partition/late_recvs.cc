#include "transform/partition/late_recvs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

#include "graph/control_ops.h"
#include "transform/limits.h"

namespace tagflow {
namespace {

constexpr int kNone = -1;
constexpr double kUnreached = -1;
constexpr double kMostCaution = 8;

using Ints = std::vector<int>;

size_t At(int index) { return static_cast<size_t>(index); }

// Whether it is dead when one of its inputs is, and its outputs are in the frame of its inputs.
bool HandsOnDeadness(const Node& node) {
  return !IsMerge(node) && !IsExit(node) && node.op != "ControlTrigger";
}

struct BodyNode {
  int device = 0;
  NodeId id = NodeId::kNone;
  double ns = 0;    // of a Recv: until the message is there
  Ints waits_for;   // nodes of the same iteration; of a Recv its Send, too
  Ints leads_here;  // those of them that it is dead with
  Ints consumers;   // who waits for it, by data
  bool is_recv = false;
  bool brings_tensor = false;  // a Recv that may be held back
  bool makes_long = false;     // behind a Recv of what was compressed
};

// The parts as one graph without circles: every node once, for all its firings.
class Body {
 public:
  Body(const std::vector<DevicePart>& parts, const std::vector<PartAbout>& about,
       const PartitionOptions& options)
      : parts_(parts), about_(about), options_(options) {
    for (size_t device = 0; device < parts.size(); ++device) {
      begins_.push_back(static_cast<int>(nodes_.size()));
      nodes_.resize(nodes_.size() + parts[device].graph.id_limit());
    }
    ForEach([this](int device, const Node& node) { Add(device, node); });
    ForEach([this](int device, const Node& node) { Connect(device, node); });
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_recv) MeetSend(static_cast<int>(i));
    }
  }

  const std::vector<BodyNode>& nodes() const { return nodes_; }
  size_t devices() const { return parts_.size(); }

 private:
  template <typename F>
  void ForEach(F&& use) {
    for (size_t device = 0; device < parts_.size(); ++device) {
      const Graph& graph = parts_[device].graph;
      for (const NodeId id : graph.NodeIds()) use(static_cast<int>(device), graph.node(id));
    }
  }
  int IndexOf(int device, NodeId id) const {
    return begins_[At(device)] + static_cast<int>(Index(id));
  }
  const Node& NodeOf(const BodyNode& node) const {
    return parts_[At(node.device)].graph.node(node.id);
  }

  void Add(int device, const Node& node) {
    BodyNode& made = nodes_[At(IndexOf(device, node.id))];
    made.device = device;
    made.id = node.id;
    const NodeId whole = about_[At(device)].whole[Index(node.id)];
    made.is_recv = whole == NodeId::kNone && node.op == "_Recv";
    made.makes_long = whole == NodeId::kNone && node.op == "Cast";
    if (made.is_recv) return TimeMessage(made);
    if (whole == NodeId::kNone || ControlOpOf(node.op) != ControlOp::kNone) return;
    made.ns = options_.times.firing ? options_.times.firing(whole, device) : 1;
  }

  void TimeMessage(BodyNode& recv) {
    const auto& received = *about_[At(recv.device)].received;
    const auto found = received.find(recv.id);
    if (found == received.end()) return;
    const auto& [tensor, from] = found->second;
    recv.brings_tensor = true;
    recv.ns = options_.times.message ? options_.times.message(tensor, from, recv.device) : 1;
  }

  void Connect(int device, const Node& node) {
    const std::vector<OutputRef>& fed = about_[At(device)].fed;
    for (const OutputRef& input : node.inputs) {
      if (std::ranges::binary_search(fed, input)) continue;
      if (Wait(device, node, input.node)) {
        nodes_[At(IndexOf(device, input.node))].consumers.push_back(IndexOf(device, node.id));
      }
    }
    for (const NodeId control : node.control_inputs) Wait(device, node, control);
  }

  // Whether the token is of the same iteration.
  bool Wait(int device, const Node& node, NodeId input) {
    const Node& from = parts_[At(device)].graph.node(input);
    if (IsNextIteration(from)) return false;
    BodyNode& waiting = nodes_[At(IndexOf(device, node.id))];
    waiting.waits_for.push_back(IndexOf(device, input));
    // An Enter's token is in another frame than what it waits for, and not in every iteration.
    if (HandsOnDeadness(node) && !IsEnter(from)) {
      waiting.leads_here.push_back(IndexOf(device, input));
    }
    return true;
  }

  void MeetSend(int recv) {
    if (sends_.empty()) FindSends();
    const auto found = sends_.find(KeyOf(NodeOf(nodes_[At(recv)])));
    if (found != sends_.end()) nodes_[At(recv)].waits_for.push_back(found->second);
  }
  void FindSends() {
    ForEach([this](int device, const Node& node) {
      const bool is_added = about_[At(device)].whole[Index(node.id)] == NodeId::kNone;
      if (is_added && node.op == "_Send") sends_[KeyOf(node)] = IndexOf(device, node.id);
    });
  }
  static std::string KeyOf(const Node& node) {
    return *StringAttr(node, "recv_device") + ";" + *StringAttr(node, "tensor_name");
  }

  const std::vector<DevicePart>& parts_;
  const std::vector<PartAbout>& about_;
  const PartitionOptions& options_;
  Ints begins_;                                 // by device: the index of its node 0
  std::vector<BodyNode> nodes_;                 // some are there for ids that no node has
  std::unordered_map<std::string, int> sends_;  // by key
};

// When everything ends, where a device does one thing at a time, and takes one message at a time.
struct Timing {
  std::vector<double> end_ns;  // by node
  double makespan_ns = 0;
  Ints order;  // of nodes: each behind those that it waits for
};

// holds: by node: whom a Recv waits for besides; kNone
Timing Simulate(const Body& body, const Ints& holds) {
  const std::vector<BodyNode>& nodes = body.nodes();
  Timing timing{std::vector<double>(nodes.size(), 0), 0, {}};
  std::vector<Ints> waiting(nodes.size());
  Ints missing(nodes.size(), 0);
  std::vector<double> due_ns(nodes.size(), 0);
  std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>>
      due;
  auto wait = [&](size_t node, int other) {
    waiting[At(other)].push_back(static_cast<int>(node));
    ++missing[node];
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const int other : nodes[i].waits_for) wait(i, other);
    if (holds[i] != kNone) wait(i, holds[i]);
    if (missing[i] == 0) due.emplace(0, static_cast<int>(i));
  }
  std::vector<double> free_ns(body.devices(), 0), link_free_ns(body.devices(), 0);
  while (!due.empty()) {
    const auto [now_ns, node] = due.top();
    due.pop();
    const BodyNode& about = nodes[At(node)];
    double end_ns = now_ns;
    if (about.ns > 0) {
      double& free = (about.is_recv ? link_free_ns : free_ns)[At(about.device)];
      end_ns = free = std::max(free, now_ns) + about.ns;
    }
    timing.end_ns[At(node)] = end_ns;
    timing.makespan_ns = std::max(timing.makespan_ns, end_ns);
    timing.order.push_back(node);
    for (const int other : waiting[At(node)]) {
      due_ns[At(other)] = std::max(due_ns[At(other)], end_ns);
      if (--missing[At(other)] == 0) due.emplace(due_ns[At(other)], other);
    }
  }
  return timing;
}

// Looks for whom Recvs can wait for.
class Holder {
 public:
  // timing: with all Recvs at once
  Holder(const Body& body, const Timing& timing) : body_(body), timing_(timing) {
    place_.assign(body.nodes().size(), 0);
    for (size_t i = 0; i < timing.order.size(); ++i) {
      place_[At(timing.order[i])] = static_cast<int>(i);
    }
  }

  // By node: whom a Recv is to wait for. caution: how many times its message's time is left for it
  Ints Find(double caution) const {
    Ints holds(body_.nodes().size(), kNone);
    for (size_t i = 0; i < holds.size(); ++i) {
      if (body_.nodes()[i].brings_tensor) holds[i] = FindFor(static_cast<int>(i), caution);
    }
    return holds;
  }

 private:
  const BodyNode& node(int index) const { return body_.nodes()[At(index)]; }
  // By consumer: how long the nodes between take, on the longest way; kUnreached.
  using Ways = std::vector<double>;
  // By place in the order, the last first.
  using Front = std::map<int, Ways, std::greater<>>;

  int FindFor(int recv, double caution) const {
    const int first = node(recv).consumers.empty() ? kNone : node(recv).consumers[0];
    const int behind = first != kNone && node(first).makes_long ? first : recv;
    const Ints& consumers = node(behind).consumers;
    Front front;
    for (size_t i = 0; i < consumers.size(); ++i) {
      Ways ways(consumers.size(), kUnreached);
      ways[i] = 0;
      Widen(consumers[i], behind, ways, 0, front);
    }
    const double wanted_ns = caution * node(recv).ns;
    int latest = kNone;
    for (int looked_at = 0; !front.empty() && looked_at < kMostNodesBeforeRecv; ++looked_at) {
      const auto [place, ways] = *front.begin();
      front.erase(front.begin());
      const int at = timing_.order[At(place)];
      if (std::ranges::all_of(ways, [&](double ns) { return ns >= wanted_ns; })) {
        if (latest == kNone || EndOf(at) > EndOf(latest)) latest = at;
      } else {
        Widen(at, behind, ways, node(at).ns, front);
      }
    }
    // What ends when the step begins holds nothing back.
    return latest != kNone && EndOf(latest) > 0 ? latest : kNone;
  }

  double EndOf(int index) const { return timing_.end_ns[At(index)]; }

  void Widen(int from, int except, const Ways& ways, double ns, Front& front) const {
    for (const int before : node(from).leads_here) {
      if (before == except || node(before).is_recv) continue;
      Ways& known = front.try_emplace(place_[At(before)], ways.size(), kUnreached).first->second;
      for (size_t i = 0; i < ways.size(); ++i) {
        if (ways[i] != kUnreached) known[i] = std::max(known[i], ways[i] + ns);
      }
    }
  }

  const Body& body_;
  const Timing& timing_;
  Ints place_;  // by node: in the order
};

}  // namespace

void DelayRecvs(std::vector<DevicePart>& parts, const std::vector<PartAbout>& about,
                const PartitionOptions& options) {
  const Body body(parts, about, options);
  const Ints none(body.nodes().size(), kNone);
  const Timing at_once = Simulate(body, none);
  const Holder holder(body, at_once);
  for (double caution = 1; caution <= kMostCaution; caution *= 2) {
    const Ints holds = holder.Find(caution);
    if (holds != none && Simulate(body, holds).makespan_ns > at_once.makespan_ns) continue;
    for (size_t i = 0; i < holds.size(); ++i) {
      if (holds[i] == kNone) continue;
      const BodyNode& recv = body.nodes()[i];
      Graph& graph = parts[At(recv.device)].graph;
      graph.mutable_node(recv.id).control_inputs.push_back(body.nodes()[At(holds[i])].id);
    }
    return;
  }
}

}  // namespace tagflow
