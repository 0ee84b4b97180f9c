#ifndef TAGFLOW_TRANSFORM_DEADNESS_CONDITIONS_H_
#define TAGFLOW_TRANSFORM_DEADNESS_CONDITIONS_H_

// Conditions under which nodes of one frame are live: conjunctions of literals, each saying that a
// predicate has one of its values. Equal conditions have equal ids, so that a condition is
// compared, stored and looked up as a number.
//
// Disjunctions are not represented: what joins two branches is live under a conjunction again where
// the branches are all the ways a predicate can go, and else there is no condition for it.
//
// Invariants: 1. a condition's literals are sorted and name each predicate at most once; 2. a
// predicate that a condition names is live wherever the rest of that condition holds (the caller
// adds the predicate's own condition).
//
// Thread safety: none. Cost: an operation on two conditions is a look-up once it has been done.
// Tested by conditions_test.cc.

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
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
  Conditions() : literals_(1) {
    ids_.emplace(std::vector<ConditionLiteral>(), ConditionId::kAlways);
  }

  // A predicate with values 0 … arity-1. REQUIRES: arity >= 1
  int32_t AddPredicate(int32_t arity) {
    arities_.push_back(arity);
    return static_cast<int32_t>(arities_.size()) - 1;
  }
  int32_t arity(int32_t predicate) const { return arities_[static_cast<size_t>(predicate)]; }

  // REQUIRES: not kNever
  std::span<const ConditionLiteral> literals(ConditionId condition) const {
    return literals_[static_cast<size_t>(condition)];
  }
  size_t size() const { return literals_.size(); }  // ids are 0 … size()-1

  // a and b.
  ConditionId Both(ConditionId a, ConditionId b);
  ConditionId With(ConditionId a, ConditionLiteral literal);
  // a without what it says of a predicate.
  ConditionId Without(ConditionId a, int32_t predicate);
  // Whether exactly one of them holds wherever the result does, and none elsewhere: nothing where
  // no conjunction says so.
  std::optional<ConditionId> OneOf(std::vector<ConditionId> conditions);
  // Whether a holds wherever b does: a's literals are among b's.
  bool Implied(ConditionId a, ConditionId by) const;
  // Whether a and b never hold together.
  bool Exclusive(ConditionId a, ConditionId b) const;

 private:
  struct Hash {
    size_t operator()(const std::vector<ConditionLiteral>& literals) const;
  };
  ConditionId Intern(std::vector<ConditionLiteral> literals);
  bool JoinOnePredicate(std::vector<ConditionId>& conditions);

  std::vector<std::vector<ConditionLiteral>> literals_;  // by id
  std::unordered_map<std::vector<ConditionLiteral>, ConditionId, Hash> ids_;
  std::unordered_map<uint64_t, ConditionId> both_;  // by the pair of ids
  std::vector<int32_t> arities_;                    // by predicate
};

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_DEADNESS_CONDITIONS_H_
