#include "optimized/devices/gpu/kernels/random.h"

namespace tagflow::optimized {
namespace {

struct CollectsRandom {
  template <typename Group>
  void operator()(Distribution distribution, DType dtype) const {
    launches.push_back({distribution, dtype, [](const RandomArgs& args, cudaStream_t stream) {
                          const RandomBody<Group> body(args);
                          return OnGpu(body, body.num_groups(), stream);
                        }});
  }
  std::vector<RandomLaunch>& launches;
};

}  // namespace

const std::vector<RandomLaunch>& RandomLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<RandomLaunch>;
    ForEachRandom(CollectsRandom{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
