#include "conformance/command/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tagflow {
namespace {

TEST(InterruptTest, TheFirstIsToldAndTheSecondEndsTheProcess) {
  CatchInterrupts();
  EXPECT_FALSE(Interrupted());
  std::raise(SIGINT);
  EXPECT_TRUE(Interrupted());
  EXPECT_EXIT(std::raise(SIGINT), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace tagflow
