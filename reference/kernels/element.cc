// Tested by conformance/ops/math.ops.

#include "reference/kernels/element.h"

#include <cstring>

#include "graph/variant.h"

namespace tagflow::reference {
namespace {

// Element type to computing type and back.
template <typename C, typename T>
C Widen(const T& value) {
  return static_cast<C>(value);
}
template <typename T, typename C>
T Narrow(const C& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (kIsShort<C>) {
    return RoundTo(T(), value.value);
  } else {
    return static_cast<T>(value);
  }
}

// Calls f(T()) with the element type T of a dtype whose computing type is C.
template <typename C, typename F>
void WithElementType(DType dtype, F f) {
  if constexpr (std::is_same_v<C, int64_t>) {
    if (dtype == DType::kBool) return f(bool());
    if (dtype == DType::kInt8) return f(int8_t());
    if (dtype == DType::kInt16) return f(int16_t());
    if (dtype == DType::kInt32) return f(int32_t());
    return f(int64_t());
  } else if constexpr (std::is_same_v<C, uint64_t>) {
    if (dtype == DType::kUInt8) return f(uint8_t());
    if (dtype == DType::kUInt16) return f(uint16_t());
    if (dtype == DType::kUInt32) return f(uint32_t());
    return f(uint64_t());
  } else if constexpr (std::is_same_v<C, Short<Half>>) {
    return f(Half());
  } else if constexpr (std::is_same_v<C, Short<BFloat16>>) {
    return f(BFloat16());
  } else {
    return f(C());
  }
}

template <typename T>
void CopyOne(const Tensor& from, int64_t from_index, Tensor& to, int64_t to_index) {
  to.mutable_data<T>()[to_index] = from.data<T>()[from_index];
}

}  // namespace

template <typename C>
std::vector<C> Load(const Tensor& tensor) {
  std::vector<C> values;
  values.reserve(static_cast<size_t>(tensor.num_elements()));
  WithElementType<C>(tensor.dtype(), [&](auto zero) {
    for (const auto& value : tensor.flat<decltype(zero)>()) values.push_back(Widen<C>(value));
  });
  return values;
}

template <typename C>
Result<Tensor> Store(DType dtype, DimsView dims, const std::vector<C>& values) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, dims));
  TAGFLOW_CHECK(tensor.num_elements() == static_cast<int64_t>(values.size()));
  WithElementType<C>(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = tensor.mutable_data<T>();
    for (const C& value : values) *out++ = Narrow<T>(value);
  });
  return tensor;
}

#define TAGFLOW_INSTANTIATE(C)                    \
  template std::vector<C> Load<C>(const Tensor&); \
  template Result<Tensor> Store<C>(DType, DimsView, const std::vector<C>&)
TAGFLOW_INSTANTIATE(int64_t);
TAGFLOW_INSTANTIATE(uint64_t);
TAGFLOW_INSTANTIATE(float);
TAGFLOW_INSTANTIATE(double);
TAGFLOW_INSTANTIATE(Short<Half>);
TAGFLOW_INSTANTIATE(Short<BFloat16>);
TAGFLOW_INSTANTIATE(std::complex<float>);
TAGFLOW_INSTANTIATE(std::complex<double>);
TAGFLOW_INSTANTIATE(std::string);
#undef TAGFLOW_INSTANTIATE

void CopyElement(const Tensor& from, int64_t from_index, Tensor& to, int64_t to_index) {
  TAGFLOW_CHECK(from.dtype() == to.dtype());
  if (IsPlainDType(from.dtype())) {
    const size_t size = DTypeSize(from.dtype());
    std::memcpy(static_cast<char*>(to.mutable_raw_data()) + to_index * size,
                static_cast<const char*>(from.raw_data()) + from_index * size, size);
  } else if (from.dtype() == DType::kString) {
    CopyOne<std::string>(from, from_index, to, to_index);
  } else if (from.dtype() == DType::kResource) {
    CopyOne<ResourceHandle>(from, from_index, to, to_index);
  } else {
    CopyOne<Variant>(from, from_index, to, to_index);
  }
}

}  // namespace tagflow::reference
