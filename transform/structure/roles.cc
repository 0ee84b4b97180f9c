#include "transform/structure/roles.h"

#include <set>
#include <utility>

#include "graph/control_ops.h"
#include "graph/switch_predicate.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::recovery {

Recovery::Recovery(const Graph& of_graph, CallSpec of_call, ValidatedCall of_valid,
                   Structure of_structure)
    : graph(of_graph),
      call(std::move(of_call)),
      valid(std::move(of_valid)),
      fed(of_graph, call.feeds),
      structure(std::move(of_structure)),
      places(structure) {
  for (size_t frame = 0; frame < structure.frames.size(); ++frame) {
    parents.push_back(valid.frames.frames[frame].parent);
    declined_frames.push_back(structure.frames[frame].irregular);
    const std::optional<ConditionLiteral>& repeats = structure.frames[frame].repeats;
    if (frame == FrameTree::kRoot || !declined_frames.back().empty()) continue;
    if (!repeats) {
      declined_frames.back() = "nothing goes round in it";
    } else {
      declined_frames.back() =
          structure.predicates[static_cast<size_t>(repeats->predicate)].irregular;
    }
  }
}

int Recovery::UnitOf(int frame) const {
  int unit = -1;
  for (; frame > FrameTree::kRoot; frame = parents[static_cast<size_t>(frame)]) {
    if (!declined_frames[static_cast<size_t>(frame)].empty()) unit = frame;
  }
  return unit;
}

bool Recovery::DeclineFrame(int frame, const std::string& why) {
  std::string& declined = declined_frames[static_cast<size_t>(frame)];
  if (!declined.empty()) return false;
  declined = why;
  return true;
}

Roles::Roles(Recovery& of)
    : of_(of),
      roles_(of.graph.id_limit(), Role::kUnneeded),
      pinned_(of.graph.id_limit()),
      index_used_(of.graph.id_limit()),
      data_consumers_(of.graph.id_limit()),
      joined_(of.graph.id_limit(), -1),
      is_target_(of.graph.id_limit()) {
  Count();
  for (const NodeId id : of.structure.order) {
    roles_[Index(id)] = RoleOf(of.graph.node(id));
    has_switch_ |= roles_[Index(id)] == Role::kReal && of.structure.switched_on[Index(id)] >= 0;
  }
}

void Roles::Count() {
  const auto use = [&](OutputRef output) {
    ++data_consumers_[Index(output.node)];
    if (output.index == 1) index_used_[Index(output.node)] = true;
  };
  for (const NodeId id : of_.structure.order) {
    const Node& node = of_.graph.node(id);
    if (of_.fed.IsFedPlaceholder(node)) continue;
    for (const OutputRef input : node.inputs) {
      if (!of_.fed.Contains(input)) use(input);
    }
  }
  for (const NodeId target : of_.call.targets) is_target_[Index(target)] = true;
  for (const OutputRef feed : of_.call.feeds) pinned_[Index(feed.node)] = true;
  for (const OutputRef fetch : of_.call.fetches) {
    pinned_[Index(fetch.node)] = true;
    use(fetch);
  }
}

Role Roles::RoleOf(const Node& node) {
  const int frame = of_.FrameOf(node.id);
  if (of_.UnitOf(frame) >= 0) return Role::kMember;
  if (of_.fed.IsFedPlaceholder(node)) return Role::kReal;
  if (of_.ConditionOf(node.id) == ConditionId::kNever) return Role::kGone;
  switch (ControlOpOf(node.op)) {
    case ControlOp::kEnter:
      if (of_.UnitOf(of_.ChildOf(node)) >= 0) return Role::kReal;
      return IsConstantEnter(node) ? Role::kConstant : Role::kEntry;
    case ControlOp::kExit:
      return Role::kLeave;
    case ControlOp::kNextIteration:
      return Role::kNext;
    case ControlOp::kMerge:
      if (IsLoopVariable(of_.graph, node, of_.fed)) return Role::kVariable;
      return Joins(node) ? Role::kJoin : Role::kReal;
    case ControlOp::kSwitch:
      return RoleOfSwitch(node);
    case ControlOp::kLoopCond:
      return IsLoopPredicate(node) ? Role::kAlias : Role::kReal;
    case ControlOp::kNone:
      break;
  }
  if (IsSwitchN(node)) return RoleOfSwitch(node);
  return IsPivot(node) ? Role::kPivot : Role::kReal;
}

