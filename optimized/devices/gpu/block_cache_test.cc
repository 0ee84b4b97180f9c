#include "optimized/devices/gpu/block_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace tagflow::optimized {
namespace {

// Memory of so many bytes.
struct Source : BlockSource {
  explicit Source(size_t bytes) : left(bytes) {}
  ~Source() override { EXPECT_TRUE(blocks.empty()) << "blocks were not deleted"; }
  void* New(size_t bytes) override {
    if (bytes > left) return nullptr;
    left -= bytes;
    ++made;
    void* const block = std::malloc(bytes);
    blocks[block] = bytes;
    return block;
  }
  void Delete(void* block) override {
    left += blocks.at(block);
    blocks.erase(block);
    std::free(block);
  }
  size_t left;
  int made = 0;
  std::map<void*, size_t> blocks;
};

TEST(BlockSize, RoundsUpAndLosesAtMostAFifth) {
  EXPECT_EQ(BlockSize(0), 256u);
  EXPECT_EQ(BlockSize(256), 256u);
  EXPECT_EQ(BlockSize(257), 512u);
  EXPECT_EQ(BlockSize(1 << 20), size_t{1} << 20);
  EXPECT_EQ(BlockSize((1 << 20) + 1), size_t{5} << 18);
  for (size_t bytes = 1280; bytes < 100'000'000; bytes = bytes * 9 / 8 + 1) {
    EXPECT_GE(BlockSize(bytes), bytes);
    EXPECT_LE(BlockSize(bytes), bytes * 5 / 4) << bytes;
    EXPECT_EQ(BlockSize(BlockSize(bytes)), BlockSize(bytes));
  }
}

TEST(BlockCache, GivesOutAgainWhatWasGivenBack) {
  Source source(size_t{1} << 30);
  BlockCache cache(source, 0);
  void* const first = cache.Take(1000);
  EXPECT_TRUE(cache.Holds(first));
  EXPECT_TRUE(cache.Holds(static_cast<char*>(first) + 999));
  EXPECT_FALSE(cache.Holds(static_cast<char*>(first) + 1024));
  EXPECT_NE(cache.Take(1000), first);
  cache.GiveBack(first);
  EXPECT_FALSE(cache.Holds(first));
  EXPECT_EQ(cache.Take(900), first) << "of the same size when rounded";
  EXPECT_EQ(source.made, 2);
  EXPECT_EQ(cache.stats().allocations, 3);
  EXPECT_EQ(cache.stats().bytes_resident, 2048);
  EXPECT_EQ(cache.stats().bytes_resident_max, 2048);
  for (const auto& [block, bytes] : std::map(source.blocks)) cache.GiveBack(block);
  EXPECT_EQ(cache.stats().bytes_resident, 0);
}

TEST(BlockCache, GivesUpWhatItKeepsWhereMemoryIsShort) {
  Source source(4096);
  BlockCache cache(source, 0);
  void* const small = cache.Take(2048);
  cache.GiveBack(small);
  void* const large = cache.Take(4096);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(cache.Take(1), nullptr);
  EXPECT_EQ(cache.stats().failures, 1);
  cache.GiveBack(large);
  EXPECT_NE(cache.Take(1), nullptr) << "a failure leaves it usable";
  for (const auto& [block, bytes] : std::map(source.blocks)) cache.GiveBack(block);
}

TEST(BlockCache, HasALimit) {
  Source source(size_t{1} << 30);
  BlockCache cache(source, 2048);
  void* const first = cache.Take(1024);
  EXPECT_EQ(cache.Take(1025), nullptr);
  void* const second = cache.Take(1024);
  ASSERT_NE(second, nullptr);
  cache.GiveBack(first);
  cache.GiveBack(second);
  EXPECT_NE(cache.Take(2048), nullptr) << "what is kept counts, and is given up";
  for (const auto& [block, bytes] : std::map(source.blocks)) cache.GiveBack(block);
}

}  // namespace
}  // namespace tagflow::optimized
