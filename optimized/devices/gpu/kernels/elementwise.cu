#include "optimized/devices/gpu/kernels/elementwise.h"

namespace tagflow::optimized {
namespace {

template <template <typename, typename> typename Body, typename Args>
struct Collect {
  template <typename F, typename C>
  void operator()(const char* op, DType dtype) const {
    const auto launch = [](const Args& args, cudaStream_t stream) {
      return OnGpu(Body<F, C>(args), args.count, stream);
    };
    launches.push_back({op, dtype, launch});
    if constexpr (RefusingPairs<F, C>) launches.back().refusal = F::Refusal();
  }
  std::vector<GpuLaunch<Args>>& launches;
};

}  // namespace

const std::vector<GpuLaunch<PairArgs>>& PairLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<PairArgs>>;
    ForEachPairKernel(Collect<PairBody, PairArgs>{*made});
    return made;
  }();
  return launches;
}

const std::vector<GpuLaunch<PairArgs>>& SamePairLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<PairArgs>>;
    ForEachSamePairKernel(Collect<PairBody, PairArgs>{*made});
    return made;
  }();
  return launches;
}

const std::vector<GpuLaunch<MapArgs>>& MapLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<MapArgs>>;
    ForEachMapKernel(Collect<MapBody, MapArgs>{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
