#ifndef TAGFLOW_TRANSFORM_DEADNESS_CONDITIONS_H_
#define TAGFLOW_TRANSFORM_DEADNESS_CONDITIONS_H_

// Conditions under which nodes of one frame are live: conjunctions of literals, each saying that a
// predicate has one of its values. Equal conditions have equal ids, so that a condition is
// compared, stored and looked up as a number.
//
// Disjunctions are not represented: what joins two branches is live under a conjunction again where
// the branches are all the ways a predicate can go, and else there is no condition for it.
//
// How: a condition is a binary trie of its literals by the bits of the predicate, in which every
// node has two children (Morrison's Patricia). What a trie looks like hangs on its literals alone,
// so a node is made once for its children, and conditions share what they have in common: a branch
// in n branches costs log n nodes more than the one around it, and two conditions are compared by
// going down where they differ. Source: Okasaki and Gill, Fast Mergeable Integer Maps, ML 1998.
//
// Invariants: 1. a condition names each predicate at most once; 2. a predicate that a condition
// names is live wherever the rest of that condition holds (the caller adds the predicate's own
// condition).
//
// Thread safety: none. Cost: With and Without log n of the condition's literals; Both, Implied and
// Exclusive n at most, and log n for each literal that one has and the other has not.
// Tested by conditions_test.cc.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tagflow {

// "predicate p, which has `arity` values (2 for a boolean), has value v".
struct ConditionLiteral {
  int32_t predicate = 0;
  int32_t value = 0;
  friend auto operator<=>(const ConditionLiteral&, const ConditionLiteral&) = default;
};

enum class ConditionId : int32_t {
  kNever = -1,  // two values of one predicate at once
  kAlways = 0,  // no literal
};

class Conditions {
 public:
  Conditions() : nodes_(1) {}

  // A predicate with values 0 … arity-1, which is live where `own` holds.   REQUIRES: arity >= 1
  int32_t AddPredicate(int32_t arity, ConditionId own = ConditionId::kAlways);
  int32_t arity(int32_t predicate) const { return arities_[static_cast<size_t>(predicate)]; }

  // All below:                                                      REQUIRES: not kNever
  // By predicate.
  std::vector<ConditionLiteral> literals(ConditionId condition) const {
    return Rest(condition, ConditionId::kAlways);
  }
  int32_t num_literals(ConditionId condition) const { return At(condition).size; }
  // What a says and `from` does not, by predicate.
  std::vector<ConditionLiteral> Rest(ConditionId a, ConditionId from) const;
  // A literal whose predicate no other's own condition names.       REQUIRES: not kAlways
  ConditionLiteral Innermost(ConditionId condition) const;
  // What a condition says of a predicate.
  std::optional<ConditionLiteral> Find(ConditionId condition, int32_t predicate) const;
  // How many literals a predicate's own condition has: more than that of any that it hangs on.
  int32_t nesting(int32_t predicate) const { return nestings_[static_cast<size_t>(predicate)]; }
  // The nodes that all conditions together have: ids are 0 … size()-1.
  size_t size() const { return nodes_.size(); }

  // a and b.
  ConditionId Both(ConditionId a, ConditionId b);
  ConditionId With(ConditionId a, ConditionLiteral literal) { return Both(a, Leaf(literal)); }
  // a without what it says of a predicate.
  ConditionId Without(ConditionId a, int32_t predicate);
  // What both of them say.
  ConditionId Common(ConditionId a, ConditionId b);
  // Whether exactly one of them holds wherever the result does, and none elsewhere: nothing where
  // no conjunction says so.
  std::optional<ConditionId> OneOf(const std::vector<ConditionId>& conditions);
  // Whether a holds wherever b does: a's literals are among b's.
  bool Implied(ConditionId a, ConditionId by) const;
  // Whether a and b never hold together.
  bool Exclusive(ConditionId a, ConditionId b) const;

 private:
  // The empty trie; a literal; or two tries, whose predicates differ in `bit` and have `key` above.
  struct Node {
    uint32_t key = 0;                       // the predicate; else what all of them have above `bit`
    uint32_t bit = 0;                       // 0: a literal
    std::array<int32_t, 2> child = {0, 0};  // by that bit; of a literal: its value, and nothing
    int32_t size = 0;                       // how many literals there are
    int32_t innermost = -1;                 // the predicate of greatest nesting
  };
  using Trie = int32_t;
  static constexpr Trie kEmpty = 0;
  static constexpr Trie kConflict = -1;
  class Joining;

  const Node& At(ConditionId condition) const { return nodes_[static_cast<size_t>(condition)]; }
  const Node& At(Trie trie) const { return nodes_[static_cast<size_t>(trie)]; }
  static uint32_t Side(uint32_t key, uint32_t bit) { return (key & bit) == 0 ? 0 : 1; }
  // Whether the predicate is, or would be, under the node.
  static bool Belongs(uint32_t predicate, const Node& node);

  ConditionId Leaf(ConditionLiteral literal);
  Trie Intern(const Node& node);
  Trie Branch(uint32_t key, uint32_t bit, Trie low, Trie high);
  Trie Join(Trie a, Trie b);
  Trie Union(Trie a, Trie b);
  Trie Remove(Trie trie, uint32_t predicate);
  Trie Find(Trie trie, uint32_t predicate) const;
  bool Includes(Trie all, Trie some) const;
  bool Conflict(Trie a, Trie b) const;
  // Visits the literals of a that b has not, until `visit` says false.
  template <typename F>
  bool VisitRest(Trie a, Trie b, F&& visit) const;

  struct Hash {
    size_t operator()(const Node& node) const;
  };
  struct Equal {
    bool operator()(const Node& a, const Node& b) const {
      return a.key == b.key && a.bit == b.bit && a.child == b.child;
    }
  };
  std::vector<Node> nodes_;  // by id
  std::unordered_map<Node, Trie, Hash, Equal> ids_;
  std::unordered_map<uint64_t, Trie> both_;  // by the pair of ids
  std::vector<int32_t> arities_;             // by predicate
  std::vector<int32_t> nestings_;
};

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_DEADNESS_CONDITIONS_H_
