#include "transform/structure/recover_tree.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <utility>

#include "graph/control_ops.h"
#include "transform/limits.h"

namespace tagflow::recovery {
namespace {

constexpr int kMostRounds = 32;

bool SendsOrReceives(const Node& node) {
  return node.op == "_Send" || node.op == "_HostSend" || node.op == "_Recv" ||
         node.op == "_HostRecv";
}

// A ControlTrigger is live in each iteration; it is of interest where something waits for it.
void SinkTriggers(const Graph& graph, Structure& structure) {
  std::vector<std::optional<ConditionId>> needed(graph.id_limit());
  const auto need = [&](NodeId id, ConditionId condition) {
    if (condition == ConditionId::kNever) return;
    std::optional<ConditionId>& at = needed[Index(id)];
    at = at ? structure.conditions.Common(*at, condition) : condition;
  };
  for (const NodeId id : std::views::reverse(structure.order)) {
    const Node& node = graph.node(id);
    ConditionId& condition = structure.condition[Index(id)];
    const bool is_trigger = node.op == "ControlTrigger";
    if (is_trigger && needed[Index(id)]) condition = *needed[Index(id)];
    // A Merge waits where it is dead, too.
    for (const NodeId control : node.control_inputs) {
      if (graph.node(control).op != "ControlTrigger") continue;
      need(control, IsMerge(node) ? ConditionId::kAlways : condition);
    }
  }
}

// The checks of a round, each of which declines what may not be recovered.
class Checks {
 public:
  explicit Checks(RecoveredTree& made) : made_(made), of_(*made.of) {}

  // What can be said before anything is put in order.
  bool DeclineFrames() {
    for (size_t frame = 1; frame < of_.structure.frames.size(); ++frame) {
      const int index = static_cast<int>(frame);
      if (of_.UnitOf(index) >= 0 || of_.Entered(index) == ConditionId::kNever) continue;
      if (of_.places[of_.places.First(index)].depth > kMostNestedRegions) {
        declined_ |= of_.DeclineFrame(
            index, "it is in " + std::to_string(kMostNestedRegions) + " loops and conds");
      }
      for (const LoopVariable& variable : of_.structure.frames[frame].variables) {
        DeclineOddVariable(index, of_.graph.node(variable.merge));
      }
      for (const NodeId id : of_.valid.frames.frames[frame].enters) {
        if (of_.graph.node(id).op.starts_with("Ref")) {
          declined_ |=
              of_.DeclineFrame(index, "'" + of_.graph.node(id).name + "' takes a reference");
        }
      }
    }
    for (const OutputRef feed : of_.call.feeds) DeclineFed(of_.graph.node(feed.node));
    return declined_;
  }

  bool CheckItems() {
    for (size_t i = 0; i < made_.work.items.size(); ++i) {
      const WorkItem& item = made_.work.items[i];
      if (item.kind == WorkItem::Kind::kFrame) CheckUnit(item, made_.arranged.home[i]);
      if (item.kind == WorkItem::Kind::kNode) CheckNode(item, made_.arranged.home[i]);
    }
    return declined_;
  }

  // All that is around a place.
  void DeclineAround(PlaceId place, const std::string& why) {
    int frame = of_.places[place].frame;
    declined_ |= of_.places.DeclineUpTo(place, of_.places.First(frame), why);
    for (; frame != FrameTree::kRoot; frame = of_.parents[static_cast<size_t>(frame)]) {
      declined_ |= of_.DeclineFrame(frame, why);
      const PlaceId around = of_.PlaceOfFrame(frame);
      const int outer = of_.parents[static_cast<size_t>(frame)];
      declined_ |= of_.places.DeclineUpTo(around, of_.places.First(outer), why);
    }
  }

 private:
  void DeclineOddVariable(int frame, const Node& merge) {
    const std::string name = "'" + merge.name + "' ";
    if (!merge.control_inputs.empty()) {
      declined_ |= of_.DeclineFrame(frame, name + "waits for something in each iteration");
    } else if (made_.roles->IndexIsUsed(merge.id)) {
      declined_ |= of_.DeclineFrame(frame, name + "tells which iteration is the first");
    }
  }

