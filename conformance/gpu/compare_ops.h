#ifndef TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_
#define TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_

// One op on the GPU and on the CPU.

#include <string>
#include <vector>

#include "conformance/compare.h"
#include "graph/tensor.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::conformance {

// What differs; empty: nothing.
inline std::string CompareOp(const std::string& op, const std::string& attrs,
                             const std::vector<Tensor>& inputs, const Bounds& bounds,
                             int output = 0) {
  constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";
  const Result<Tensor> given = optimized::RunOpOn(kGpu, op, attrs, inputs, output);
  if (!given.ok()) return given.status().ToString();
  const Result<Tensor> again = optimized::RunOpOn(kGpu, op, attrs, inputs, output);
  if (!again.ok()) return again.status().ToString();
  if (!BitwiseEqual(*given, *again)) return "gives other bits the second time";
  const Result<Tensor> wanted = optimized::RunOpOn(kCpu, op, attrs, inputs, output);
  if (!wanted.ok()) return wanted.status().ToString();
  return Difference(*wanted, *given, bounds);
}

inline std::string AttrsOf(DType dtype) {
  return dtype == DType::kInvalid ? "" : " T=" + DTypeName(dtype);
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_
