#include <gtest/gtest.h>

#include "third_party/cuda/multiply_add.h"

namespace tagflow {
namespace {

TEST(ToolkitTest, RuntimeIsTheOneOfTheHeaders) {
  const CudaMachine machine = DescribeCudaMachine();
  if (!machine.has_toolkit) GTEST_SKIP() << "SKIPPED: no CUDA toolkit";
  EXPECT_GE(machine.header_version, 12000);
  EXPECT_EQ(machine.runtime_version, machine.header_version);
}

TEST(ToolkitTest, WithoutADeviceAnErrorSaysSo) {
  if (DescribeCudaMachine().device_count > 0) GTEST_SKIP() << "SKIPPED: there is a device";
  EXPECT_NE(MultiplyAddOnDevice(1, 2, 3).error, "");
}

}  // namespace
}  // namespace tagflow
