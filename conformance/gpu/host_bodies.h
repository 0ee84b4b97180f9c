#ifndef TAGFLOW_CONFORMANCE_GPU_HOST_BODIES_H_
#define TAGFLOW_CONFORMANCE_GPU_HOST_BODIES_H_

// For tests of what GPU kernels compute, run on the host: numbers to run them on, and what the
// reference gives.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/compare.h"
#include "conformance/ops/op_runner.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

template <typename T>
std::vector<T> Corners() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    return {0, 1, -1, 2, -2, 3, 7, -7, 31, Limits::max(), Limits::min(), Limits::max() / 2};
  } else {
    return {T(0),
            -T(0),
            T(1),
            -T(1),
            T(0.5),
            T(-2.5),
            T(3),
            T(-0.1),
            T(0.55),
            T(-0.7),
            T(20),
            T(-88),
            T(710),
            T(1e30),
            T(-1e30),
            Limits::max(),
            -Limits::max(),
            Limits::min(),
            Limits::denorm_min(),
            Limits::infinity(),
            -Limits::infinity(),
            Limits::quiet_NaN()};
  }
}

template <typename T>
Tensor TensorOf(const std::vector<T>& values, const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, dims);
  std::ranges::copy(values, tensor.mutable_data<T>());
  return tensor;
}

// A different number for each element, as far as the dtype has so many.
template <typename T>
Tensor Counted(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, dims);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.mutable_data<T>()[i] = static_cast<T>(std::is_same_v<T, bool> ? i % 3 == 0 : i + 1);
  }
  return tensor;
}

// Where a body finds an input: its elements, or null for a scalar, which is then in `scalar`.
inline const void* PlaceOnHost(const Tensor& input, char* scalar) {
  if (!input.is_inline()) return input.raw_data();
  std::memcpy(scalar, input.raw_data(), DTypeSize(input.dtype()));
  return nullptr;
}

// What the reference gives, or its error.
inline Result<std::vector<Tensor>> ReferenceGives(const std::string& op,
                                                  const std::vector<Tensor>& inputs,
                                                  const AttrMap& attrs) {
  static const auto runner = conformance::ReferenceOps().make();
  std::vector<conformance::OpRunner::Value> values;
  for (const Tensor& input : inputs) values.push_back({input, nullptr});
  TAGFLOW_ASSIGN_OR_RETURN(auto given, runner->Run(op, std::move(values), attrs));
  std::vector<Tensor> tensors;
  for (auto& value : given) tensors.push_back(std::move(value.tensor));
  return tensors;
}

// How output 0 differs from the reference's by more than `ulps`; "" where it does not.
inline std::string DifferenceFromReference(const std::string& op, const std::vector<Tensor>& inputs,
                                           const AttrMap& attrs, const Tensor& actual,
                                           int64_t ulps = 0) {
  const Result<std::vector<Tensor>> wanted = ReferenceGives(op, inputs, attrs);
  if (!wanted.ok()) return wanted.status().ToString();
  return conformance::Difference((*wanted)[0], actual, {.ulps = ulps});
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_CONFORMANCE_GPU_HOST_BODIES_H_
