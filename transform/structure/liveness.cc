#include "transform/structure/liveness.h"

namespace tagflow::recovery {

Liveness::Liveness(Recovery& of, const Roles& roles, const Work& work, const Arrangement& arranged)
    : of_(of),
      tree_(arranged.tree),
      live_(tree_.choices.size(), ConditionId::kAlways),
      takes_(tree_.choices.size(), ConditionId::kAlways) {
  is_precise_ = roles.HasSwitch() || !of.structure.irregular_nodes.empty();
  for (size_t i = 0; i < of.places.num_regions(); ++i) {
    is_precise_ |= !of.places[static_cast<RegionId>(i)].declined.empty();
  }
  for (const Predicate& predicate : of.structure.predicates) {
    is_precise_ |= !predicate.irregular.empty();
  }
  if (is_precise_) Find(work, arranged);
}

int Liveness::FrameOf(size_t choice) const {
  return of_.places[of_.places[tree_.choices[choice].region].place].frame;
}

void Liveness::Find(const Work& work, const Arrangement& arranged) {
  Conditions& conditions = of_.structure.conditions;
  std::vector<bool> is_found(tree_.choices.size());
  for (size_t i = 0; i < work.items.size(); ++i) {
    const WorkItem& item = work.items[i];
    const int frame = of_.places[item.place].frame;
    for (BlockId at = arranged.home[i]; at != BlockId::kRoot; at = tree_.block(at).parent) {
      const TreeItem within = tree_.block(at).within;
      const auto choice = static_cast<size_t>(within.index);
      if (within.kind != TreeItem::Kind::kChoice || FrameOf(choice) != frame) continue;
      live_[choice] =
          is_found[choice] ? conditions.Common(live_[choice], item.condition) : item.condition;
      is_found[choice] = true;
    }
  }
  for (size_t i = 0; i < tree_.choices.size(); ++i) {
    live_[i] = conditions.Without(live_[i], tree_.choices[i].predicate);
  }
}

bool Liveness::Takes(size_t choice, ConditionId live, int frame) {
  if (!is_precise_ || FrameOf(choice) != frame) return true;
  takes_[choice] = of_.structure.conditions.Both(takes_[choice], live);
  return of_.structure.conditions.Implied(live, live_[choice]);
}

bool Liveness::Gives(size_t choice, size_t branch, ConditionId live) const {
  if (!is_precise_) return true;
  const ConditionLiteral literal = {tree_.choices[choice].predicate, static_cast<int32_t>(branch)};
  return of_.structure.conditions.Implied(live,
                                          of_.structure.conditions.With(live_[choice], literal));
}

std::string Liveness::WhyNotDead(size_t choice) const {
  if (!is_precise_) return "";
  Conditions& conditions = of_.structure.conditions;
  const Choice& asked = tree_.choices[choice];
  const ConditionId place = of_.places.ConditionOf(of_.places[asked.region].place);
  ConditionId inputs = conditions.Both(takes_[choice], place);
  const OutputRef tensor = of_.structure.predicates[static_cast<size_t>(asked.predicate)].tensor;
  if (!of_.fed.Contains(tensor)) {
    const ConditionId own = of_.EdgeCondition(tensor);
    inputs = conditions.Both(inputs, own);
    if (!conditions.Implied(own, live_[choice])) {
      return "its predicate may be dead where the cond is not";
    }
  }
  if (conditions.Implied(live_[choice], inputs)) return "";
  return "it takes nothing that is dead where it is";
}

}  // namespace tagflow::recovery
