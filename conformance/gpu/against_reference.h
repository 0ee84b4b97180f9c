#ifndef TAGFLOW_CONFORMANCE_GPU_AGAINST_REFERENCE_H_
#define TAGFLOW_CONFORMANCE_GPU_AGAINST_REFERENCE_H_

// For tests of GPU kernels' bodies on the host: inputs, and what the reference makes of them.

#include <string>
#include <type_traits>
#include <vector>

#include "conformance/compare.h"
#include "conformance/gpu/host_bodies.h"

namespace tagflow::conformance {

using optimized::TensorOf;

// Numbers of both signs that are not in order: eighths between -2 and 2, integers, true and false.
template <typename T>
Tensor Mixed(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, dims);
  T* const out = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const int64_t number = i * 7919 % 33 - 16;
    if constexpr (std::is_same_v<T, bool>) {
      out[i] = number != 3;
    } else {
      out[i] = static_cast<T>(number) / T(std::is_integral_v<T> ? 1 : 8);
    }
  }
  return tensor;
}

// Empty where the reference gives the same outputs, within the bounds.
inline std::string DifferenceFromReference(const std::string& op, const std::vector<Tensor>& inputs,
                                           const AttrMap& attrs, const std::vector<Tensor>& outputs,
                                           const Bounds& bounds) {
  const Result<std::vector<Tensor>> wanted = optimized::ReferenceGives(op, inputs, attrs);
  if (!wanted.ok()) return wanted.status().ToString();
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string difference = Difference((*wanted)[i], outputs[i], bounds);
    if (!difference.empty()) return "output " + std::to_string(i) + ": " + difference;
  }
  return "";
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_AGAINST_REFERENCE_H_
