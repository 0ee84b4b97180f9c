#include "transform/structure/places.h"

#include <algorithm>
#include <optional>

#include "transform/limits.h"

namespace tagflow::recovery {

Places::Places(Structure& structure) : structure_(structure) {
  for (size_t i = 0; i < structure.predicates.size(); ++i) {
    levels_.push_back(structure.conditions.nesting(static_cast<int32_t>(i)));
  }
  for (size_t frame = 0; frame < structure.frames.size(); ++frame) {
    first_.push_back(static_cast<PlaceId>(places_.size()));
    Place& place = places_.emplace_back();
    place.frame = static_cast<int>(frame);
    const std::optional<ConditionLiteral> repeats = structure.frames[frame].repeats;
    if (repeats) levels_[static_cast<size_t>(repeats->predicate)] = -1;
  }
}

void Places::Begin(const std::vector<int>& parents) {
  found_.clear();
  for (size_t frame = 1; frame < first_.size(); ++frame) {
    const ConditionId entered = structure_.frames[frame].entered.value_or(ConditionId::kAlways);
    if (entered == ConditionId::kNever) continue;
    const PlaceId around = At(parents[frame], entered);
    places_[static_cast<size_t>(First(static_cast<int>(frame)))].depth = (*this)[around].depth + 1;
  }
}

PlaceId Places::At(int frame, ConditionId condition) {
  const auto [at, is_new] = found_.try_emplace({frame, condition}, PlaceId::kNone);
  if (is_new) at->second = Find(frame, condition);
  return at->second;
}

PlaceId Places::Find(int frame, ConditionId condition) {
  std::vector<ConditionLiteral> literals = structure_.conditions.literals(condition);
  std::ranges::sort(literals, {}, [&](const ConditionLiteral& literal) {
    return std::pair(levels_[static_cast<size_t>(literal.predicate)], literal.predicate);
  });
  PlaceId at = First(frame);
  for (const ConditionLiteral& literal : literals) {
    if (!structure_.predicates[static_cast<size_t>(literal.predicate)].irregular.empty()) continue;
    const RegionId region = RegionAt(at, literal.predicate);
    if ((*this)[region].declined.empty()) at = Child(region, literal.value);
  }
  return at;
}

bool Places::IsLoop(RegionId region) const {
  const PlaceRegion& found = (*this)[region];
  const Place& place = (*this)[found.place];
  const auto& repeats = structure_.frames[static_cast<size_t>(place.frame)].repeats;
  return place.parent == PlaceId::kNone && repeats && repeats->predicate == found.predicate;
}

RegionId Places::RegionAt(PlaceId place, int32_t predicate) {
  const auto [at, is_new] =
      region_ids_.try_emplace({place, predicate}, static_cast<RegionId>(regions_.size()));
  if (!is_new) return at->second;
  regions_.push_back({place, predicate, ""});
  const bool is_too_deep = (*this)[place].depth >= kMostNestedRegions;
  if (is_too_deep && !IsLoop(at->second)) {
    regions_.back().declined =
        "it is in " + std::to_string(kMostNestedRegions) + " loops and conds";
  }
  return at->second;
}

PlaceId Places::Child(RegionId region, int32_t value) {
  const auto [at, is_new] =
      place_ids_.try_emplace({region, value}, static_cast<PlaceId>(places_.size()));
  if (!is_new) return at->second;
  const PlaceId parent = (*this)[region].place;
  Place child = {parent,
                 region,
                 value,
                 (*this)[parent].depth + 1,
                 (*this)[parent].frame,
                 (*this)[parent].part};
  if (IsLoop(region)) {
    const bool repeats =
        structure_.frames[static_cast<size_t>(child.frame)].repeats->value == value;
    child.part = repeats ? Part::kBody : Part::kAfter;
    child.depth = (*this)[parent].depth;
  }
  places_.push_back(child);
  return at->second;
}

bool Places::IsWithin(PlaceId inner, PlaceId outer) const {
  if ((*this)[inner].frame != (*this)[outer].frame) return false;
  for (; inner != PlaceId::kNone; inner = (*this)[inner].parent) {
    if (inner == outer) return true;
  }
  return false;
}

std::optional<int32_t> Places::ValueAt(PlaceId place, int32_t predicate) const {
  for (; (*this)[place].parent != PlaceId::kNone; place = (*this)[place].parent) {
    if ((*this)[(*this)[place].region].predicate == predicate) return (*this)[place].value;
  }
  return std::nullopt;
}

ConditionId Places::ConditionOf(PlaceId place) {
  ConditionId condition = ConditionId::kAlways;
  for (; (*this)[place].parent != PlaceId::kNone; place = (*this)[place].parent) {
    condition = structure_.conditions.With(
        condition, {(*this)[(*this)[place].region].predicate, (*this)[place].value});
  }
  return condition;
}

PlaceId Places::Below(PlaceId outer, PlaceId inner) const {
  while ((*this)[inner].parent != outer) inner = (*this)[inner].parent;
  return inner;
}

bool Places::Decline(RegionId region, const std::string& why) {
  PlaceRegion& found = regions_[static_cast<size_t>(region)];
  if (!found.declined.empty() || IsLoop(region)) return false;
  found.declined = why;
  return true;
}

bool Places::DeclineUpTo(PlaceId inner, PlaceId outer, const std::string& why) {
  bool is_new = false;
  for (; inner != outer && (*this)[inner].parent != PlaceId::kNone; inner = (*this)[inner].parent) {
    is_new |= Decline((*this)[inner].region, why);
  }
  return is_new;
}

void Places::PutInside(int32_t predicate, ConditionId around) {
  int32_t& level = levels_[static_cast<size_t>(predicate)];
  if (level < 0) return;
  for (const ConditionLiteral& literal : structure_.conditions.literals(around)) {
    if (literal.predicate == predicate) continue;
    level = std::max(level, levels_[static_cast<size_t>(literal.predicate)] + 1);
  }
}

}  // namespace tagflow::recovery
