#include "graph/machine_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tagflow {
namespace {

TEST(MachineMemoryTest, IsWhatTheKernelCallsItsTotal) {
  std::ifstream info("/proc/meminfo");
  std::string name;
  double kilobytes = 0;
  ASSERT_TRUE(info >> name >> kilobytes && name == "MemTotal:");
  EXPECT_NEAR(static_cast<double>(MachineMemoryBytes()), kilobytes * 1024, kilobytes * 10.24);
}

}  // namespace
}  // namespace tagflow
