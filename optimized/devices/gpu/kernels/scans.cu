#include "optimized/devices/gpu/kernels/scans.h"

namespace tagflow::optimized {
namespace {

struct CollectScans {
  template <typename Body>
  void operator()(const char* op, DType dtype) const {
    launches.push_back({op, dtype, [](const ScanArgs& args, cudaStream_t stream) {
                          return OnGpu(Body(args), args.count(), stream);
                        }});
  }
  std::vector<GpuLaunch<ScanArgs>>& launches;
};

}  // namespace

const std::vector<GpuLaunch<ScanArgs>>& ScanLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<ScanArgs>>;
    ForEachScan(CollectScans{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
