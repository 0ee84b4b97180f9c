#include "optimized/kernels/change.h"

#include <algorithm>
#include <complex>
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "graph/variant.h"
#include "optimized/formulas/changes.h"

namespace tagflow::optimized {
namespace {

template <typename T>
concept Short = std::same_as<T, Half> || std::same_as<T, BFloat16>;

// What a formula sees of an element, and the element that its result becomes.
template <typename T>
T Load(const T& element) {
  return element;
}
template <Short T>
float Load(const T& element) {
  return ToFloat(element);
}
template <typename T, typename V>
void Store(T& element, V value) {
  if constexpr (std::same_as<T, Half>) {
    element = HalfFromFloat(value);
  } else if constexpr (std::same_as<T, BFloat16>) {
    element = BFloat16FromFloat(value);
  } else {
    element = static_cast<T>(value);
  }
}

// The type in which integers of type V wrap without being signed on the way.
template <typename V>
using Wrapping = std::conditional_t<sizeof(V) <= 4, uint32_t, uint64_t>;

template <typename V, typename F>
V Wrapped(V a, V b, F f) {
  if constexpr (std::integral<V>) {
    return static_cast<V>(f(static_cast<Wrapping<V>>(a), static_cast<Wrapping<V>>(b)));
  } else {
    return f(a, b);
  }
}

struct Add {
  template <typename V>
  V operator()(V a, V b) const {
    return Wrapped(a, b, [](auto x, auto y) { return x + y; });
  }
  bool operator()(bool a, bool b) const { return a || b; }
};

struct Subtract {
  template <typename V>
  V operator()(V a, V b) const {
    return Wrapped(a, b, [](auto x, auto y) { return x - y; });
  }
  bool operator()(bool a, bool b) const { return a != b; }
};

struct Multiply {
  template <typename V>
  V operator()(V a, V b) const {
    return Wrapped(a, b, [](auto x, auto y) { return x * y; });
  }
};

struct Divide {
  template <typename V>
  V operator()(V a, V b) const {
    if constexpr (std::signed_integral<V>) {
      if (b == -1) return Subtract()(V{0}, a);
    }
    return static_cast<V>(a / b);
  }
};

template <typename T, typename Formula>
void Run(void* target_bytes, const void* by_bytes, int64_t count, int64_t step) {
  T* target = static_cast<T*>(target_bytes);
  const T* by = static_cast<const T*>(by_bytes);
  if (step == 0) {
    const T one = *by;
    for (int64_t i = 0; i < count; ++i) {
      Store(target[i], Formula()(Load(target[i]), Load(one)));
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      Store(target[i], Formula()(Load(target[i]), Load(by[i])));
    }
  }
}

// Elements that are only copied: of T's size, or T itself where it is more than bytes.
template <typename T>
void Copy(void* target_bytes, const void* by_bytes, int64_t count, int64_t step) {
  T* target = static_cast<T*>(target_bytes);
  const T* by = static_cast<const T*>(by_bytes);
  if (step == 0) {
    std::fill_n(target, count, *by);
  } else if (target != by) {
    std::copy_n(by, count, target);
  }
}

template <typename T, typename Formula>
constexpr ChangeFunction RunIfItCan() {
  using V = decltype(Load(std::declval<T>()));
  if constexpr (std::is_invocable_v<Formula, V, V>) {
    return &Run<T, Formula>;
  } else {
    return nullptr;
  }
}

// f.operator()<T>() of the element type of a dtype of numbers, nothing of other dtypes.
template <typename R, typename F>
R WithNumberType(DType dtype, F f) {
  switch (dtype) {
    case DType::kFloat:
      return f.template operator()<float>();
    case DType::kDouble:
      return f.template operator()<double>();
    case DType::kHalf:
      return f.template operator()<Half>();
    case DType::kBFloat16:
      return f.template operator()<BFloat16>();
    case DType::kInt8:
      return f.template operator()<int8_t>();
    case DType::kInt16:
      return f.template operator()<int16_t>();
    case DType::kInt32:
      return f.template operator()<int32_t>();
    case DType::kInt64:
      return f.template operator()<int64_t>();
    case DType::kUInt8:
      return f.template operator()<uint8_t>();
    case DType::kUInt16:
      return f.template operator()<uint16_t>();
    case DType::kUInt32:
      return f.template operator()<uint32_t>();
    case DType::kUInt64:
      return f.template operator()<uint64_t>();
    case DType::kComplex64:
      return f.template operator()<std::complex<float>>();
    case DType::kComplex128:
      return f.template operator()<std::complex<double>>();
    default:
      return R();
  }
}

template <typename Formula>
ChangeFunction FindRun(DType dtype) {
  return WithNumberType<ChangeFunction>(dtype,
                                        []<typename T>() { return RunIfItCan<T, Formula>(); });
}

ChangeFunction FindCopy(DType dtype) {
  if (dtype == DType::kString) return &Copy<std::string>;
  if (dtype == DType::kResource) return &Copy<ResourceHandle>;
  if (dtype == DType::kVariant) return &Copy<Variant>;
  if (!IsTensorDType(dtype)) return nullptr;
  switch (DTypeSize(dtype)) {
    case 1:
      return &Copy<uint8_t>;
    case 2:
      return &Copy<uint16_t>;
    case 4:
      return &Copy<uint32_t>;
    case 8:
      return &Copy<uint64_t>;
    default:
      return &Copy<std::complex<double>>;
  }
}

}  // namespace

bool IsNumber(DType dtype) { return IsInteger(dtype) || IsFloating(dtype) || IsComplex(dtype); }

ChangeFunction FindChange(Change change, DType dtype) {
  switch (change) {
    case Change::kSet:
      return FindCopy(dtype);
    case Change::kAdd:
      return dtype == DType::kBool ? &Run<bool, Add> : FindRun<Add>(dtype);
    case Change::kSubtract:
      return dtype == DType::kBool ? &Run<bool, Subtract> : FindRun<Subtract>(dtype);
    case Change::kMultiply:
      return FindRun<Multiply>(dtype);
    case Change::kDivide:
      return FindRun<Divide>(dtype);
    case Change::kLower:
      return FindRun<formulas::Lower>(dtype);
    case Change::kRaise:
      return FindRun<formulas::Raise>(dtype);
  }
  return nullptr;
}

void CopyInto(const Tensor& from, Tensor& to, int64_t begin) {
  const int64_t offset = begin * static_cast<int64_t>(DTypeSize(to.dtype()));
  FindCopy(to.dtype())(static_cast<char*>(to.mutable_raw_data()) + offset, from.raw_data(),
                       from.num_elements(), 1);
}

bool HasZero(const Tensor& tensor) {
  return WithNumberType<bool>(tensor.dtype(), [&]<typename T>() {
    const auto elements = tensor.flat<T>();
    return std::any_of(elements.begin(), elements.end(), [](const T& element) {
      const auto value = Load(element);
      return value == decltype(value)();
    });
  });
}

Status MakeUnique(Tensor& tensor) {
  if (tensor.unique()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(tensor, tensor.Clone());
  return Status();
}

Status AddTo(Tensor& sum, const Tensor& term) {
  TAGFLOW_RETURN_IF_ERROR(MakeUnique(sum));
  const ChangeFunction add = FindChange(Change::kAdd, sum.dtype());
  add(sum.mutable_raw_data(), term.raw_data(), sum.num_elements(), 1);
  return Status();
}

}  // namespace tagflow::optimized
