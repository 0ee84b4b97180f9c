// Tests: naive_order.cc

#include "fuzz/graphs/naive_order.h"

#include <gtest/gtest.h>

namespace tagflow::fuzz {
namespace {

using Pairs = std::set<std::string>;

TEST(NaiveOrder, WhatNoChainOrdersRaces) {
  NaiveOrder order;
  const int first = order.Add("write", "", {-1});
  const int between = order.Add("between", "", {first});
  const int ordered = order.Add("ordered", "", {between});
  const int free = order.Add("free", "f[2]", {});
  order.SetTouches(first, {{"v", "", true}});
  order.SetTouches(ordered, {{"v", "", true}});
  order.SetTouches(free, {{"v"}});
  EXPECT_EQ(order.Races(), (Pairs{"free@f[2] and write@", "free@f[2] and ordered@"}));
}

TEST(NaiveOrder, TwoReadsAndTwoObjectsDoNotRace) {
  NaiveOrder order;
  order.SetTouches(order.Add("a", "", {}), {{"v"}});
  order.SetTouches(order.Add("b", "", {}), {{"v"}, {"w", "", true}});
  EXPECT_EQ(order.Races(), Pairs{});
}

TEST(NaiveOrder, PartsRaceAloneAndWithTheWhole) {
  for (const bool whole_is_last : {false, true}) {
    NaiveOrder order;
    const auto add_whole = [&] { order.SetTouches(order.Add("all", "", {}), {{"v", "", true}}); };
    if (!whole_is_last) add_whole();
    order.SetTouches(order.Add("one", "", {}), {{"v", "1", true}});
    order.SetTouches(order.Add("two", "", {}), {{"v", "2", true}});
    if (whole_is_last) add_whole();
    EXPECT_EQ(order.Races(), (Pairs{"all@ and one@", "all@ and two@"}));
  }
}

TEST(NaiveOrder, AnEndComesAfterAllThatIsInIt) {
  NaiveOrder order;
  order.SetTouches(order.Add("inner", "f[1]/g[0]", {}), {{"v", "", true}});
  order.SetTouches(order.Add("other", "f[10]", {}), {{"v", "", true}});
  const int end = order.AddEnd("f[1]", {});
  order.SetTouches(order.Add("after", "", {end}), {{"v", "", true}});
  EXPECT_EQ(order.Races(), (Pairs{"inner@f[1]/g[0] and other@f[10]", "after@ and other@f[10]"}));
}

// "merge" comes after the write or after what comes later than it.
TEST(NaiveOrder, OfSeveralMomentsAnyMayBeTheOne) {
  NaiveOrder order;
  const int before = order.Add("before", "", {});
  const int write = order.Add("write", "", {before});
  const int merge = order.Add("merge", "", {});
  order.SetAnyOf(merge, {write});
  const int read = order.Add("read", "", {merge});
  order.SetTouches(before, {{"w", "", true}});
  order.SetTouches(write, {{"v", "", true}});
  order.SetTouches(read, {{"v"}, {"w"}});
  EXPECT_EQ(order.Races(), Pairs{});
  const int late = order.Add("late", "", {before});
  order.SetAnyOf(merge, {write, late});
  EXPECT_EQ(order.Races(), Pairs{"read@ and write@"});
  order.SetAnyOf(merge, {write, late, -1});
  EXPECT_EQ(order.Races(), (Pairs{"read@ and write@", "before@ and read@"}));
}

// Two equal values came to "merge", and the second was made of what it gave for the first.
TEST(NaiveOrder, WhatComesAfterAMomentIsNotTheOneThatItComesAfter) {
  NaiveOrder order;
  const int write = order.Add("write", "", {});
  const int merge = order.Add("merge", "", {});
  const int later = order.Add("later", "", {merge});
  order.SetAnyOf(merge, {write, later});
  const int read = order.Add("read", "", {merge});
  const int free = order.Add("free", "", {});
  order.SetTouches(write, {{"v", "", true}});
  order.SetTouches(read, {{"v"}});
  order.SetTouches(free, {{"v"}});
  EXPECT_EQ(order.Races(), Pairs{"free@ and write@"});
}

// The words in which moments are kept are 64 bits long.
TEST(NaiveOrder, AChainMayBeLong) {
  NaiveOrder order;
  const int first = order.Add("first", "", {});
  int last = first;
  for (int i = 0; i < 200; ++i) last = order.Add("step", "", {last});
  order.SetTouches(first, {{"v", "", true}});
  order.SetTouches(order.Add("last", "", {last}), {{"v", "", true}});
  EXPECT_EQ(order.Races(), Pairs{});
}

}  // namespace
}  // namespace tagflow::fuzz
