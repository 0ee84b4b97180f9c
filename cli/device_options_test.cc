// Tests: device_options.cc

#include "cli/device_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::cli {
namespace {

using testing::HasSubstr;

TEST(DeviceOptionsTest, FieldsAreSetByName) {
  const auto options = ParseSimOptions("memory_bytes=1048576,kernel_ns=20,jitter=0.5,swaps=0");
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->memory_bytes, 1 << 20);
  EXPECT_EQ(options->kernel_ns, 20);
  EXPECT_EQ(options->jitter, 0.5);
  EXPECT_FALSE(options->swaps);
  EXPECT_EQ(options->transfer_ns, optimized::SimOptions().transfer_ns);
  EXPECT_TRUE(ParseSimOptions("").ok());
}

TEST(DeviceOptionsTest, WhatIsNoFieldIsNamed) {
  for (const char* text : {"memory=1", "memory_bytes", "memory_bytes=", "kernel_ns=x", ",",
                           "kernel_ns=1e300", "kernel_ns=nan", "kernel_ns=1;jitter=2"}) {
    const auto options = ParseSimOptions(text);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_THAT(options.status().message(), HasSubstr("swap_above"));
  }
}

TEST(DeviceOptionsTest, TellsWhatDevicesDid) {
  EXPECT_EQ(DeviceText({}), "");
  optimized::DeviceReport report{2500, {{"/device:SIM:0", 1, 1000, 0, 0, {}}}};
  report.devices[0].memory.bytes_resident_max = 4096;
  EXPECT_EQ(DeviceText(report),
            "2.5 us of virtual time\n/device:SIM:0: 1 kernel in 1 us, at most 4,096 bytes\n");
  report.devices[0].swapped_out = 3;
  report.devices[0].swapped_in = 2;
  EXPECT_THAT(DeviceText(report), HasSubstr(", 3 tensors swapped out and 2 back\n"));
}

}  // namespace
}  // namespace tagflow::cli
