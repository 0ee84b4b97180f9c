#include "transform/deadness/conditions.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace tagflow {

// The predicates above `bit`.
bool Conditions::Belongs(uint32_t predicate, const Node& node) {
  if (node.bit == 0) return predicate == node.key;
  return (predicate & ~(node.bit | (node.bit - 1))) == node.key;
}

size_t Conditions::Hash::operator()(const Node& node) const {
  uint64_t hash = node.key;
  for (const uint64_t part : {uint64_t{node.bit}, static_cast<uint64_t>(node.child[0]),
                              static_cast<uint64_t>(node.child[1])}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

int32_t Conditions::AddPredicate(int32_t arity, ConditionId own) {
  arities_.push_back(arity);
  nestings_.push_back(own == ConditionId::kNever ? 0 : num_literals(own));
  return static_cast<int32_t>(arities_.size()) - 1;
}

Conditions::Trie Conditions::Intern(const Node& node) {
  const auto [place, is_new] = ids_.try_emplace(node, static_cast<Trie>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return place->second;
}

ConditionId Conditions::Leaf(ConditionLiteral literal) {
  const Node node = {.key = static_cast<uint32_t>(literal.predicate),
                     .child = {literal.value, 0},
                     .size = 1,
                     .innermost = literal.predicate};
  return static_cast<ConditionId>(Intern(node));
}

Conditions::Trie Conditions::Branch(uint32_t key, uint32_t bit, Trie low, Trie high) {
  if (low == kConflict || high == kConflict) return kConflict;
  if (low == kEmpty) return high;
  if (high == kEmpty) return low;
  const Node& a = At(low);
  const Node& b = At(high);
  const bool is_high = nesting(b.innermost) >= nesting(a.innermost);
  return Intern({.key = key,
                 .bit = bit,
                 .child = {low, high},
                 .size = a.size + b.size,
                 .innermost = is_high ? b.innermost : a.innermost});
}

// Of tries that have no predicates under one another's node.
Conditions::Trie Conditions::Join(Trie a, Trie b) {
  const uint32_t key = At(a).key;
  const uint32_t bit = std::bit_floor(key ^ At(b).key);
  const uint32_t above = key & ~(bit | (bit - 1));
  return Side(key, bit) == 0 ? Branch(above, bit, a, b) : Branch(above, bit, b, a);
}

Conditions::Trie Conditions::Union(Trie a, Trie b) {
  if (a == b || b == kEmpty) return a;
  if (a == kEmpty) return b;
  if (At(a).bit < At(b).bit) std::swap(a, b);
  const Node upper = At(a), lower = At(b);
  if (!Belongs(lower.key, upper)) return Join(a, b);
  if (upper.bit == 0) return kConflict;  // two literals of one predicate, which are not equal
  if (upper.bit == lower.bit) {
    return Branch(upper.key, upper.bit, Union(upper.child[0], lower.child[0]),
                  Union(upper.child[1], lower.child[1]));
  }
  std::array<Trie, 2> child = upper.child;
  Trie& side = child[Side(lower.key, upper.bit)];
  side = Union(side, b);
  return Branch(upper.key, upper.bit, child[0], child[1]);
}

ConditionId Conditions::Both(ConditionId a, ConditionId b) {
  if (a == b || b == ConditionId::kAlways) return a;
  if (a == ConditionId::kAlways) return b;
  if (a == ConditionId::kNever || b == ConditionId::kNever) return ConditionId::kNever;
  if (a > b) std::swap(a, b);
  const uint64_t pair = static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b);
  if (const auto found = both_.find(pair); found != both_.end()) {
    return static_cast<ConditionId>(found->second);
  }
  const Trie result = Union(static_cast<Trie>(a), static_cast<Trie>(b));
  both_.emplace(pair, result);
  return static_cast<ConditionId>(result);
}

Conditions::Trie Conditions::Remove(Trie trie, uint32_t predicate) {
  const Node node = At(trie);
  if (trie == kEmpty || !Belongs(predicate, node)) return trie;
  if (node.bit == 0) return kEmpty;
  std::array<Trie, 2> child = node.child;
  Trie& side = child[Side(predicate, node.bit)];
  side = Remove(side, predicate);
  return Branch(node.key, node.bit, child[0], child[1]);
}

ConditionId Conditions::Without(ConditionId a, int32_t predicate) {
  return static_cast<ConditionId>(Remove(static_cast<Trie>(a), static_cast<uint32_t>(predicate)));
}

// The literal of the predicate, or nothing.
Conditions::Trie Conditions::Find(Trie trie, uint32_t predicate) const {
  while (trie != kEmpty && Belongs(predicate, At(trie))) {
    const Node& node = At(trie);
    if (node.bit == 0) return trie;
    trie = node.child[Side(predicate, node.bit)];
  }
  return kEmpty;
}

std::optional<ConditionLiteral> Conditions::Find(ConditionId condition, int32_t predicate) const {
  const Trie literal = Find(static_cast<Trie>(condition), static_cast<uint32_t>(predicate));
  if (literal == kEmpty) return std::nullopt;
  return ConditionLiteral{predicate, At(literal).child[0]};
}

ConditionLiteral Conditions::Innermost(ConditionId condition) const {
  return *Find(condition, At(condition).innermost);
}

template <typename F>
bool Conditions::VisitRest(Trie a, Trie b, F&& visit) const {
  if (a == b || a == kEmpty) return true;
  const Node& node = At(a);
  const Node& other = At(b);
  if (node.bit == 0) {
    if (Find(b, node.key) == a) return true;
    return visit(ConditionLiteral{static_cast<int32_t>(node.key), node.child[0]});
  }
  if (b != kEmpty && other.bit > node.bit && Belongs(node.key, other)) {
    return VisitRest(a, other.child[Side(node.key, other.bit)], visit);
  }
  const bool is_same = b != kEmpty && other.bit == node.bit && other.key == node.key;
  const bool is_under = b != kEmpty && other.bit < node.bit && Belongs(other.key, node);
  for (uint32_t side = 0; side < 2; ++side) {
    Trie counterpart = kEmpty;
    if (is_same) counterpart = other.child[side];
    if (is_under && Side(other.key, node.bit) == side) counterpart = b;
    if (!VisitRest(node.child[side], counterpart, visit)) return false;
  }
  return true;
}

std::vector<ConditionLiteral> Conditions::Rest(ConditionId a, ConditionId from) const {
  std::vector<ConditionLiteral> rest;
  VisitRest(static_cast<Trie>(a), static_cast<Trie>(from), [&](ConditionLiteral literal) {
    rest.push_back(literal);
    return true;
  });
  return rest;
}

bool Conditions::Implied(ConditionId a, ConditionId by) const {
  if (by == ConditionId::kNever) return true;
  if (a == ConditionId::kNever) return false;
  return VisitRest(static_cast<Trie>(a), static_cast<Trie>(by),
                   [](ConditionLiteral) { return false; });
}

bool Conditions::Exclusive(ConditionId a, ConditionId b) const {
  if (a == ConditionId::kNever || b == ConditionId::kNever) return true;
  if (num_literals(a) > num_literals(b)) std::swap(a, b);
  return !VisitRest(static_cast<Trie>(a), static_cast<Trie>(b),
                    [&](ConditionLiteral literal) { return !Find(b, literal.predicate); });
}

// Puts the conditions that differ in one predicate alone, and go through all of its values, in
// place of what they have in common, those of most literals first: what a condition of the most is
// joined with has as many.
class Conditions::Joining {
 public:
  Joining(Conditions& all, const std::vector<ConditionId>& conditions) : all_(all) {
    for (const ConditionId condition : conditions) Add(condition);
  }

  std::optional<ConditionId> Run() {
    while (open_.size() > 1 && !is_twice_) {
      const ConditionId deepest = open_.rbegin()->second;
      if (deepest == ConditionId::kAlways || !JoinWithOthers(deepest)) return std::nullopt;
    }
    if (is_twice_) return std::nullopt;
    return open_.empty() ? ConditionId::kNever : open_.begin()->second;
  }

 private:
  using Open = std::set<std::pair<int32_t, ConditionId>>;  // by the number of literals

  std::pair<int32_t, ConditionId> Key(ConditionId condition) const {
    return {all_.num_literals(condition), condition};
  }
  void Add(ConditionId condition) {
    if (condition == ConditionId::kNever) return;
    is_twice_ = !open_.insert(Key(condition)).second || is_twice_;
  }

  bool JoinWithOthers(ConditionId first) {
    const int32_t innermost = all_.Innermost(first).predicate;
    if (JoinWays(first, innermost)) return true;
    const int32_t size = all_.num_literals(first);
    const auto begin = open_.lower_bound({size, ConditionId::kNever});
    for (const int32_t predicate : Candidates(first, begin)) {
      if (predicate != innermost && JoinWays(first, predicate)) return true;
    }
    return false;
  }

  // The predicates that alone make the difference to another one.
  std::set<int32_t> Candidates(ConditionId first, Open::const_iterator begin) const {
    std::set<int32_t> candidates;
    for (auto other = begin; other != open_.end(); ++other) {
      if (other->second == first) continue;
      int count = 0;
      int32_t predicate = -1;
      all_.VisitRest(static_cast<Trie>(first), static_cast<Trie>(other->second),
                     [&](ConditionLiteral literal) {
                       predicate = literal.predicate;
                       return ++count < 2;
                     });
      if (count == 1) candidates.insert(predicate);
    }
    return candidates;
  }

  bool JoinWays(ConditionId first, int32_t predicate) {
    const ConditionId rest = all_.Without(first, predicate);
    std::vector<ConditionId> ways;
    for (int32_t value = 0; value < all_.arity(predicate); ++value) {
      ways.push_back(all_.With(rest, {predicate, value}));
      if (!open_.contains(Key(ways.back()))) return false;
    }
    for (const ConditionId way : ways) open_.erase(Key(way));
    Add(rest);
    return true;
  }

  Conditions& all_;
  Open open_;
  bool is_twice_ = false;
};

ConditionId Conditions::Common(ConditionId a, ConditionId b) {
  if (a == b) return a;
  for (const ConditionLiteral& literal : Rest(a, b)) a = Without(a, literal.predicate);
  return a;
}

std::optional<ConditionId> Conditions::OneOf(const std::vector<ConditionId>& conditions) {
  return Joining(*this, conditions).Run();
}

}  // namespace tagflow
