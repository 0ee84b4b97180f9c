#include "transform/deadness/conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <vector>

namespace tagflow {
namespace {

constexpr ConditionId kAlways = ConditionId::kAlways;
constexpr ConditionId kNever = ConditionId::kNever;

class ConditionsTest : public testing::Test {
 protected:
  ConditionId When(int32_t predicate, int32_t value, ConditionId also = kAlways) {
    return all_.With(also, {predicate, value});
  }
  Conditions all_;
  int32_t p_ = all_.AddPredicate(2);
  int32_t q_ = all_.AddPredicate(2);
  int32_t index_ = all_.AddPredicate(3);
};

TEST_F(ConditionsTest, EqualConditionsHaveEqualIds) {
  EXPECT_EQ(all_.Both(When(p_, 1), When(q_, 0)), all_.Both(When(q_, 0), When(p_, 1)));
  EXPECT_EQ(all_.Both(When(p_, 1), When(p_, 1)), When(p_, 1));
  EXPECT_EQ(all_.Both(kAlways, When(p_, 1)), When(p_, 1));
}

TEST_F(ConditionsTest, APredicateHasOneValueAtATime) {
  EXPECT_EQ(all_.Both(When(p_, 1), When(p_, 0)), kNever);
  EXPECT_EQ(all_.Both(When(p_, 1, When(q_, 1)), When(p_, 0)), kNever);
  EXPECT_EQ(all_.Both(kNever, When(p_, 0)), kNever);
}

TEST_F(ConditionsTest, BranchesJoinToWhatTheyHaveInCommon) {
  EXPECT_EQ(all_.OneOf({When(p_, 1), When(p_, 0)}), kAlways);
  const ConditionId outer = When(q_, 1);
  EXPECT_EQ(all_.OneOf({When(p_, 1, outer), When(p_, 0, outer)}), outer);
  EXPECT_EQ(all_.OneOf({When(index_, 0), When(index_, 2), When(index_, 1)}), kAlways);
}

TEST_F(ConditionsTest, BranchesOfBranchesJoin) {
  EXPECT_EQ(all_.OneOf({When(p_, 1), When(q_, 1, When(p_, 0)), When(q_, 0, When(p_, 0))}), kAlways);
}

TEST_F(ConditionsTest, ABranchThatNeverHappensCountsForNothing) {
  EXPECT_EQ(all_.OneOf({kNever, When(p_, 1)}), When(p_, 1));
  EXPECT_EQ(all_.OneOf({kNever, kNever}), kNever);
}

TEST_F(ConditionsTest, WhatIsNoPartitionHasNoCondition) {
  EXPECT_EQ(all_.OneOf({When(p_, 1), When(q_, 1)}), std::nullopt);
  EXPECT_EQ(all_.OneOf({When(p_, 1), When(p_, 1)}), std::nullopt);
  EXPECT_EQ(all_.OneOf({When(index_, 0), When(index_, 1)}), std::nullopt);
  EXPECT_EQ(all_.OneOf({kAlways, When(p_, 1)}), std::nullopt);
}

TEST_F(ConditionsTest, ImpliedAndExclusive) {
  EXPECT_TRUE(all_.Implied(When(p_, 1), When(q_, 0, When(p_, 1))));
  EXPECT_FALSE(all_.Implied(When(q_, 0, When(p_, 1)), When(p_, 1)));
  EXPECT_TRUE(all_.Implied(When(p_, 1), kNever));
  EXPECT_TRUE(all_.Exclusive(When(p_, 1), When(q_, 0, When(p_, 0))));
  EXPECT_FALSE(all_.Exclusive(When(p_, 1), When(q_, 0)));
}

TEST_F(ConditionsTest, WithoutForgetsAPredicate) {
  EXPECT_EQ(all_.Without(When(q_, 0, When(p_, 1)), q_), When(p_, 1));
  EXPECT_EQ(all_.Without(When(p_, 1), q_), When(p_, 1));
}

TEST_F(ConditionsTest, TheInnermostIsNamedByNoOther) {
  const int32_t outer = all_.AddPredicate(2);
  const int32_t inner = all_.AddPredicate(2, When(outer, 1));
  const int32_t beside = all_.AddPredicate(2);
  const ConditionId all = When(beside, 0, When(inner, 0, When(outer, 1)));
  EXPECT_EQ(all_.Innermost(all), (ConditionLiteral{inner, 0}));
  EXPECT_EQ(all_.Innermost(all_.Without(all, inner)).value, 0);
}

// Maps from predicate to value, the obvious way.
TEST_F(ConditionsTest, AreSetsOfLiterals) {
  using Map = std::map<int32_t, int32_t>;
  std::mt19937 random(1);  // NOLINT: the same in each run
  const auto below = [&](int32_t n) { return static_cast<int32_t>(random() % n); };
  std::vector<int32_t> predicates;
  for (int i = 0; i < 40; ++i) predicates.push_back(all_.AddPredicate(2));
  const auto draw = [&] {
    Map literals;
    for (int i = below(12); i > 0; --i) literals[predicates[below(40)]] = below(8) == 0 ? 0 : 1;
    return literals;
  };
  const auto id = [&](const Map& literals) {
    ConditionId all = kAlways;
    for (const auto& [predicate, value] : literals) all = When(predicate, value, all);
    return all;
  };
  for (int round = 0; round < 2000; ++round) {
    const Map a = draw(), b = draw();
    Map both = a, rest = a, without = a;
    both.insert(b.begin(), b.end());
    bool exclusive = false, implied = true;
    for (const auto& [predicate, value] : b) {
      exclusive = exclusive || (a.contains(predicate) && a.at(predicate) != value);
      implied = implied && a.contains(predicate) && a.at(predicate) == value;
      if (a.contains(predicate) && a.at(predicate) == value) rest.erase(predicate);
    }
    EXPECT_EQ(all_.Both(id(a), id(b)), exclusive ? kNever : id(both));
    EXPECT_EQ(all_.Exclusive(id(a), id(b)), exclusive);
    EXPECT_EQ(all_.Implied(id(b), id(a)), implied);
    const std::vector<ConditionLiteral> found = all_.Rest(id(a), id(b));
    EXPECT_TRUE(std::ranges::is_sorted(found));
    EXPECT_EQ(found.size(), rest.size());
    for (const ConditionLiteral& one : found) EXPECT_EQ(rest.at(one.predicate), one.value);
    const int32_t predicate = predicates[below(40)];
    without.erase(predicate);
    EXPECT_EQ(all_.Without(id(a), predicate), id(without));
    EXPECT_EQ(all_.num_literals(id(a)), static_cast<int32_t>(a.size()));
  }
}

// Branches in branches, in the else and in the then, and joined again.
TEST_F(ConditionsTest, NestedBranchesShareWhatTheyHaveInCommon) {
  for (const int32_t taken : {0, 1}) {
    Conditions all;
    constexpr int32_t kDepth = 4096;
    std::vector<ConditionId> left;
    ConditionId here = kAlways;
    for (int32_t i = 0; i < kDepth; ++i) {
      const int32_t predicate = all.AddPredicate(2, here);
      left.push_back(all.With(here, {predicate, 1 - taken}));
      here = all.With(here, {predicate, taken});
    }
    EXPECT_EQ(all.num_literals(here), kDepth);
    left.push_back(here);
    EXPECT_EQ(all.OneOf(left), kAlways);
    EXPECT_LE(all.size(), 6u * kDepth * std::bit_width(static_cast<uint32_t>(kDepth)));
  }
}

}  // namespace
}  // namespace tagflow