  // A node that is fed keeps its name, and so is no name for something else.
  void DeclineFed(const Node& node) {
    const Role role = (*made_.roles)[node.id];
    if (role == Role::kReal || role == Role::kMember || role == Role::kUnneeded) return;
    const int frame =
        role == Role::kConstant || role == Role::kEntry ? of_.ChildOf(node) : of_.FrameOf(node.id);
    if (frame > FrameTree::kRoot) {
      declined_ |= of_.DeclineFrame(frame, "'" + node.name + "' of it is fed");
    } else if (made_.why_not.empty()) {
      made_.why_not = "'" + node.name + "' is fed";
    }
  }

  void CheckNode(const WorkItem& item, BlockId home) {
    const Node& node = of_.graph.node(item.node);
    if (home == BlockId::kRoot && of_.places[item.place].frame == FrameTree::kRoot) return;
    if (made_.roles->IsPinned(node.id)) {
      DeclineAround(item.place, "'" + node.name + "' in it is fed or fetched");
    }
    if (SendsOrReceives(node)) {
      DeclineAround(item.place, "'" + node.name + "' in it sends or receives");
    }
  }

  // The Enters of a frame that stays have to be where it is, and what it does for nobody is only
  // done where a call runs it.
  void CheckUnit(const WorkItem& unit, BlockId home) {
    const auto frame = static_cast<size_t>(unit.index);
    const std::string name = "'" + of_.valid.frames.Path(unit.index) + "'";
    for (const NodeId id : of_.valid.frames.frames[frame].enters) {
      const int32_t item = made_.work.of_node[Index(id)];
      if (item < 0 || made_.arranged.home[static_cast<size_t>(item)] == home) continue;
      const std::string why = "not all of the frame " + name + ", which stays, is in it";
      const PlaceId place = made_.work.items[static_cast<size_t>(item)].place;
      if (place == unit.place) {
        DeclineAround(place, why);
      } else {
        declined_ |= of_.places.DeclineUpTo(place, unit.place, why);
        declined_ |= of_.places.DeclineUpTo(unit.place, place, why);
      }
    }
    if (home != BlockId::kRoot && UnitAt(unit.index).is_pinned) {
      DeclineAround(unit.place, "what comes out of the frame " + name + " in it is fed or fetched");
    }
    if (home != BlockId::kRoot && UnitAt(unit.index).has_ends) {
      DeclineAround(unit.place, "the frame " + name + " in it stays, and acts for nobody");
    }
  }

  // What is known of a frame that stays, and of all that is in it.
  struct Unit {
    bool is_pinned = false;  // an output of it is fed or fetched
    bool has_ends = false;   // something in it is taken by nobody
  };
  const Unit& UnitAt(int frame) {
    if (units_.empty()) FindUnits();
    return units_[static_cast<size_t>(frame)];
  }
  void FindUnits() {
    units_.resize(of_.structure.frames.size());
    const auto unit = [&](NodeId id) {
      const int found = of_.UnitOf(of_.FrameOf(id));
      return found < 0 ? nullptr : &units_[static_cast<size_t>(found)];
    };
    std::vector<bool> is_taken(of_.graph.id_limit());
    for (const NodeId id : of_.structure.order) {
      const Node& node = of_.graph.node(id);
      for (const OutputRef input : node.inputs) is_taken[Index(input.node)] = true;
      for (const NodeId input : node.control_inputs) is_taken[Index(input)] = true;
    }
    for (const std::vector<OutputRef>* outputs : {&of_.call.feeds, &of_.call.fetches}) {
      for (const OutputRef output : *outputs) {
        if ((*made_.roles)[output.node] != Role::kMember) continue;
        is_taken[Index(output.node)] = true;
        if (Unit* const found = unit(output.node)) found->is_pinned = true;
      }
    }
    for (const NodeId id : of_.structure.order) {
      if (is_taken[Index(id)]) continue;
      if (Unit* const found = unit(id)) found->has_ends = true;
    }
  }

