#include <gtest/gtest.h>

#include <cmath>

#include "third_party/cuda/multiply_add.h"

namespace tagflow {
namespace {

TEST(DeviceTest, EachOperationIsRounded) {
  if (DescribeCudaMachine().device_count == 0) GTEST_SKIP() << "SKIPPED: no device";
  // (1 + e)^2 - (1 + 2e) is e^2 when fused and 0 when the product is rounded first.
  const float epsilon = std::ldexp(1.0f, -13);
  const float a = 1 + epsilon;
  const float c = -(1 + 2 * epsilon);
  ASSERT_NE(std::fma(a, a, c), 0.0f);
  const DeviceFloat result = MultiplyAddOnDevice(a, a, c);
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.value, 0.0f);
}

}  // namespace
}  // namespace tagflow
