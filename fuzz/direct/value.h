#ifndef TAGFLOW_FUZZ_DIRECT_VALUE_H_
#define TAGFLOW_FUZZ_DIRECT_VALUE_H_

// What a ValueId stands for while a program is evaluated: a tensor, an array or a stack, with real
// elements of type R (whatever their dtype) and all integers, bools too, as int64_t.
//
// A scalar is inline; the elements of other tensors are shared and never written again. Arrays and
// stacks are shared and written in place: programs use them linearly, so nobody sees an old one.

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "fuzz/direct/dual.h"
#include "fuzz/direct/tracked.h"
#include "fuzz/program/program.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

template <typename R>
struct Elements {
  Dims dims;
  std::vector<R> reals;           // of half, bfloat16, float and double
  std::vector<int64_t> integers;  // of all others
};

template <typename R>
struct Collection;

template <typename R>
struct Value {
  DType dtype = DType::kInvalid;
  R real{};                                     // of a scalar
  int64_t integer = 0;                          // likewise
  std::shared_ptr<const Elements<R>> elements;  // of a tensor that is no scalar
  std::shared_ptr<Collection<R>> collection;    // of an array or a stack

  static Value OfReal(DType dtype, const R& real) {
    Value value;
    value.dtype = dtype;
    value.real = real;
    return value;
  }
  static Value OfInteger(DType dtype, int64_t integer) {
    Value value;
    value.dtype = dtype;
    value.integer = integer;
    return value;
  }
  // REQUIRES: E is the type of the dtype's elements, and there is one per element of dims.
  template <typename E>
  static Value Of(DType dtype, Dims dims, std::vector<E> values);

  bool is_scalar() const { return elements == nullptr; }
  bool is_real() const { return IsFloating(dtype); }
  DimsView dims() const { return elements == nullptr ? DimsView() : DimsView(elements->dims); }
  size_t size() const {
    return elements == nullptr ? 1 : elements->reals.size() + elements->integers.size();
  }
  // The elements in row-major order; E is R or int64_t.
  template <typename E>
  const E* data() const {
    if constexpr (std::is_same_v<E, R>) {
      return elements == nullptr ? &real : elements->reals.data();
    } else {
      return elements == nullptr ? &integer : elements->integers.data();
    }
  }
};

// An array: `items` has its fixed size, and what is not written yet is invalid. A stack: those on
// it, the top one last.
template <typename R>
struct Collection {
  std::vector<Value<R>> items;
  size_t most = 0;  // of a stack
};

template <typename R>
template <typename E>
Value<R> Value<R>::Of(DType dtype, Dims dims, std::vector<E> values) {
  Value value;
  value.dtype = dtype;
  if (dims.empty()) {
    if constexpr (std::is_same_v<E, R>) {
      value.real = values[0];
    } else {
      value.integer = values[0];
    }
    return value;
  }
  auto elements = std::make_shared<Elements<R>>();
  elements->dims = std::move(dims);
  if constexpr (std::is_same_v<E, R>) {
    elements->reals = std::move(values);
  } else {
    elements->integers = std::move(values);
  }
  value.elements = std::move(elements);
  return value;
}

// Whether the evaluator computes with the dtype: all reals, bool, signed integers, unsigned ones of
// up to 32 bits.
bool IsEvaluated(DType dtype);
// UNIMPLEMENTED naming the first dtype of the program's values that is not.
Status CheckDTypes(const Program& program);

// The low bits of x, as the integer dtype reads them.
inline int64_t Wrapped(int64_t x, DType dtype) {
  switch (dtype) {
    case DType::kInt32:
      return static_cast<int32_t>(x);
    case DType::kInt16:
      return static_cast<int16_t>(x);
    case DType::kInt8:
      return static_cast<int8_t>(x);
    case DType::kUInt8:
      return static_cast<uint8_t>(x);
    case DType::kUInt16:
      return static_cast<uint16_t>(x);
    case DType::kUInt32:
      return static_cast<uint32_t>(x);
    default:
      return x;
  }
}

// Calls f with a zero of the C++ type of the dtype. REQUIRES: IsEvaluated(dtype).
template <typename F>
auto WithElementType(DType dtype, F f) {
  switch (dtype) {
    case DType::kFloat:
      return f(float());
    case DType::kDouble:
      return f(double());
    case DType::kHalf:
      return f(Half());
    case DType::kBFloat16:
      return f(BFloat16());
    case DType::kBool:
      return f(bool());
    case DType::kInt8:
      return f(int8_t());
    case DType::kInt16:
      return f(int16_t());
    case DType::kInt64:
      return f(int64_t());
    case DType::kUInt8:
      return f(uint8_t());
    case DType::kUInt16:
      return f(uint16_t());
    case DType::kUInt32:
      return f(uint32_t());
    default:
      return f(int32_t());
  }
}

// Elements as the evaluator holds them, and back.
template <typename E>
inline E Widened(Half x) {
  return E(ToFloat(x));
}
template <typename E>
inline E Widened(BFloat16 x) {
  return E(ToFloat(x));
}
template <typename E, typename T>
inline E Widened(T x) {
  return E(x);
}
inline void Narrow(double x, Half& to) { to = HalfFromDouble(x); }
inline void Narrow(double x, BFloat16& to) { to = BFloat16FromFloat(static_cast<float>(x)); }
inline void Narrow(double x, float& to) { to = static_cast<float>(x); }
inline void Narrow(double x, double& to) { to = x; }
// The evaluator's type for the elements of dtype T.
template <typename T, typename R>
using ElementOf = std::conditional_t<std::is_integral_v<T>, int64_t, R>;

// REQUIRES: IsEvaluated(tensor.dtype())
template <typename R>
Value<R> FromTensor(const Tensor& tensor) {
  return WithElementType(tensor.dtype(), [&]<typename T>(T) {
    using E = ElementOf<T, R>;
    const Dims dims(tensor.dims().begin(), tensor.dims().end());
    std::vector<E> values;
    values.reserve(static_cast<size_t>(tensor.num_elements()));
    for (const T& x : tensor.flat<T>()) values.push_back(Widened<E>(x));
    return Value<R>::Of(tensor.dtype(), dims, std::move(values));
  });
}

// The tensor of decisive values. REQUIRES: value is a tensor.
template <typename R>
Tensor ToTensor(const Value<R>& value) {
  return WithElementType(value.dtype, [&]<typename T>(T) {
    using E = ElementOf<T, R>;
    Tensor tensor = *Tensor::Allocate(value.dtype, value.dims());
    const E* from = value.template data<E>();
    for (T& to : tensor.mutable_flat<T>()) {
      if constexpr (std::is_same_v<E, R>) {
        Narrow(Decisive(*from++), to);
      } else {
        to = static_cast<T>(*from++);
      }
    }
    return tensor;
  });
}

// What evaluating a statement may leave behind beside its value.
struct Situation {
  Status error;            // not OK: the value means nothing
  bool undecided = false;  // a comparison or conversion may come out otherwise in another engine
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_VALUE_H_
