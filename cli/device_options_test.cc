// Tests: device_options.cc

#include "cli/device_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/devices/kinds.h"

namespace tagflow::cli {
namespace {

using testing::HasSubstr;

TEST(DeviceOptionsTest, EveryKindSaysWhatItIs) {
  const std::string text = KindsText(optimized::StandardDeviceKinds());
  EXPECT_THAT(text, HasSubstr("\n  /device:CPU:1, or CPU:1, shares"));
  EXPECT_THAT(text, HasSubstr("\n  memory_bytes=N"));
}

TEST(DeviceOptionsTest, WhereTimeIsRealNoneIsTold) {
  const optimized::DeviceReport report{.devices = {{"/device:CUDA:0", 2, 0, 0, 0, {}}},
                                       .about = "straight code",
                                       .notes = {"steps run at once"},
                                       .missing = {}};
  EXPECT_EQ(DeviceText(report), "/device:CUDA:0: 2 kernels, at most 0 bytes\nsteps run at once\n");
}

TEST(DeviceOptionsTest, TellsWhichDevicesWereNotThere) {
  optimized::DeviceReport report;
  report.missing = {"without '/device:GPU:0': looking for it: no driver"};
  EXPECT_EQ(DeviceText(report), "without '/device:GPU:0': looking for it: no driver\n");
}

TEST(DeviceOptionsTest, TellsWhatDevicesDid) {
  EXPECT_EQ(DeviceText({}), "");
  optimized::DeviceReport report{2500, {{"/device:SIM:0", 1, 1000, 0, 0, {}}}, "", {}, {}};
  report.devices[0].memory.bytes_resident_max = 4096;
  EXPECT_EQ(DeviceText(report),
            "2.5 us of virtual time\n/device:SIM:0: 1 kernel in 1 us, at most 4,096 bytes\n");
  report.devices[0].swapped_out = 3;
  report.devices[0].swapped_in = 2;
  EXPECT_THAT(DeviceText(report), HasSubstr(", 3 tensors swapped out and 2 back\n"));
}

}  // namespace
}  // namespace tagflow::cli
