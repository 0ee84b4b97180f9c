#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PASSES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PASSES_H_

// Kernels of several passes, each of which begins when the one before has ended.
//
// Tested by conformance/gpu/host_softmax_test.cc.

namespace tagflow::optimized {

// Calls one after the other until one gives an error.
template <typename Call>
auto InTurn(const Call& call) {
  return call();
}
template <typename Call, typename... Calls>
auto InTurn(const Call& call, const Calls&... calls) {
  const auto error = call();
  return error == decltype(call())() ? InTurn(calls...) : error;
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PASSES_H_
