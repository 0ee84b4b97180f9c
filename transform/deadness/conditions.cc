#include "transform/deadness/conditions.h"

#include <algorithm>
#include <utility>

namespace tagflow {
namespace {

// The sorted union; nothing when they disagree about a predicate.
std::optional<std::vector<ConditionLiteral>> Union(std::span<const ConditionLiteral> a,
                                                   std::span<const ConditionLiteral> b) {
  std::vector<ConditionLiteral> all;
  all.reserve(a.size() + b.size());
  std::ranges::set_union(a, b, std::back_inserter(all));
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i].predicate == all[i - 1].predicate) return std::nullopt;
  }
  return all;
}

const ConditionLiteral* Find(std::span<const ConditionLiteral> literals, int32_t predicate) {
  const auto found =
      std::ranges::lower_bound(literals, predicate, {}, &ConditionLiteral::predicate);
  return found != literals.end() && found->predicate == predicate ? &*found : nullptr;
}

}  // namespace

size_t Conditions::Hash::operator()(const std::vector<ConditionLiteral>& literals) const {
  uint64_t hash = literals.size();
  for (const ConditionLiteral& literal : literals) {
    hash = (hash ^ static_cast<uint32_t>(literal.predicate)) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ static_cast<uint32_t>(literal.value)) * 0xC2B2AE3D27D4EB4Fu;
    hash ^= hash >> 29;
  }
  return hash;
}

ConditionId Conditions::Intern(std::vector<ConditionLiteral> literals) {
  const auto [place, is_new] =
      ids_.try_emplace(literals, static_cast<ConditionId>(literals_.size()));
  if (is_new) literals_.push_back(std::move(literals));
  return place->second;
}

ConditionId Conditions::Both(ConditionId a, ConditionId b) {
  if (a == b || b == ConditionId::kAlways) return a;
  if (a == ConditionId::kAlways) return b;
  if (a == ConditionId::kNever || b == ConditionId::kNever) return ConditionId::kNever;
  if (a > b) std::swap(a, b);
  const uint64_t key = static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b);
  if (const auto found = both_.find(key); found != both_.end()) return found->second;
  std::optional<std::vector<ConditionLiteral>> all = Union(literals(a), literals(b));
  const ConditionId result = all ? Intern(*std::move(all)) : ConditionId::kNever;
  both_.emplace(key, result);
  return result;
}

ConditionId Conditions::With(ConditionId a, ConditionLiteral literal) {
  return Both(a, Intern({literal}));
}

ConditionId Conditions::Without(ConditionId a, int32_t predicate) {
  const std::span<const ConditionLiteral> all = literals(a);
  if (Find(all, predicate) == nullptr) return a;
  std::vector<ConditionLiteral> rest(all.begin(), all.end());
  std::erase_if(rest,
                [&](const ConditionLiteral& literal) { return literal.predicate == predicate; });
  return Intern(std::move(rest));
}

// Replaces the conditions that differ in one predicate alone, and go through all of its values, by
// what they have in common.
bool Conditions::JoinOnePredicate(std::vector<ConditionId>& conditions) {
  for (const ConditionId first : conditions) {
    const std::span<const ConditionLiteral> held = literals(first);
    const std::vector<ConditionLiteral> candidates(held.begin(), held.end());
    for (const ConditionLiteral& literal : candidates) {
      const ConditionId rest = Without(first, literal.predicate);
      std::vector<ConditionId> ways;
      for (int32_t value = 0; value < arity(literal.predicate); ++value) {
        ways.push_back(With(rest, {literal.predicate, value}));
      }
      const bool all_there = std::ranges::all_of(ways, [&](ConditionId way) {
        return std::ranges::find(conditions, way) != conditions.end();
      });
      if (!all_there) continue;
      for (ConditionId way : ways) conditions.erase(std::ranges::find(conditions, way));
      conditions.push_back(rest);
      return true;
    }
  }
  return false;
}

std::optional<ConditionId> Conditions::OneOf(std::vector<ConditionId> conditions) {
  std::erase(conditions, ConditionId::kNever);
  if (conditions.empty()) return ConditionId::kNever;
  while (conditions.size() > 1) {
    if (!JoinOnePredicate(conditions)) return std::nullopt;
  }
  return conditions[0];
}

bool Conditions::Implied(ConditionId a, ConditionId by) const {
  if (by == ConditionId::kNever) return true;
  if (a == ConditionId::kNever) return false;
  return std::ranges::includes(literals(by), literals(a));
}

bool Conditions::Exclusive(ConditionId a, ConditionId b) const {
  if (a == ConditionId::kNever || b == ConditionId::kNever) return true;
  for (const ConditionLiteral& literal : literals(a)) {
    const ConditionLiteral* other = Find(literals(b), literal.predicate);
    if (other != nullptr && other->value != literal.value) return true;
  }
  return false;
}

}  // namespace tagflow
