#include "optimized/devices/gpu/gpu_devices.h"

#include <string>
#include <utility>

#include "optimized/devices/gpu/kernels/gpu_kernels.h"

namespace tagflow::optimized {
namespace {

constexpr const char* kHelp =
    R"(/device:GPU:0, or GPU, is an NVIDIA GPU, as CUDA numbers those that CUDA_VISIBLE_DEVICES shows. Its
options: memory_bytes=N (0, no limit: of the tensors on each GPU), swaps=0 (1: histories of loops
go to page-locked memory of the host when memory runs low), swap_above=SHARE (0.75)
)";

class GpuKind : public DeviceKind {
 public:
  explicit GpuKind(const GpuOptions& options) : options_(options) {}

  std::string name() const override { return "GPU"; }
  std::string help() const override { return kHelp; }
  Result<std::shared_ptr<const DeviceKind>> WithOptions(std::string_view text) const override {
    TAGFLOW_ASSIGN_OR_RETURN(const GpuOptions options, ParseGpuOptions(text));
    return GpuDevices(options);
  }
  const KernelRegistry* kernels() const override { return &GpuKernels(); }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const override {
    return OpenGpus(sites, options_);
  }

 private:
  const GpuOptions options_;
};

}  // namespace

std::shared_ptr<const DeviceKind> GpuDevices(const GpuOptions& options) {
  return std::make_shared<const GpuKind>(options);
}

}  // namespace tagflow::optimized
