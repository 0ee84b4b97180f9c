#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_NUMBERS_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_NUMBERS_H_

// Inputs and weights of the programs for GPUs.

#include <cmath>

#include "graph/tensor.h"

namespace tagflow::conformance {

// Numbers between -scale and scale, of no order.
inline Tensor Scattered(const Dims& dims, double scale) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat, dims);
  double i = 0;
  for (float& element : tensor.mutable_flat<float>()) {
    element = static_cast<float>(scale * std::sin(++i * 12.9898));
  }
  return tensor;
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_NUMBERS_H_
