#include "optimized/devices/gpu/kernels/softmax.h"

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

struct CollectsSoftmax {
  template <typename Passes>
  void operator()(const char* op, DType dtype) const {
    launches.push_back({op, dtype, [](const SoftmaxArgs& args, cudaStream_t stream) {
                          return Passes::RunAll(args, RunsPass{stream});
                        }});
  }
  std::vector<GpuLaunch<SoftmaxArgs>>& launches;
};

}  // namespace

const std::vector<GpuLaunch<SoftmaxArgs>>& SoftmaxLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<SoftmaxArgs>>;
    ForEachSoftmax(CollectsSoftmax{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
