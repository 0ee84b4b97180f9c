#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_NUMBERS_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_NUMBERS_H_

// Inputs and weights of the programs for GPUs, and how they are fed.

#include <cmath>
#include <string>
#include <utility>

#include "conformance/gpu/gpu_programs.h"
#include "graph/builder/builder.h"
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

// A placeholder of the value's dtype and shape, which the program feeds with it.
inline Output Fed(const Scope& s, const std::string& name, Tensor value, GpuProgram& program) {
  const Output made = Placeholder(s.WithOpName(name), value.dtype(),
                                  Dims(value.dims().begin(), value.dims().end()));
  program.feeds.emplace_back(made.name(), std::move(value));
  return made;
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_NUMBERS_H_
