#include "optimized/straight/live_slots.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tagflow::optimized {
namespace {

TEST(LiveSlotsTest, IsWhatItWasAfterARestore) {
  LiveSlots live(3);
  live.Insert(1);
  const LiveSlots::Saved saved = live.Save();
  live.Remove(1);
  live.Insert(2);
  live.Restore(saved);
  EXPECT_TRUE(live.contains(1));
  EXPECT_FALSE(live.contains(2));
}

// Against std::set, over every number of levels.
TEST(LiveSlotsTest, IsASet) {
  std::mt19937 random(7);
  for (const uint32_t slots : {1u, 64u, 512u, 513u, 8192u, 8193u, 200000u}) {
    LiveSlots live(slots);
    std::set<uint32_t> expected;
    std::vector<std::pair<LiveSlots::Saved, std::set<uint32_t>>> saved;
    saved.emplace_back(live.Save(), expected);
    for (int i = 0; i < 2000; ++i) {
      // Some slots come again and again.
      const uint32_t slot = (random() % 2 == 0 ? random() % 7 * 911 : random()) % slots;
      const auto& [then, then_expected] = saved[random() % saved.size()];
      switch (random() % 8) {
        case 0:
          saved.emplace_back(live.Save(), expected);
          break;
        case 1:
          live.Restore(then);
          expected = then_expected;
          break;
        case 2:
          live.Include(then);
          expected.insert(then_expected.begin(), then_expected.end());
          break;
        case 3:
        case 4:
          live.Remove(slot);
          expected.erase(slot);
          break;
        default:
          live.Insert(slot);
          expected.insert(slot);
      }
      ASSERT_EQ(live.contains(slot), expected.contains(slot));
    }
    for (uint32_t slot = 0; slot < slots; ++slot) {
      ASSERT_EQ(live.contains(slot), expected.contains(slot)) << slot << " of " << slots;
    }
  }
}

// Else branches in else branches, each with a slot of its own, among 3,000 that live through all.
TEST(LiveSlotsTest, ANestOfBranchesCostsWhatItsBranchesChange) {
  const auto nodes_of = [](uint32_t depth) {
    LiveSlots live(3000 + 2 * depth);
    for (uint32_t slot = 0; slot < 3000; ++slot) live.Insert(slot);
    const LiveSlots::Saved end = live.Save();
    std::vector<LiveSlots::Saved> else_begins;
    for (uint32_t i = depth; i-- > 0;) {
      live.Insert(3000 + i);
      else_begins.push_back(live.Save());
      live.Restore(end);
      live.Insert(3000 + depth + i);
      live.Include(else_begins.back());
    }
    return live.num_nodes();
  };
  EXPECT_LE(nodes_of(2500), 2 * nodes_of(1250) + 100);
}

}  // namespace
}  // namespace tagflow::optimized
