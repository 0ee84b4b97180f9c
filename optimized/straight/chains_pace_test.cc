#include "optimized/straight/chains_pace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "optimized/straight/device_chain.h"

namespace tagflow::optimized {
namespace {

TEST(ChainsPace, IsDueOnceItHasRunForLongEnough) {
  Code code;
  code.instructions = {{.op = OpCode::kTryFused, .target = 1}, {.op = OpCode::kEnd}};
  code.fused.emplace_back();
  EXPECT_FALSE(ChainsPace(code, 0, 2).IsDue());  // there are none to wait for
  code.fused[0].on_device = std::make_shared<DeviceChain>(DeviceCalls(), NativeOptions());
  ChainsPace pace(code, 0, 2);
  EXPECT_FALSE(pace.WantsKernels());
  EXPECT_FALSE(pace.IsDue());
  const int given = pace.Measured([] {
    const std::chrono::duration<double, std::nano> wanted(kPaysAfter * kMakeKernelNs);
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < wanted) continue;
    return 5;
  });
  EXPECT_EQ(given, 5);
  EXPECT_TRUE(pace.IsDue());
  EXPECT_TRUE(pace.WantsKernels());
  EXPECT_FALSE(pace.IsDue());
  EXPECT_TRUE(pace.wants_kernels());
}

}  // namespace
}  // namespace tagflow::optimized
