#include "graph/host_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace tagflow {
namespace {

// Whether blocks are kept in this build: not under some sanitizers.
bool Keeps() {
  GiveBlock(TakeBlock(64), 64);
  return KeptBlockBytes() > 0;
}

TEST(HostBlocksTest, AreAlignedAndDoNotOverlap) {
  std::mt19937 random(1);
  std::vector<std::pair<unsigned char*, size_t>> blocks;
  for (size_t bytes = 0; bytes < 3000; bytes += 1 + random() % 7) {
    auto* block = static_cast<unsigned char*>(TakeBlock(bytes));
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, static_cast<int>(bytes % 251), bytes);
    blocks.emplace_back(block, bytes);
  }
  for (const auto& [block, bytes] : blocks) {
    for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], bytes % 251) << bytes;
    GiveBlock(block, bytes);
  }
}

TEST(HostBlocksTest, WhatWasGivenBackIsTakenNext) {
  if (!Keeps()) GTEST_SKIP() << "this build keeps no blocks";
  for (size_t bytes : {size_t{1}, size_t{100}, size_t{4097}, kKeptBlockMax}) {
    void* block = TakeBlock(bytes);
    GiveBlock(block, bytes);
    void* again = TakeBlock(bytes);
    EXPECT_EQ(again, block) << bytes;
    GiveBlock(again, bytes);
  }
}

TEST(HostBlocksTest, KeepsABoundedAmount) {
  constexpr size_t kMoreThanIsKept = kKeptBytesMax / kKeptBlockMax + 4;
  for (size_t bytes = 1; bytes <= 2 * kKeptBlockMax; bytes *= 2) {
    std::vector<void*> blocks;
    for (size_t i = 0; i < kMoreThanIsKept; ++i) blocks.push_back(TakeBlock(bytes));
    for (void* block : blocks) {
      GiveBlock(block, bytes);
      ASSERT_LE(KeptBlockBytes(), kKeptBytesMax);
    }
  }
}

TEST(HostBlocksTest, TooMuchIsNull) {
  EXPECT_EQ(TakeBlock(SIZE_MAX), nullptr);
  GiveBlock(nullptr, SIZE_MAX);
}

TEST(HostBlocksTest, AThreadMayGiveBackWhatAnotherTook) {
  std::vector<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(TakeBlock(1000));
  std::thread([&] {
    const size_t before = KeptBlockBytes();
    EXPECT_EQ(before, 0u);
    for (void* block : blocks) GiveBlock(block, 1000);
  }).join();
  void* block = TakeBlock(1000);
  std::memset(block, 1, 1000);
  GiveBlock(block, 1000);
}

}  // namespace
}  // namespace tagflow
