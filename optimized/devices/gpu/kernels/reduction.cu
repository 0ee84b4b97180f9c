#include "optimized/devices/gpu/kernels/reduction.h"

namespace tagflow::optimized {
namespace {

// Of this file alone: what it calls is compiled by nvcc, or is the fake of it.
struct RunsPass {
  template <typename Body>
  cudaError_t operator()(const Body& body, int64_t count) const {
    return OnGpu(body, count, stream);
  }
  cudaStream_t stream;
};

struct CollectsReductions {
  template <typename F>
  void operator()(const char* op, DType dtype) const {
    launches.push_back({op, dtype, [](const ReductionArgs& args, cudaStream_t stream) {
                          return RunPasses<F>(args, RunsPass{stream});
                        }});
  }
  std::vector<GpuLaunch<ReductionArgs>>& launches;
};

struct CollectsArgBest {
  template <typename F>
  void operator()(const char* op, DType dtype, DType index) const {
    launches.push_back({index, {op, dtype, [](const ReductionArgs& args, cudaStream_t stream) {
                                  return RunPasses<F>(args, RunsPass{stream});
                                }}});
  }
  std::vector<ArgBestLaunch>& launches;
};

}  // namespace

const std::vector<ArgBestLaunch>& ArgBestLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<ArgBestLaunch>;
    ForEachArgBest(CollectsArgBest{*made});
    return made;
  }();
  return launches;
}

const std::vector<GpuLaunch<ReductionArgs>>& ReductionLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<ReductionArgs>>;
    ForEachReduction(CollectsReductions{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
