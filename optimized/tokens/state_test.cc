#include "optimized/tokens/state.h"

#include <gtest/gtest.h>

namespace tagflow::optimized::tokens {
namespace {

// A root and in it a frame "f" with a node, a Merge and two slots.
TokenPlan SmallPlan() {
  TokenPlan plan;
  plan.nodes.resize(2);
  plan.frames.resize(2);
  plan.frames[0].num_children = 1;
  FramePlan& loop = plan.frames[1];
  loop.name = "f";
  loop.parent = 0;
  loop.num_enters = 1;
  loop.num_slots = 2;
  loop.num_nodes = 2;
  loop.num_words = 1;
  loop.merge_places = {1};
  loop.num_later_merges = 1;
  loop.merges[0] = {MergeArrivals::Initial(1, 0)};
  loop.merges[1] = {MergeArrivals::Initial(2, 0)};
  loop.counts[0] = loop.counts[1] = {Arrivals::Initial(2), 3};
  return plan;
}

template <typename Sync>
class State : public testing::Test {};
using Syncs = testing::Types<Sequential, Concurrent>;
TYPED_TEST_SUITE(State, Syncs);

TYPED_TEST(State, AnIterationBeginsAsThePlanSays) {
  const TokenPlan plan = SmallPlan();
  Frame<TypeParam> frame(plan, 1);
  Iteration<TypeParam>& first = frame.Append();
  first.words[0].Add(-Arrivals::Step(1));
  first.slots[1] = Tensor::Vector<int32_t>({1, 2});
  Iteration<TypeParam>& second = frame.Append();
  EXPECT_EQ(first.merges[0].word.load(), MergeArrivals::Initial(1, 0));
  EXPECT_EQ(second.merges[0].word.load(), MergeArrivals::Initial(2, 0));
  EXPECT_EQ(first.next.load(), &second);
  EXPECT_TRUE(first.IsHalfFed());
  frame.DropOldest(true);
  EXPECT_EQ(frame.oldest, &second);
  Iteration<TypeParam>& third = frame.Append();
  EXPECT_EQ(&third, &first) << "the block is used again";
  EXPECT_EQ(third.index, 2);
  EXPECT_EQ(third.words[0].load(), Arrivals::Initial(2));
  EXPECT_FALSE(third.slots[1].has_value());
  EXPECT_EQ(third.uses[0].load(), 3u);
}

TYPED_TEST(State, FramesAreUsedAgainByTheirStaticFrame) {
  const TokenPlan plan = SmallPlan();
  FramePool<TypeParam> pool(plan);
  EXPECT_FALSE(pool.HasBegun(1));
  Frame<TypeParam>& frame = pool.Take(1);
  EXPECT_TRUE(pool.HasBegun(1));
  EXPECT_NE(&pool.Take(1), &frame);
  pool.Release(frame);
  EXPECT_EQ(&pool.Take(1), &frame);
  EXPECT_EQ(pool.frames().size(), 2u);
}

TYPED_TEST(State, ATagIsThePathFromTheRoot) {
  const TokenPlan plan = SmallPlan();
  Frame<TypeParam> root(plan, 0);
  FramePool<TypeParam> pool(plan);
  Frame<TypeParam>& frame = pool.Take(1);
  frame.Reset(&root.Append());
  frame.Append();
  EXPECT_EQ(ToString(TagOf(frame.Append())), "f[1]");
  EXPECT_TRUE(TagOf(*root.oldest).is_root());
}

}  // namespace
}  // namespace tagflow::optimized::tokens
