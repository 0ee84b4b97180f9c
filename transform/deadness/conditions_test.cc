#include "transform/deadness/conditions.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tagflow
