#include "optimized/devices/gpu/kernels/sums.h"

namespace tagflow::optimized {
namespace {

struct CollectSums {
  template <typename C>
  void operator()(DType dtype) const {
    launches.push_back({dtype, [](const SumArgs& args, cudaStream_t stream) {
                          return OnGpu(SumBody<C>(args), args.count, stream);
                        }});
  }
  std::vector<SumLaunch>& launches;
};

}  // namespace

const std::vector<SumLaunch>& SumLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<SumLaunch>;
    ForEachSumKernel(CollectSums{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
