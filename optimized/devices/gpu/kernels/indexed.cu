#include "optimized/devices/gpu/kernels/indexed.h"

#include "optimized/devices/gpu/kernels/move_bodies.h"

namespace tagflow::optimized {
namespace {

// Of this file alone: what it calls is compiled by nvcc, or is the fake of it.
template <template <typename> typename Body, typename Args>
struct LaunchesPlain {
  template <typename Bits>
  cudaError_t operator()() const {
    return OnGpu(Body<Bits>(args), args.count(), stream);
  }
  const Args& args;
  cudaStream_t stream;
};

template <template <typename, typename> typename Body, typename Args>
struct LaunchesIndexed {
  template <typename Bits>
  cudaError_t operator()() const {
    return are_wide ? OnGpu(Body<Bits, int64_t>(args), args.count(), stream)
                    : OnGpu(Body<Bits, int32_t>(args), args.count(), stream);
  }
  bool are_wide;
  const Args& args;
  cudaStream_t stream;
};

cudaError_t LaunchGatherNd(size_t bytes, const GatherNdArgs& args, cudaStream_t stream) {
  return ForElementSize(
      bytes, LaunchesIndexed<GatherNdBody, GatherNdArgs>{args.coordinates.are_wide, args, stream},
      cudaErrorInvalidValue);
}
template <template <typename, typename> typename Body, typename Args>
cudaError_t LaunchIndexed(size_t bytes, const Args& args, cudaStream_t stream) {
  return ForElementSize(bytes, LaunchesIndexed<Body, Args>{args.are_wide, args, stream},
                        cudaErrorInvalidValue);
}
template <template <typename> typename Body, typename Args>
cudaError_t LaunchPlain(size_t bytes, const Args& args, cudaStream_t stream) {
  return ForElementSize(bytes, LaunchesPlain<Body, Args>{args, stream}, cudaErrorInvalidValue);
}

}  // namespace

const IndexedLaunches& IndexedKernels() {
  static constexpr IndexedLaunches kLaunches = {
      LaunchGatherNd, LaunchIndexed<OneHotBody, OneHotArgs>,
      LaunchIndexed<ReverseSequenceBody, ReverseSequenceArgs>, LaunchPlain<BandBody, BandArgs>};
  return kLaunches;
}

}  // namespace tagflow::optimized
