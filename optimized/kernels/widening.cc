// Tested by conformance/ops/math.ops.

#include "optimized/kernels/widening.h"

#include <complex>

#include "optimized/formulas/numbers.h"

namespace tagflow::optimized {
namespace {

template <typename T>
concept ShortFloat = std::same_as<T, Half> || std::same_as<T, BFloat16>;

template <typename Wide, typename T>
Wide Widened(T value) {
  if constexpr (std::same_as<Wide, Rounded<T>>) {
    Wide wide;
    wide.value = ToFloat(value);  // exact: not rounded again
    return wide;
  } else if constexpr (ShortFloat<T>) {
    return ToFloat(value);
  } else {
    return static_cast<Wide>(value);
  }
}

template <typename T, typename Wide>
T Narrowed(Wide value) {
  if constexpr (ShortFloat<T>) {
    return RoundedTo(T(), static_cast<double>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T, typename Wide>
constexpr Widening kWidening = {[](const void* elements, void* wide, int64_t count) {
                                  const T* from = static_cast<const T*>(elements);
                                  Wide* to = static_cast<Wide*>(wide);
                                  for (int64_t i = 0; i < count; ++i)
                                    to[i] = Widened<Wide>(from[i]);
                                },
                                [](const void* wide, void* elements, int64_t count) {
                                  const Wide* from = static_cast<const Wide*>(wide);
                                  T* to = static_cast<T*>(elements);
                                  for (int64_t i = 0; i < count; ++i) to[i] = Narrowed<T>(from[i]);
                                },
                                sizeof(Wide)};

}  // namespace

const Widening* ComputingWidening(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
      return WidestWidening(dtype);
    case DType::kHalf:
      return &kWidening<Half, RoundedHalf>;
    case DType::kBFloat16:
      return &kWidening<BFloat16, RoundedBFloat16>;
    default:
      return nullptr;
  }
}

const Widening* WidestWidening(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return &kWidening<bool, int64_t>;
    case DType::kInt8:
      return &kWidening<int8_t, int64_t>;
    case DType::kInt16:
      return &kWidening<int16_t, int64_t>;
    case DType::kInt32:
      return &kWidening<int32_t, int64_t>;
    case DType::kUInt8:
      return &kWidening<uint8_t, uint64_t>;
    case DType::kUInt16:
      return &kWidening<uint16_t, uint64_t>;
    case DType::kUInt32:
      return &kWidening<uint32_t, uint64_t>;
    case DType::kHalf:
      return &kWidening<Half, double>;
    case DType::kBFloat16:
      return &kWidening<BFloat16, double>;
    case DType::kFloat:
      return &kWidening<float, double>;
    case DType::kComplex64:
      return &kWidening<std::complex<float>, std::complex<double>>;
    default:
      return nullptr;
  }
}

}  // namespace tagflow::optimized
