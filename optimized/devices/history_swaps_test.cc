#include "optimized/devices/history_swaps.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "optimized/devices/late_stream.h"
#include "optimized/devices/sim/sim_devices.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

// A memory for 16 tensors, half of which may be histories.
class HistorySwapsTest : public testing::Test {
 protected:
  static constexpr int64_t kSize = 64, kBytes = 256, kLimit = 16 * kBytes;

  Tensor Make(float first) {
    std::vector<float> values(kSize);
    std::iota(values.begin(), values.end(), first);
    const auto made = DeviceCopyOf(Tensor::Vector(values), memory_);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return *made;
  }
  // As a loop pushes them, so that nobody else has them.
  std::vector<Tensor> Push(int count) {
    std::vector<Tensor> list;
    for (int i = 0; i < count; ++i) {
      list.push_back(swaps_.Pushed(step_, Make(static_cast<float>(100 * i))));
    }
    return list;
  }
  static float FirstOf(const Tensor& tensor) { return tensor.OnHost()->data<float>()[0]; }
  float Read(const Tensor& tensor) {
    kernels_.DoAll();
    return FirstOf(tensor);
  }
  int64_t resident() const { return memory_.stats().bytes_resident / kBytes; }

  const std::unique_ptr<DeviceGroup> group_ =
      *SimDevices({.memory_bytes = kLimit})->Open({{0, "/device:SIM:0"}, {1, "/device:SIM:1"}});
  DeviceMemory& memory_ = *group_->memory(0);
  DeviceMemory& other_memory_ = *group_->memory(1);
  LateStream kernels_{memory_}, out_{memory_}, in_{memory_};
  LateStream other_kernels_{other_memory_}, across_{other_memory_};
  HistorySwaps swaps_{{memory_, HostAllocator(), kernels_, out_, in_}, kLimit, 0.5};
  HistorySwaps::Step step_;
};

TEST_F(HistorySwapsTest, WhatIsPushedFirstStays) {
  const std::vector<Tensor> list = Push(12);
  for (size_t i = 0; i < list.size(); ++i) EXPECT_EQ(swaps_.IsOut(list[i]), i >= 8) << i;
  EXPECT_EQ(step_.moved_out, 4);
  EXPECT_FALSE(swaps_.IsOut(Tensor::Scalar(1.f)));
  EXPECT_FALSE(swaps_.IsOut(Tensor::Vector<float>({1})));
}

TEST_F(HistorySwapsTest, WhatIsNotSwappedMayStayUpToTheShare) {
  EXPECT_TRUE(swaps_.MayStay(kLimit / 2));
  EXPECT_FALSE(swaps_.MayStay(kLimit / 2 + 1));
  const std::vector<Tensor> list = Push(4);
  EXPECT_TRUE(swaps_.MayStay(kLimit / 2 - 4 * kBytes));
  EXPECT_FALSE(swaps_.MayStay(kLimit / 2 - 4 * kBytes + 1));
}

TEST_F(HistorySwapsTest, WhatIsOutIsReadByTheHostAndComesBack) {
  const std::vector<Tensor> list = Push(12);
  EXPECT_EQ(list[11].memory_kind(), MemoryKind::kDevice);
  EXPECT_EQ(FirstOf(list[11]), 1100);
  for (int twice = 0; twice < 2; ++twice) {
    const auto back = swaps_.BringBack(step_, list[10]);
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(memory_.Holds(*back));
    EXPECT_EQ(Read(*back), 1000);
  }
  EXPECT_EQ(step_.moved_in, 2);
}

TEST_F(HistorySwapsTest, AViewOfWhatIsOut) {
  const Tensor last = Push(9).back();
  const Tensor rows = last.Reshaped(Dims{4, kSize / 4});
  const Tensor row = rows.SliceOuter(1, 1);
  EXPECT_TRUE(swaps_.IsOut(row));
  EXPECT_EQ(FirstOf(row), 800 + kSize / 4);
  EXPECT_EQ(Read(*swaps_.BringBack(step_, row)), 800 + kSize / 4);
  EXPECT_EQ(swaps_.BringBack(step_, rows)->rank(), 2);
}

