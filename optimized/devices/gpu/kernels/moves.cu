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

}  // namespace

cudaError_t LaunchBox(size_t element_bytes, const BoxArgs& args, cudaStream_t stream) {
  return ForElementSize(element_bytes, Launches<BoxBody, BoxArgs>{args, stream},
                        cudaErrorInvalidValue);
}

cudaError_t LaunchSelect(size_t element_bytes, const SelectArgs& args, cudaStream_t stream) {
  return ForElementSize(element_bytes, Launches<SelectBody, SelectArgs>{args, stream},
                        cudaErrorInvalidValue);
}

}  // namespace tagflow::optimized