// A Switch stays where its predicate is not that of a region all the way to whoever takes its
// outputs, and where nobody does: it checks its predicate.
Role Roles::RoleOfSwitch(const Node& node) {
  const int32_t predicate = of_.structure.switched_on[Index(node.id)];
  const bool is_known = of_.structure.known_ways.contains(node.id);
  if ((predicate < 0 && !is_known) || node.op.starts_with("Ref") || pinned_[Index(node.id)] ||
      data_consumers_[Index(node.id)] == 0) {
    return Role::kReal;
  }
  for (int32_t value = 0; !is_known && value < of_.structure.conditions.arity(predicate); ++value) {
    const ConditionId condition =
        of_.structure.conditions.With(of_.ConditionOf(node.id), {predicate, value});
    if (condition == ConditionId::kNever) continue;
    const PlaceId place = of_.places.At(of_.FrameOf(node.id), condition);
    if (!of_.places.ValueAt(place, predicate)) return Role::kReal;
  }
  return node.control_inputs.empty() ? Role::kAlias : Role::kGate;
}

// Whether the inputs are, each in its branch, those of one region at the Merge's place.
bool Roles::Joins(const Node& merge) {
  Conditions& conditions = of_.structure.conditions;
  if (merge.op != "Merge") return false;
  const ConditionId own = of_.ConditionOf(merge.id);
  const PlaceId place = of_.places.At(of_.FrameOf(merge.id), own);
  int32_t joined = -1;
  for (const OutputRef input : merge.inputs) {
    if (of_.fed.Contains(input)) return false;
    const ConditionId condition = of_.EdgeCondition(input);
    if (condition == ConditionId::kNever) continue;
    const std::vector<ConditionLiteral> rest = conditions.Rest(condition, own);
    if (rest.size() != 1 || !conditions.Implied(own, condition)) return false;
    if (joined >= 0 && rest[0].predicate != joined) return false;
    joined = rest[0].predicate;
    const PlaceId way = of_.places.At(of_.FrameOf(merge.id), condition);
    if (way == place || of_.places[way].parent != place) return false;
    if (of_.places[of_.places[way].region].predicate != joined) return false;
  }
  for (const OutputRef feed : of_.call.feeds) {
    if (feed.node == merge.id) return false;
  }
  joined_[Index(merge.id)] = joined;
  return joined >= 0;
}

bool Roles::IsPivot(const Node& node) const {
  if (node.op != "Identity" || !node.control_inputs.empty() || pinned_[Index(node.id)] ||
      is_target_[Index(node.id)] || data_consumers_[Index(node.id)] > 0 ||
      of_.fed.Contains(node.inputs[0])) {
    return false;
  }
  const Role input = roles_[Index(node.inputs[0].node)];
  return input == Role::kAlias || input == Role::kVariable || input == Role::kConstant;
}

bool Roles::IsLoopPredicate(const Node& loop_cond) const {
  const auto& repeats =
      of_.structure.frames[static_cast<size_t>(of_.FrameOf(loop_cond.id))].repeats;
  if (!repeats || pinned_[Index(loop_cond.id)] || !loop_cond.control_inputs.empty()) return false;
  const Predicate& predicate = of_.structure.predicates[static_cast<size_t>(repeats->predicate)];
  return AskedTensor(of_.graph, of_.fed, loop_cond.inputs[0]) == predicate.tensor;
}

Value Roles::Resolve(OutputRef output, PlaceId& user) const {
  while (!of_.fed.Contains(output)) {
    const Node& node = of_.graph.node(output.node);
    const bool after = of_.places[user].part == Part::kAfter;
    switch (roles_[Index(output.node)]) {
      case Role::kAlias:
        output = node.inputs[0];
        break;
      case Role::kGate:
        return {{output.node, 0}};
      case Role::kVariable:
        return {output, after};
      case Role::kConstant:
        // The constant is what it was outside.
        if (!after) return {output};
        user = of_.PlaceOfFrame(of_.ChildOf(node));
        output = node.inputs[0];
        break;
      default:
        return {output};
    }
  }
  return {output};
}

std::vector<NodeId> Roles::WaitsFor(NodeId id) const {
  std::vector<NodeId> found;
  std::vector<NodeId> open = {id};
  std::set<NodeId> seen;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const Role role = roles_[Index(at)];
    if (role != Role::kAlias && role != Role::kPivot && role != Role::kNext) {
      if (role != Role::kGone) found.push_back(at);
      continue;
    }
    for (const OutputRef input : of_.graph.node(at).inputs) {
      if (!of_.fed.Contains(input)) open.push_back(input.node);
    }
  }
  return found;
}

}  // namespace tagflow::recovery
