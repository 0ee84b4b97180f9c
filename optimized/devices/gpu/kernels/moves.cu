#include "optimized/devices/gpu/kernels/moves.h"

namespace tagflow::optimized {
namespace {

template <template <typename> typename Body, typename Args>
struct Launches {
  template <typename Bits>
  cudaError_t operator()() const {
    return OnGpu(Body<Bits>(args), args.walk.count, stream);
  }
  const Args& args;
  cudaStream_t stream;
};

struct GatherLaunches {
  template <typename Bits>
  cudaError_t operator()() const {
    return ForIndexSize<Bits>(index_bytes, *this);
  }
  template <typename Bits, typename I>
  cudaError_t operator()() const {
    return OnGpu(GatherBody<Bits, I>(args), args.count(), stream);
  }
  size_t index_bytes;
  const GatherArgs& args;
  cudaStream_t stream;
};

}  // namespace

cudaError_t LaunchBox(size_t element_bytes, const BoxArgs& args, cudaStream_t stream) {
  return ForElementSize(element_bytes, Launches<BoxBody, BoxArgs>{args, stream},
                        cudaErrorInvalidValue);
}

cudaError_t LaunchSelect(size_t element_bytes, const SelectArgs& args, cudaStream_t stream) {
  return ForElementSize(element_bytes, Launches<SelectBody, SelectArgs>{args, stream},
                        cudaErrorInvalidValue);
}

cudaError_t LaunchGather(size_t element_bytes, size_t index_bytes, const GatherArgs& args,
                         cudaStream_t stream) {
  return ForElementSize(element_bytes, GatherLaunches{index_bytes, args, stream},
                        cudaErrorInvalidValue);
}

}  // namespace tagflow::optimized
