#include "optimized/devices/gpu/gpu_devices.h"

#include <gtest/gtest.h>

#include <set>

#include "optimized/kernel.h"

namespace tagflow::optimized {
namespace {

TEST(GpuDevices, HaveAKindWithOptions) {
  const auto kind = GpuDevices();
  EXPECT_EQ(kind->name(), "GPU");
  EXPECT_FALSE(kind->runs_host_kernels());
  EXPECT_NE(kind->help().find("memory_bytes"), std::string::npos);
  EXPECT_TRUE(kind->WithOptions("memory_bytes=1000").ok());
  EXPECT_EQ(kind->WithOptions("memory_byte=1000").status().code(), Code::kInvalidArgument);
}

TEST(GpuDevices, SayWhatIsMissing) {
  if (CountGpus() > 0) GTEST_SKIP() << "SKIPPED: there is a device";
  const auto group = GpuDevices()->Open({{0, "/device:GPU:0"}});
  ASSERT_FALSE(group.ok());
  EXPECT_EQ(group.status().code(), Code::kFailedPrecondition);
  EXPECT_NE(group.status().message().find("'/device:GPU:0'"), std::string::npos);
}

TEST(GpuDevices, BringTheirKernels) {
  const std::vector<KernelTarget> targets = GpuDevices()->kernels()->Targets();
  if (targets.empty()) GTEST_SKIP() << "SKIPPED: no CUDA toolkit";
  std::set<std::string> ops;
  for (const KernelTarget& target : targets) {
    EXPECT_EQ(target.kind, "GPU");
    EXPECT_NE(KernelRegistry::Standard().Find(target.op), nullptr) << target.op;
    ops.insert(target.op);
  }
  EXPECT_GT(ops.size(), 40u);
}

}  // namespace
}  // namespace tagflow::optimized