TEST_F(HistorySwapsTest, WhoFindsNoMemoryWaitsForCopies) {
  const std::vector<Tensor> list = Push(16);
  EXPECT_EQ(resident(), 16);
  int64_t let_go = swaps_.num_let_go();
  EXPECT_TRUE(swaps_.MakeRoom(let_go));
  EXPECT_EQ(resident(), 15);
  EXPECT_TRUE(swaps_.MakeRoom(let_go)) << "what others let go is as good";
  EXPECT_EQ(resident(), 15);
  while (swaps_.MakeRoom(let_go)) let_go = swaps_.num_let_go();
  EXPECT_EQ(resident(), 8);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(FirstOf(list[static_cast<size_t>(i)]), 100.f * i);
}

TEST_F(HistorySwapsTest, WhatIsTakenNextComesBackEarly) {
  std::vector<Tensor> list = Push(16);
  out_.DoAll();
  swaps_.Taken(step_, list[15]);
  EXPECT_EQ(step_.moved_in, 4) << "half of what is above the share";
  EXPECT_EQ(resident(), 12);
  for (int i = 15; i >= 8; --i) {
    const auto back = swaps_.BringBack(step_, list.back());
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(Read(*back), 100.f * i);
    list.pop_back();
    if (i > 8) swaps_.Taken(step_, list.back());
  }
  EXPECT_EQ(step_.moved_in, 8) << "each once";
}

TEST_F(HistorySwapsTest, WhatCameEarlyMakesRoom) {
  std::vector<Tensor> list = Push(12);
  out_.DoAll();
  swaps_.Taken(step_, list[11]);
  EXPECT_EQ(resident(), 12);
  while (swaps_.MakeRoom(swaps_.num_let_go())) {
  }
  EXPECT_EQ(resident(), 8);
  EXPECT_EQ(Read(*swaps_.BringBack(step_, list[11])), 1100);
}

// What is pushed is not taken by the loop that pushes it.
TEST_F(HistorySwapsTest, ALoopThatReadsAnotherListBringsNothingBack) {
  std::vector<Tensor> list = Push(12);
  out_.DoAll();
  swaps_.Taken(step_, list[0]);
  EXPECT_EQ(step_.moved_in, 0);
}

TEST_F(HistorySwapsTest, WhatNobodyTakesLeavesNothing) {
  {
    std::vector<Tensor> list = Push(16);
    out_.DoAll();
    swaps_.Taken(step_, list[15]);
  }
  EXPECT_TRUE(swaps_.End(step_).ok());
  EXPECT_EQ(resident(), 0);
}

TEST_F(HistorySwapsTest, WhatIsHeldAfterItsStepIsRead) {
  const std::vector<Tensor> list = Push(12);
  EXPECT_TRUE(swaps_.End(step_).ok());
  EXPECT_EQ(resident(), 8);
  HistorySwaps::Step next;
  EXPECT_EQ(Read(*swaps_.BringBack(next, list[9])), 900);
  EXPECT_TRUE(swaps_.End(next).ok());
}

// It is read where it is out, and lives until then, whoever has it.
TEST_F(HistorySwapsTest, AnotherDeviceTakesItFromTheHost) {
  std::vector<Tensor> list = Push(10);
  ASSERT_TRUE(swaps_.IsOut(list[9]));
  const Tensor there = *Tensor::AllocateUninitialized(DType::kFloat, list[9].dims(), other_memory_);
  swaps_.CopyTo(step_, list[9], there, {other_kernels_, across_});
  list.clear();
  other_kernels_.DoAll();
  EXPECT_EQ(FirstOf(there), 900);
  EXPECT_EQ(step_.moved_in, 1);
  EXPECT_TRUE(swaps_.End(step_).ok());
  EXPECT_EQ(resident(), 0);
}

}  // namespace
}  // namespace tagflow::optimized
