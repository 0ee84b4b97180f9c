#include "fuzz/generate/literals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tagflow::fuzz {
namespace {

// 0, 1, -1, 2, -2, …
int ZigZag(uint32_t n) {
  const int half = static_cast<int>((n + 1) / 2);
  return n % 2 == 1 ? half : -half;
}

template <typename T>
T Special(Choices& choices) {
  using L = std::numeric_limits<T>;
  if constexpr (L::is_integer) {
    const std::vector<T> values = {L::max(), L::min(), static_cast<T>(L::max() - 1),
                                   static_cast<T>(L::min() + 1), static_cast<T>(-1)};
    return choices.Of(values);
  } else {
    const std::vector<T> values = {-T{0},           L::infinity(), -L::infinity(), L::quiet_NaN(),
                                   L::denorm_min(), L::min() / 4,  L::max(),       L::lowest(),
                                   L::epsilon(),    L::quiet_NaN()};
    return choices.Of(values);
  }
}

// How many there are: of integers, of quarters, and of digits behind the point. A prime, so that
// they are endless.
constexpr uint32_t kIntegers = 21, kQuarters = 49, kPrime = 1048573;

template <typename T>
T Ordinary(Choices& choices) {
  if constexpr (std::is_same_v<T, bool>) {
    return choices.Chance(kEvenly);
  } else if constexpr (std::numeric_limits<T>::is_integer) {
    const T number = static_cast<T>(ZigZag(choices.Below(kIntegers)));
    // Some are as small as the others in their low 32 bits only.
    if (sizeof(T) == 8 && choices.Chance(kRarely)) return static_cast<T>(number * 0xFFFFFFFFLL);
    return number;
  } else {
    const int quarters = ZigZag(choices.Below(kQuarters));
    // Tenths and the like have all the digits there are; sums of quarters never need rounding.
    if (!choices.Chance(kSeldom)) return static_cast<T>(quarters) / 4;
    const auto digits = static_cast<T>(choices.Below(kPrime)) / T{kPrime};
    return (static_cast<T>(quarters) + (quarters < 0 ? digits : -digits)) / 5;
  }
}

// Long tensors repeat after so many elements, which no size of a vector or block is a multiple of.
constexpr size_t kDrawn = 13;

template <typename T>
void Fill(Choices& choices, bool specials, Tensor& tensor) {
  const std::span<T> elements = tensor.mutable_flat<T>();
  for (size_t i = 0; i < elements.size(); ++i) {
    T& element = elements[i];
    if (i >= kDrawn) {
      element = elements[i - kDrawn];
      continue;
    }
    if constexpr (!std::is_same_v<T, bool>) {
      if (specials && choices.Chance(kSometimes)) {
        element = Special<T>(choices);
        continue;
      }
    }
    element = Ordinary<T>(choices);
  }
}

template <typename T>
void Bound(const Tensor& tensor, Fact& fact) {
  bool first = true;
  for (const T& element : tensor.flat<T>()) {
    const double value = static_cast<double>(element);
    if (!std::isfinite(value)) {
      fact.lo = -std::numeric_limits<double>::infinity();
      fact.hi = std::numeric_limits<double>::infinity();
      return;
    }
    fact.lo = first ? value : std::min(fact.lo, value);
    fact.hi = first ? value : std::max(fact.hi, value);
    first = false;
  }
}

}  // namespace

Tensor RandomTensor(Choices& choices, DType dtype, const Dims& dims, bool specials) {
  Tensor tensor = *Tensor::Allocate(dtype, dims);
  switch (dtype) {
    case DType::kBool:
      Fill<bool>(choices, specials, tensor);
      break;
    case DType::kInt32:
      Fill<int32_t>(choices, specials, tensor);
      break;
    case DType::kInt64:
      Fill<int64_t>(choices, specials, tensor);
      break;
    case DType::kFloat:
      Fill<float>(choices, specials, tensor);
      break;
    default:
      Fill<double>(choices, specials, tensor);
  }
  return tensor;
}

Fact FactOf(const Tensor& tensor) {
  Fact fact;
  fact.least = fact.most = static_cast<int32_t>(tensor.num_elements());
  switch (tensor.dtype()) {
    case DType::kBool:
      Bound<bool>(tensor, fact);
      break;
    case DType::kInt32:
      Bound<int32_t>(tensor, fact);
      break;
    case DType::kInt64:
      Bound<int64_t>(tensor, fact);
      break;
    case DType::kFloat:
      Bound<float>(tensor, fact);
      break;
    default:
      Bound<double>(tensor, fact);
  }
  return fact;
}

}  // namespace tagflow::fuzz