  RecoveredTree& made_;
  Recovery& of_;
  std::vector<Unit> units_;  // by frame
  bool declined_ = false;
};

// Says where Merges join branches which predicate is inside of which.
void FindNesting(Recovery& of) {
  for (const NodeId id : of.structure.order) {
    const Node& merge = of.graph.node(id);
    const ConditionId own = of.ConditionOf(id);
    if (!IsMerge(merge) || own == ConditionId::kNever || own == ConditionId::kAlways) continue;
    for (const OutputRef input : merge.inputs) {
      if (of.fed.Contains(input)) continue;
      const ConditionId way = of.EdgeCondition(input);
      if (way == ConditionId::kNever) continue;
      for (const ConditionLiteral& literal : of.structure.conditions.Rest(way, own)) {
        of.places.PutInside(literal.predicate, own);
      }
    }
  }
}

// One round. True when nothing was declined in it.
bool TryRound(RecoveredTree& made) {
  Recovery& of = *made.of;
  of.places.Begin(of.parents);
  made.roles = std::make_unique<Roles>(of);
  Checks checks(made);
  if (checks.DeclineFrames() || !made.why_not.empty()) return false;
  bool declined = false;
  made.work = FindWork(of, *made.roles, declined);
  if (declined) return false;
  made.arranged = Arrange(of, made.work);
  if (!made.arranged.stuck.empty()) {
    for (const int32_t item : made.arranged.stuck) {
      const WorkItem& stuck = made.work.items[static_cast<size_t>(item)];
      if (stuck.kind == WorkItem::Kind::kLoop) {
        declined |= of.DeclineFrame(stuck.index, "it waits for what comes out of it");
      }
    }
    if (!declined) made.why_not = "what is to stay among primitives waits for itself";
    return false;
  }
  if (checks.CheckItems()) return false;
  made.wires = FindWires(of, *made.roles, made.work, made.arranged, declined);
  return !declined;
}

// Reasons, each where it is seen: at a Switch or Merge that stays, and at a frame.
void ListDeclined(RecoveredTree& made) {
  Recovery& of = *made.of;
  std::vector<Declined>& declined = made.arranged.tree.declined;
  for (size_t i = 0; i < of.places.num_regions(); ++i) {
    const PlaceRegion& region = of.places[static_cast<RegionId>(i)];
    const Predicate& predicate = of.structure.predicates[static_cast<size_t>(region.predicate)];
    if (!region.declined.empty()) declined.push_back({predicate.witness, -1, region.declined});
  }
  for (size_t frame = 0; frame < of.declined_frames.size(); ++frame) {
    if (of.declined_frames[frame].empty()) continue;
    declined.push_back({NodeId::kNone, static_cast<int>(frame), of.declined_frames[frame]});
  }
  for (const Predicate& predicate : of.structure.predicates) {
    if (!predicate.irregular.empty()) {
      declined.push_back({predicate.witness, -1, predicate.irregular});
    }
  }
}

// What builders of conds leave behind: nobody is in that branch.
bool IsIdlePivot(const Graph& graph, const Node& node) {
  return node.op == "Identity" && node.inputs.size() == 1 &&
         IsSwitch(graph.node(node.inputs[0].node));
}

}  // namespace

CallSpec WholeCall(const Graph& graph) {
  std::vector<bool> is_taken(graph.id_limit());
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    for (const OutputRef input : node.inputs) is_taken[Index(input.node)] = true;
    for (const NodeId input : node.control_inputs) is_taken[Index(input)] = true;
  }
  CallSpec call;
  for (const NodeId id : graph.NodeIds()) {
    const std::string& op = graph.node(id).op;
    if (op == "Placeholder" || op == "PlaceholderV2") call.feeds.push_back({id, 0});
    if (!is_taken[Index(id)] && !IsIdlePivot(graph, graph.node(id))) call.targets.push_back(id);
  }
  return call;
}

Result<RecoveredTree> RecoverTree(const Graph& graph, const CallSpec& call) {
  RecoveredTree made;
  TAGFLOW_ASSIGN_OR_RETURN(ValidatedCall valid, ValidateCall(graph, call));
  Structure structure = RecoverRegularParts(graph, call, valid);
  if (!structure.irregular.empty()) {
    made.why_not = structure.irregular;
    return made;
  }
  SinkTriggers(graph, structure);
  made.of = std::make_unique<Recovery>(graph, call, std::move(valid), std::move(structure));
  for (const OutputRef fetch : call.fetches) {
    const ConditionId condition =
        made.of->fed.Contains(fetch) ? ConditionId::kAlways : made.of->EdgeCondition(fetch);
    if (condition != ConditionId::kNever) continue;
    made.why_not = "'" + graph.node(fetch.node).name + "' is fetched, and is never live";
    return made;
  }
  FindNesting(*made.of);
  for (int round = 0; round < kMostRounds && made.why_not.empty(); ++round) {
    if (!TryRound(made)) continue;
    ListDeclined(made);
    return made;
  }
  if (made.why_not.empty()) made.why_not = "too much of it cannot be recovered";
  return made;
}

}  // namespace tagflow::recovery
