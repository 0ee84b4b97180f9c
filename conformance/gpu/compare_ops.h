#ifndef TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_
#define TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_

// One op on the GPU and on the CPU.

#include <string>
#include <vector>

#include "conformance/compare.h"
#include "graph/tensor.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::conformance {

// What differs; empty: nothing. Errors are compared as the values are.
inline std::string CompareOp(const std::string& op, const std::string& attrs,
                             const std::vector<Tensor>& inputs, const Bounds& bounds,
                             int output = 0) {
  constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";
  const Result<Tensor> given = optimized::RunOpOn(kGpu, op, attrs, inputs, output);
  const Result<Tensor> wanted = optimized::RunOpOn(kCpu, op, attrs, inputs, output);
  const std::string error = wanted.status().ToString(), given_error = given.status().ToString();
  if (!given.ok() || !wanted.ok()) {
    return error == given_error ? "" : given_error + ", on the host: " + error;
  }
  const Result<Tensor> again = optimized::RunOpOn(kGpu, op, attrs, inputs, output);
  if (!again.ok()) return again.status().ToString();
  if (!BitwiseEqual(*given, *again)) return "gives other bits the second time";
  return Difference(*wanted, *given, bounds);
}

inline std::string AttrsOf(DType dtype) {
  return dtype == DType::kInvalid ? "" : " T=" + DTypeName(dtype);
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_
