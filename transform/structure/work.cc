#include "transform/structure/work.h"

#include <map>
#include <string>

#include "graph/control_ops.h"

namespace tagflow::recovery {
namespace {

class Finder {
 public:
  Finder(Recovery& of, const Roles& roles) : of_(of), roles_(roles) {}

  Work Run(bool& declined) {
    const size_t frames = of_.structure.frames.size();
    work_.of_part.resize(frames);
    work_.of_node.assign(of_.graph.id_limit(), -1);
    work_.of_frame.assign(frames, -1);
    for (size_t frame = 1; frame < frames; ++frame) AddFrame(static_cast<int>(frame));
    for (const NodeId id : of_.structure.order) AddNode(of_.graph.node(id));
    for (size_t frame = 1; frame < frames; ++frame) ConnectFrame(static_cast<int>(frame));
    for (const NodeId id : of_.structure.order) Connect(of_.graph.node(id));
    for (size_t i = 0; i < work_.items.size(); ++i) ConnectPredicates(static_cast<int32_t>(i));
    declined = declined_;
    return std::move(work_);
  }

 private:
  int32_t Add(WorkItem item) {
    const auto index = static_cast<int32_t>(work_.items.size());
    const Place& place = of_.places[item.place];
    work_.of_part[static_cast<size_t>(place.frame)][static_cast<size_t>(place.part)].push_back(
        index);
    work_.items.push_back(item);
    return index;
  }

  void AddFrame(int frame) {
    const int unit = of_.UnitOf(frame);
    if (unit >= 0 && unit != frame) return;
    const ConditionId entered = of_.Entered(frame);
    if (entered == ConditionId::kNever) return;
    work_.of_frame[static_cast<size_t>(frame)] =
        Add({unit < 0 ? WorkItem::Kind::kLoop : WorkItem::Kind::kFrame, NodeId::kNone, frame,
             of_.PlaceOfFrame(frame), entered});
  }

  void AddNode(const Node& node) {
    const Role role = roles_[node.id];
    const bool leaves = role == Role::kLeave;
    if (!leaves && role != Role::kReal && role != Role::kGate && role != Role::kJoin) return;
    const int frame = of_.FrameOf(node.id);
    const ConditionId condition = leaves ? of_.Entered(frame) : of_.ConditionOf(node.id);
    if (condition == ConditionId::kNever) return;
    const PlaceId place = leaves ? of_.PlaceOfFrame(frame) : of_.places.At(frame, condition);
    work_.of_node[Index(node.id)] = Add({WorkItem::Kind::kNode, node.id, 0, place, condition});
  }

  void Edge(int32_t before, int32_t after) {
    if (before < 0 || after < 0 || before == after) return;
    const WorkItem& from = work_.items[static_cast<size_t>(before)];
    const WorkItem& to = work_.items[static_cast<size_t>(after)];
    const Place& source = of_.places[from.place];
    const Place& end = of_.places[to.place];
    if (source.frame == end.frame && source.part != end.part && source.part != Part::kTest) {
      declined_ |=
          of_.DeclineFrame(source.frame, "what runs in each iteration waits for '" +
                                             of_.graph.node(from.node).name + "', which does not");
    }
    work_.edges.emplace_back(before, after);
  }
  void DataEdge(OutputRef input, PlaceId user, int32_t item) {
    Edge(work_.MakerOf(of_, roles_, roles_.Resolve(input, user)), item);
  }
  void ControlEdges(const Node& node, int32_t item) {
    for (const NodeId control : node.control_inputs) {
      for (const NodeId id : roles_.WaitsFor(control)) Edge(work_.ItemOf(of_, roles_, id), item);
    }
  }

  void ConnectFrame(int frame) {
    const int32_t item = work_.of_frame[static_cast<size_t>(frame)];
    if (item < 0) return;
    for (const NodeId id : of_.valid.frames.frames[static_cast<size_t>(frame)].enters) {
      const Node& enter = of_.graph.node(id);
      if (roles_[id] == Role::kReal) {
        Edge(work_.of_node[Index(id)], item);
      } else if (roles_[id] != Role::kUnneeded && roles_[id] != Role::kGone) {
        const PlaceId user = of_.places.At(of_.FrameOf(id), of_.ConditionOf(id));
        DataEdge(enter.inputs[0], user, item);
        ControlEdges(enter, item);
      }
    }
  }

  void Connect(const Node& node) {
    const int32_t item = work_.of_node[Index(node.id)];
    if (item < 0 || of_.fed.IsFedPlaceholder(node)) return;
    const PlaceId place = work_.items[static_cast<size_t>(item)].place;
    switch (roles_[node.id]) {
      case Role::kJoin:
        ConnectWays(node, item);
        break;
      case Role::kLeave:
        Edge(work_.of_frame[static_cast<size_t>(of_.FrameOf(node.id))], item);
        return;
      case Role::kGate:
        DataEdge(node.inputs[0], place, item);
        break;
      default:
        for (const OutputRef input : node.inputs) DataEdge(input, place, item);
    }
    ControlEdges(node, item);
  }

  void ConnectWays(const Node& merge, int32_t item) {
    for (size_t i = 0; i < merge.inputs.size(); ++i) {
      const ConditionId condition = of_.EdgeCondition(merge.inputs[i]);
      if (condition == ConditionId::kNever) continue;
      const PlaceId place = of_.places.At(of_.FrameOf(merge.id), condition);
      const int32_t way =
          Add({WorkItem::Kind::kWay, merge.id, static_cast<int32_t>(i), place, condition});
      DataEdge(merge.inputs[i], place, way);
      Edge(way, item);
    }
  }

  // What is in a region waits for its predicate.
  void ConnectPredicates(int32_t item) {
    PlaceId at = work_.items[static_cast<size_t>(item)].place;
    for (; of_.places[at].parent != PlaceId::kNone; at = of_.places[at].parent) {
      const RegionId region = of_.places[at].region;
      const auto [maker, is_new] = predicate_makers_.try_emplace(region, -1);
      if (is_new) {
        const auto predicate = static_cast<size_t>(of_.places[region].predicate);
        PlaceId user = of_.places[region].place;
        const OutputRef tensor = of_.structure.predicates[predicate].tensor;
        maker->second = work_.MakerOf(of_, roles_, roles_.Resolve(tensor, user));
      }
      Edge(maker->second, item);
    }
  }

  Recovery& of_;
  const Roles& roles_;
  Work work_;
  std::map<RegionId, int32_t> predicate_makers_;
  bool declined_ = false;
};

}  // namespace

int32_t Work::MakerOf(const Recovery& of, const Roles& roles, Value value) const {
  if (of.fed.Contains(value.output)) return -1;
  if (value.after) return of_frame[static_cast<size_t>(of.FrameOf(value.output.node))];
  return ItemOf(of, roles, value.output.node);
}

int32_t Work::ItemOf(const Recovery& of, const Roles& roles, NodeId node) const {
  if (roles[node] != Role::kMember) return of_node[Index(node)];
  return of_frame[static_cast<size_t>(of.UnitOf(of.FrameOf(node)))];
}

Work FindWork(Recovery& of, const Roles& roles, bool& declined) {
  return Finder(of, roles).Run(declined);
}

}  // namespace tagflow::recovery
