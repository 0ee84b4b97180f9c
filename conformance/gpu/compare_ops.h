#ifndef TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_
#define TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_

// Ops on the GPU and on the CPU.

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "conformance/compare.h"
#include "conformance/gpu/suite_counts.h"
#include "graph/tensor.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::conformance {

// ---- Half and bfloat16, which are computed in float and rounded once ----

// The tensor in that dtype, where it is of `from`; else as it is.
inline Tensor Converted(const Tensor& x, DType from, DType to) {
  if (x.dtype() != from) return x;
  Tensor made = *Tensor::Allocate(to, x.dims());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (from == DType::kHalf) made.mutable_data<float>()[i] = ToFloat(x.data<Half>()[i]);
    if (from == DType::kBFloat16) made.mutable_data<float>()[i] = ToFloat(x.data<BFloat16>()[i]);
    if (to == DType::kHalf) made.mutable_data<Half>()[i] = HalfFromFloat(x.data<float>()[i]);
    if (to != DType::kBFloat16) continue;
    made.mutable_data<BFloat16>()[i] = BFloat16FromFloat(x.data<float>()[i]);
  }
  return made;
}
inline std::vector<Tensor> AllConverted(std::vector<Tensor> values, DType from, DType to) {
  for (Tensor& value : values) value = Converted(value, from, to);
  return values;
}

// Runs an op of float with its numbers rounded to a short float, in both dtypes; says what differs.
inline std::string CompareShortFloat(const std::string& op, const std::string& attrs,
                                     const std::vector<Tensor>& inputs, DType dtype, int output) {
  constexpr char kGpu[] = "/device:GPU:0", kFloat[] = "=float";
  std::string short_attrs = attrs;
  for (size_t at = 0; (at = short_attrs.find(kFloat, at)) != std::string::npos; ++at) {
    short_attrs.replace(at + 1, sizeof(kFloat) - 2, DTypeName(dtype));
  }
  const std::vector<Tensor> numbers = AllConverted(inputs, DType::kFloat, dtype);
  const Result<Tensor> given = optimized::RunOpOn(kGpu, op, short_attrs, numbers, output);
  const Result<Tensor> in_float =
      optimized::RunOpOn(kGpu, op, attrs, AllConverted(numbers, dtype, DType::kFloat), output);
  if (given.status().code() == Code::kUnimplemented) return "";  // the host has none
  if (!given.ok() || !in_float.ok()) {
    const std::string error = given.status().ToString(), wanted = in_float.status().ToString();
    return error == wanted ? "" : error + ", in float: " + wanted;
  }
  // By cuBLAS, which adds up in another order for each dtype; sums are rounded more often.
  const bool is_product = op.find("MatMul") != std::string::npos;
  const bool is_sum = op == "AddN" || op == "AccumulateNV2";
  const Bounds bounds = is_sum       ? Bounds{.relative = 0x1p-5, .absolute = 1}
                        : is_product ? Bounds{.ulps = 1, .absolute = 1e-3}
                                     : Bounds();
  const DType wanted = given->dtype() == dtype ? dtype : DType::kFloat;
  return Difference(Converted(*in_float, DType::kFloat, wanted), *given, bounds);
}

// Runs CompareShortFloat for both short floats, once for each op and output.
inline std::string CompareShortFloats(const std::string& op, const std::string& attrs,
                                      const std::vector<Tensor>& inputs, int output) {
  static std::set<std::string> done;
  const bool has_floats = std::ranges::find(inputs, DType::kFloat, &Tensor::dtype) != inputs.end();
  for (const DType dtype : {DType::kHalf, DType::kBFloat16}) {
    const auto* const kernel = optimized::GpuDevices()->kernels()->FindFor({op, "GPU", dtype});
    if (!has_floats || kernel == nullptr) continue;
    const std::string name = DTypeName(dtype);
    if (!done.insert(op + " " + name + " " + std::to_string(output)).second) continue;
    const std::string difference = CompareShortFloat(op, attrs, inputs, dtype, output);
    if (!difference.empty()) return name + ": " + difference;
  }
  return "";
}

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
  const std::string difference = Difference(*wanted, *given, bounds);
  return difference.empty() ? CompareShortFloats(op, attrs, inputs, output) : difference;
}

inline std::string AttrsOf(DType dtype) {
  return dtype == DType::kInvalid ? "" : " T=" + DTypeName(dtype);
}

// Numbers of both signs behind corners of the type.
template <typename T>
Tensor Numbers(int64_t count) {
  using Limits = std::numeric_limits<T>;
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, Dims{count});
  T* const out = tensor.mutable_data<T>();
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, bool>) {
      out[i] = i % 3 == 0;
    } else {
      out[i] = static_cast<T>((i * 7919 % 2001 - 1000) / T(std::is_integral_v<T> ? 1 : 8));
    }
  }
  if constexpr (!std::is_same_v<T, bool>) {
    const T corners[] = {0,
                         T(-1),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::min(),
                         Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::denorm_min()};
    std::ranges::copy(corners, out);
  }
  return tensor;
}

// As many of them as there are in that shape.
template <typename T>
Tensor NumbersOf(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return Numbers<T>(count).Reshaped(dims);
}

// Elements that differ in their bytes, whatever these mean.
inline Tensor ElementsOf(DType dtype, const Dims& dims) {
  Tensor elements = *Tensor::Allocate(dtype, dims);
  auto* const bytes = static_cast<unsigned char*>(elements.mutable_raw_data());
  const unsigned values = dtype == DType::kBool ? 2 : 113;
  for (size_t i = 0; i < elements.byte_size(); ++i) {
    bytes[i] = static_cast<unsigned char>((i + i / 7) % values);
  }
  return elements;
}

// `count` indices below `limit`, in no order, of which many are the same.
template <typename I>
Tensor Scrambled(int64_t count, int64_t limit) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<I>::value, Dims{count});
  for (int64_t i = 0; i < count; ++i) {
    tensor.mutable_data<I>()[i] = static_cast<I>(i * i % 7919 * 31 % limit);
  }
  return tensor;
}

struct Call {
  std::string op;
  std::string attrs;
  std::vector<Tensor> inputs;
};

inline Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
inline Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// Bit for bit.
inline void CompareCalls(const std::vector<Call>& calls, SuiteCounts& counts) {
  for (const auto& [op, attrs, inputs] : calls) {
    Note(counts, "kernels", std::string(op) + " " + attrs, CompareOp(op, attrs, inputs, {}));
  }
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_COMPARE_OPS_H_
