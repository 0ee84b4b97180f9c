#include "optimized/devices/gpu/kernels/scatter.h"

namespace tagflow::optimized {
namespace {

// Of this file alone: what it calls is compiled by nvcc, or is the fake of it.
struct RunsFoldingPass {
  template <typename Body>
  cudaError_t operator()(const Body& body, int64_t count) const {
    return OnGpu(body, count, stream);
  }
  cudaStream_t stream;
};

template <typename Args>
struct CollectsFoldings {
  template <typename Passes>
  void operator()(const char* op, DType dtype) const {
    launches.push_back({op, dtype, [](const Args& args, cudaStream_t stream) {
                          return Passes::RunAll(args, RunsFoldingPass{stream});
                        }});
  }
  std::vector<GpuLaunch<Args>>& launches;
};

}  // namespace

const std::vector<GpuLaunch<ScatterArgs>>& ScatterLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<ScatterArgs>>;
    ForEachScatter(CollectsFoldings<ScatterArgs>{*made});
    return made;
  }();
  return launches;
}

const std::vector<GpuLaunch<RowUpdateArgs>>& RowUpdateLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<RowUpdateArgs>>;
    ForEachRowUpdate(CollectsFoldings<RowUpdateArgs>{*made});
    return made;
  }();
  return launches;
}

const std::vector<GpuLaunch<SegmentArgs>>& SegmentLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<SegmentArgs>>;
    ForEachSegmentKernel(CollectsFoldings<SegmentArgs>{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
