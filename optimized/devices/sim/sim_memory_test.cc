#include "optimized/devices/sim/sim_memory.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "graph/device_access.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

std::unique_ptr<SimMemory> Memory(int64_t bytes_limit = 0) {
  return *SimMemory::Create(0, bytes_limit);
}

Tensor Floats(int64_t size) {
  std::vector<float> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), 1.0f);
  return Tensor::Vector(values);
}

const void* AddressOf(const Tensor& tensor) {
  const DeviceAccess access;
  return tensor.raw_data();
}

TEST(SimMemoryTest, KeepsWhatIsPutThere) {
  const auto memory = Memory();
  const Tensor there = *DeviceCopyOf(Floats(100), *memory);
  EXPECT_EQ(there.memory_kind(), MemoryKind::kDevice);
  EXPECT_TRUE(BitwiseEqual(*there.OnHost(), Floats(100)));
  EXPECT_EQ(memory->BlockOf(Floats(100)), nullptr);
}

TEST(SimMemoryDeathTest, HostCodeCannotTouchIt) {
  const auto memory = Memory();
  const Tensor there = *DeviceCopyOf(Floats(100), *memory);
  EXPECT_DEATH(static_cast<void>(there.data<float>()), "");
  const auto* const address = static_cast<const volatile float*>(AddressOf(there));
  EXPECT_DEATH(static_cast<void>(*address), "");
}

TEST(SimMemoryTest, CountsWhatLivesAndRefusesMoreThanTheLimit) {
  const auto memory = Memory(1024);
  {
    const Tensor half = *DeviceCopyOf(Floats(128), *memory);
    EXPECT_EQ(memory->stats().bytes_resident, 512);
    const Tensor more = *DeviceCopyOf(Floats(127), *memory);  // rounded to 512
    const Result<Tensor> too_much = DeviceCopyOf(Floats(1), *memory);
    ASSERT_FALSE(too_much.ok());
    EXPECT_EQ(too_much.status().code(), Code::kResourceExhausted);
  }
  EXPECT_EQ(memory->stats().bytes_resident, 0);
  EXPECT_EQ(memory->stats().bytes_resident_max, 1024);
  EXPECT_EQ(memory->stats().failures, 1);
  EXPECT_TRUE(DeviceCopyOf(Floats(256), *memory).ok());
}

TEST(SimMemoryTest, ASizeThatIsNoneIsRefused) {
  const auto memory = Memory();
  EXPECT_EQ(memory->Allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(memory->Allocate(size_t{1} << 40), nullptr);
}

TEST(SimMemoryTest, WhatMovesOutCountsNothingAndComesBackTheSame) {
  const auto memory = Memory(512);
  const Tensor there = *DeviceCopyOf(Floats(128), *memory);
  const SimBlockPtr block = memory->BlockOf(there);
  ASSERT_TRUE(memory->BeginMoveOut(*block));
  EXPECT_EQ(memory->stats().bytes_resident, 512);
  ASSERT_TRUE(memory->EndMoveOut(*block));
  EXPECT_EQ(memory->stats().bytes_resident, 0);
  EXPECT_EQ(memory->stats().bytes_out, 512);
  EXPECT_FALSE(memory->Pin(*block));
  EXPECT_TRUE(BitwiseEqual(*there.OnHost(), Floats(128)));  // from where it is
  {
    const Tensor other = *DeviceCopyOf(Floats(128), *memory);
    EXPECT_FALSE(memory->BeginMoveIn(*block));  // no room
  }
  ASSERT_TRUE(memory->BeginMoveIn(*block));
  ASSERT_TRUE(memory->EndMoveIn(*block));
  EXPECT_TRUE(BitwiseEqual(*there.OnHost(), Floats(128)));
  EXPECT_EQ(memory->stats().bytes_out, 0);
}

TEST(SimMemoryTest, WhatIsPinnedStays) {
  const auto memory = Memory();
  const Tensor there = *DeviceCopyOf(Floats(4), *memory);
  const SimBlockPtr block = memory->BlockOf(there);
  ASSERT_TRUE(memory->Pin(*block));
  EXPECT_FALSE(memory->BeginMoveOut(*block));
  memory->Unpin(*block);
  ASSERT_TRUE(memory->BeginMoveOut(*block));
  ASSERT_TRUE(memory->Pin(*block));  // in time: it stays
  EXPECT_FALSE(memory->EndMoveOut(*block));
  EXPECT_EQ(memory->PlaceOf(*block), SimBlock::Place::kResident);
}

TEST(SimMemoryTest, ABlockMayBeFreedWhileItMoves) {
  const auto memory = Memory();
  SimBlockPtr block;
  {
    const Tensor there = *DeviceCopyOf(Floats(4), *memory);
    block = memory->BlockOf(there);
    ASSERT_TRUE(memory->BeginMoveOut(*block));
  }
  EXPECT_FALSE(memory->EndMoveOut(*block));
  EXPECT_EQ(memory->stats().bytes_resident, 0);
  EXPECT_EQ(memory->stats().bytes_out, 0);
}

TEST(SimMemoryTest, AllocationsFailWhenTold) {
  const auto memory = Memory();
  memory->FailAllocation(2);
  EXPECT_TRUE(DeviceCopyOf(Floats(4), *memory).ok());
  EXPECT_FALSE(DeviceCopyOf(Floats(4), *memory).ok());
  EXPECT_FALSE(DeviceCopyOf(Floats(4), *memory).ok());
  memory->FailAllocation(0);
  EXPECT_TRUE(DeviceCopyOf(Floats(4), *memory).ok());
}

}  // namespace
}  // namespace tagflow::optimized
