#include "optimized/devices/gpu/kernels/casts.h"

namespace tagflow::optimized {
namespace {

struct CollectCasts {
  template <typename F, typename From>
  void operator()(const CastKind& kind) const {
    launches.push_back({kind, [](const MapArgs& args, cudaStream_t stream) {
                          return OnGpu(MapBody<F, From>(args), args.count, stream);
                        }});
  }
  std::vector<CastLaunch>& launches;
};

}  // namespace

const std::vector<CastLaunch>& CastLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<CastLaunch>;
    ForEachCastKernel(CollectCasts{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
