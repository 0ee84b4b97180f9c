// Planted faults over the fake of CUDA. The program is its own child, too.
// Tests: planted_faults.cc, bad_write.cu

#include "conformance/gpu/planted_faults.h"

#include <gtest/gtest.h>

#include <string>

#include "conformance/gpu/bad_write.h"
#include "optimized/devices/gpu/cuda_memory.h"
#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/devices/gpu/cuda_stream.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

using optimized::CudaStatus;
using optimized::CudaStream;
using optimized::DeviceStream;

constexpr char kProgram[] = "/proc/self/exe";

Status LoseGpu(DeviceStream& stream) {
  const auto& on_fake = static_cast<CudaStream&>(stream);
  return CudaStatus(optimized::fake_cuda::Enqueue(on_fake.handle(), optimized::fake_cuda::LoseGpu),
                    "launching a kernel");
}

TEST(PlantedFaults, AreFollowedByWhatMustFollow) {
  const SuiteCounts counts = PlantFaults(kProgram);
  EXPECT_GE(counts.passed, 8);
  EXPECT_EQ(counts.failed, 0);
}

// What gpu_suite plants: here CUDA itself, not the fake, has no GPU to lose.
TEST(PlantedFaults, ABadWriteWithoutAGpuIsAnError) {
  int num_gpus = 0;
  if (cudaGetDeviceCount(&num_gpus) == cudaSuccess) GTEST_SKIP() << "it would lose the GPU";
  optimized::CudaMemory memory(0, 0, 0, nullptr);
  CudaStream stream(memory, nullptr);
  EXPECT_EQ(WriteBadly(stream).code(), Code::kFailedPrecondition);
}

// The suite can fail: without the fault what must follow does not.
TEST(PlantedFaults, AreMissed) {
  const auto write_well = [](DeviceStream&) { return Status(); };
  EXPECT_EQ(PlantFault("illegal_address", write_well), 1);
  EXPECT_EQ(PlantFault("no_fault", write_well), 1);
}

}  // namespace

int Main(int argc, char** argv) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "fault") return PlantFault(argv[2], LoseGpu);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

}  // namespace tagflow::conformance

int main(int argc, char** argv) { return tagflow::conformance::Main(argc, argv); }
