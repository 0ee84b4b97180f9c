#include "optimized/stop_flag.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "optimized/canceller.h"

namespace tagflow::optimized {
namespace {

using std::chrono::milliseconds;

// Waits for the clock's thread; a minute is for machines that are very busy.
bool IsSetSoon(const StopFlag& flag) {
  const auto end = StepControl::Clock::now() + std::chrono::minutes(1);
  while (!flag.is_set() && StepControl::Clock::now() < end) std::this_thread::yield();
  return flag.is_set();
}

TEST(StopFlagTest, WithoutLimitsNothingStops) {
  const StepControl control;
  const StopFlag flag(control);
  EXPECT_FALSE(flag.is_set());
}

TEST(StopFlagTest, ADeadlineThatIsOverIsSeenAtOnce) {
  StepControl control;
  control.deadline = StepControl::Clock::now();
  const StopFlag flag(control);
  EXPECT_TRUE(flag.is_set());
  EXPECT_EQ(flag.status().code(), Code::kDeadlineExceeded);
}

TEST(StopFlagTest, TheClockSetsTheFlagAtTheDeadline) {
  StepControl control;
  control.deadline = StepControl::Clock::now() + milliseconds(20);
  const StopFlag flag(control);
  EXPECT_TRUE(IsSetSoon(flag));
  EXPECT_GE(StepControl::Clock::now(), *control.deadline);
}

TEST(StopFlagTest, AForkedChildHasAClockOfItsOwn) {
  StepControl control;
  control.deadline = StepControl::Clock::now() + milliseconds(1);
  EXPECT_TRUE(IsSetSoon(StopFlag(control)));
  EXPECT_EXIT(
      {
        control.deadline = StepControl::Clock::now() + milliseconds(1);
        std::exit(IsSetSoon(StopFlag(control)) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(StopFlagTest, ACancellationIsSeen) {
  std::atomic<bool> cancelled = false;
  StepControl control;
  control.cancelled = [&] { return cancelled.load(); };
  const StopFlag flag(control);
  EXPECT_FALSE(flag.is_set());
  cancelled = true;
  EXPECT_TRUE(IsSetSoon(flag));
  EXPECT_EQ(flag.status().code(), Code::kCancelled);
}

TEST(StopFlagTest, ACancellerSetsFlagsAtOnceUntilItIsReset) {
  Canceller canceller;
  StepControl control;
  control.canceller = &canceller;
  { const StopFlag gone(control); }
  const StopFlag flag(control);
  EXPECT_TRUE(StopFlag::StatusNow(control).ok());
  canceller.Cancel();
  EXPECT_TRUE(flag.is_set());
  EXPECT_EQ(flag.status().code(), Code::kCancelled);
  EXPECT_EQ(StopFlag::StatusNow(control).code(), Code::kCancelled);
  EXPECT_TRUE(StopFlag(control).is_set());
  canceller.Reset();
  EXPECT_FALSE(StopFlag(control).is_set());
}

TEST(StopFlagTest, TheFirstReasonStays) {
  const StepControl control;
  StopFlag flag(control);
  flag.Set(StopFlag::Reason::kCancelled);
  flag.Set(StopFlag::Reason::kDeadline);
  EXPECT_EQ(flag.status().code(), Code::kCancelled);
}

}  // namespace
}  // namespace tagflow::optimized
