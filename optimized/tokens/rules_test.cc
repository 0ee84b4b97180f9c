#include "optimized/tokens/rules.h"

#include <gtest/gtest.h>

namespace tagflow::optimized::tokens {
namespace {

TEST(Arrivals, AreDueWhenNothingIsMissing) {
  uint32_t word = Arrivals::Initial(3);
  EXPECT_FALSE(Arrivals::Due(word));
  word -= Arrivals::Step(2);
  EXPECT_FALSE(Arrivals::Due(word));
  EXPECT_TRUE(Arrivals::HalfFed(word, Arrivals::Initial(3)));
  word |= Arrivals::kDead;
  word -= Arrivals::Step(1);
  EXPECT_TRUE(Arrivals::Due(word));
  EXPECT_TRUE(Arrivals::Dead(word));
  EXPECT_FALSE(Arrivals::HalfFed(word, Arrivals::Initial(3)));
}

TEST(Arrivals, RememberWhichWayASwitchWent) {
  const uint32_t word = Arrivals::WentTo(5);
  EXPECT_TRUE(Arrivals::HasGone(word));
  EXPECT_EQ(Arrivals::Way(word), 5u);
  EXPECT_FALSE(Arrivals::HalfFed(word, Arrivals::Initial(2)));
  EXPECT_FALSE(Arrivals::HasGone(Arrivals::kDead));
}

TEST(MergeArrivals, AreDueByOneLiveInputAndAllControlInputs) {
  uint64_t word = MergeArrivals::Initial(2, 2);
  word |= MergeArrivals::kLive;
  EXPECT_FALSE(MergeArrivals::Due(word));
  word -= MergeArrivals::ControlStep(2);
  EXPECT_TRUE(MergeArrivals::Due(word));
  word -= MergeArrivals::kDeadStep;
  EXPECT_TRUE(MergeArrivals::Due(word));
  EXPECT_TRUE(MergeArrivals::Live(word));
}

TEST(MergeArrivals, AreDueWhenEveryPresentInputIsDead) {
  uint64_t word = MergeArrivals::Initial(2, 1);
  word -= 2 * MergeArrivals::kDeadStep;
  EXPECT_FALSE(MergeArrivals::Due(word));
  EXPECT_EQ(MergeArrivals::ControlsMissing(word), 1u);
  word -= MergeArrivals::ControlStep(1);
  EXPECT_TRUE(MergeArrivals::Due(word));
  EXPECT_FALSE(MergeArrivals::Live(word));
}

TEST(MergeArrivals, WaitForEverWithoutAnInput) {
  EXPECT_FALSE(MergeArrivals::Due(MergeArrivals::Initial(0, 0)));
}

TEST(Rules, AnIterationHasTheInputsThatCanReachIt) {
  EXPECT_TRUE(MergeInputPresent(Source::kEnter, true));
  EXPECT_FALSE(MergeInputPresent(Source::kNextIteration, true));
  EXPECT_FALSE(MergeInputPresent(Source::kEnter, false));
  EXPECT_TRUE(MergeInputPresent(Source::kNextIteration, false));
  EXPECT_TRUE(MergeInputPresent(Source::kOrdinary, true));
  EXPECT_TRUE(MergeInputPresent(Source::kOrdinary, false));
}

TEST(Rules, OnlyTheFirstIterationWaitsForEnters) {
  EXPECT_FALSE(IterationEnded(0, 0, 1));
  EXPECT_TRUE(IterationEnded(1, 0, 1));
  EXPECT_FALSE(IterationEnded(1, 1, 0));
  EXPECT_FALSE(FrameEnded(0, 1));
  EXPECT_TRUE(FrameEnded(0, 0));
}

TEST(Rules, APredicateIsAScalarAndAnIndexOutOfRangeTheLast) {
  EXPECT_TRUE(CheckPredicate(Tensor::Scalar(true)).ok());
  EXPECT_EQ(CheckPredicate(Tensor::Vector<int32_t>({1})).code(), Code::kInvalidArgument);
  EXPECT_EQ(ChosenOutput(Tensor::Scalar(true), 2), 1u);
  EXPECT_EQ(ChosenOutput(Tensor::Scalar(false), 2), 0u);
  EXPECT_EQ(ChosenOutput(Tensor::Scalar<int32_t>(1), 3), 1u);
  EXPECT_EQ(ChosenOutput(Tensor::Scalar<int32_t>(-1), 3), 2u);
  EXPECT_EQ(ChosenOutput(Tensor::Scalar<int32_t>(7), 3), 2u);
}

}  // namespace
}  // namespace tagflow::optimized::tokens
