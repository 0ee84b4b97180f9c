#include "optimized/devices/cpu/cpu_devices.h"

#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

TEST(CpuDevicesTest, ArePlacesInTheHostsMemory) {
  const auto kind = CpuDevices();
  EXPECT_EQ(kind->name(), "CPU");
  EXPECT_TRUE(kind->runs_host_kernels());
  EXPECT_EQ((*kind->Open({{2, "/device:CPU:1"}}))->memory(2), nullptr);
  EXPECT_FALSE(kind->WithOptions("threads=2").ok());
}

}  // namespace
}  // namespace tagflow::optimized
