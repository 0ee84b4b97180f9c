#include "cli/widen.h"

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace tagflow::cli {
namespace {

template <typename T>
constexpr bool kIsComplex = false;
template <typename Part>
constexpr bool kIsComplex<std::complex<Part>> = true;
template <typename T>
constexpr bool kIsSmallFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <typename T>
constexpr bool kIsReal = std::is_floating_point_v<T> || kIsSmallFloat<T>;

// Each gives false where the value is not one of the dtype, and leaves `to` as it likes then.

template <typename To>
bool FromDouble(double value, To& to) {
  if constexpr (std::is_same_v<To, Half>) {
    to = HalfFromDouble(value);
    return static_cast<double>(ToFloat(to)) == value;
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    to = BFloat16FromFloat(static_cast<float>(value));
    return static_cast<double>(ToFloat(to)) == value;
  } else {
    to = static_cast<To>(value);
    return static_cast<double>(to) == value;
  }
}

template <typename From, typename To>
bool FromWhole(From value, To& to) {
  if constexpr (kIsComplex<To>) {
    typename To::value_type real = 0;
    const bool is_exact = FromWhole(value, real);
    to = real;
    return is_exact;
  } else if constexpr (kIsReal<To>) {
    const auto number = static_cast<double>(value);
    // Rounding up can leave the range of From, where the way back is not defined.
    const double end = 2 * static_cast<double>(std::numeric_limits<From>::max() / 2 + 1);
    return number < end && static_cast<From>(number) == value && FromDouble(number, to);
  } else {
    to = static_cast<To>(value);
    return std::in_range<To>(value);
  }
}

template <typename From>
double AsDouble(From value) {
  if constexpr (kIsSmallFloat<From>) {
    return static_cast<double>(ToFloat(value));
  } else {
    return static_cast<double>(value);
  }
}

// Whether every value of From is one of To, or can be asked whether it is.
template <typename From, typename To>
constexpr bool kIsOffered = [] {
  if (std::is_same_v<From, std::string> || std::is_same_v<To, std::string>) return false;
  if (std::is_same_v<To, bool>) return false;
  if (std::is_integral_v<From>) return true;
  if (kIsReal<From>) {
    if (std::is_same_v<From, double>) return std::is_same_v<To, std::complex<double>>;
    if (kIsComplex<To>) return true;
    return std::is_floating_point_v<To> && sizeof(From) < sizeof(To);
  }
  return std::is_same_v<From, std::complex<float>> && std::is_same_v<To, std::complex<double>>;
}();

template <typename From, typename To>
bool Convert(const From& from, To& to) {
  if constexpr (std::is_same_v<From, bool>) {
    return FromWhole(static_cast<int>(from), to);
  } else if constexpr (std::is_integral_v<From>) {
    return FromWhole(from, to);
  } else if constexpr (kIsComplex<From>) {
    to = To(from);
    return true;
  } else {
    to = To(
        static_cast<std::conditional_t<
            std::is_same_v<To, float> || std::is_same_v<To, std::complex<float>>, float, double>>(
            AsDouble(from)));
    return true;
  }
}

// Only whole numbers can turn out not to fit.
template <typename From>
std::string Text(const From& value) {
  if constexpr (std::is_integral_v<From>) {
    return std::to_string(value);
  } else {
    return "";
  }
}

// "[1,2]", of element `i` in row-major order.
std::string Place(DimsView dims, int64_t i) {
  std::string text;
  for (size_t d = dims.size(); d-- > 0;) {
    text = std::to_string(i % dims[d]) + (text.empty() ? "" : ",") + text;
    i /= dims[d];
  }
  return "[" + text + "]";
}

template <typename From, typename To>
Result<Tensor> WidenedAs(const Tensor& tensor) {
  constexpr DType dtype = DTypeOf<To>::value;
  if constexpr (!kIsOffered<From, To>) {
    return InvalidArgument(DTypeName(tensor.dtype()) + " as " + DTypeName(dtype) +
                           " can lose something");
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor widened, Tensor::Allocate(dtype, tensor.dims()));
    const From* const from = tensor.data<From>();
    To* const to = widened.mutable_data<To>();
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      if (Convert(from[i], to[i])) continue;
      return InvalidArgument("element " + Place(tensor.dims(), i) + ", " + Text(from[i]) +
                             ", is not a value of dtype " + DTypeName(dtype));
    }
    return widened;
  }
}

Status NoNumbers(DType from, DType to) {
  return InvalidArgument(DTypeName(from) + " is not a kind of " + DTypeName(to));
}

template <typename From>
Result<Tensor> WidenedFrom(const Tensor& tensor, DType dtype) {
  switch (dtype) {
#define TAGFLOW_TO(To)     \
  case DTypeOf<To>::value: \
    return WidenedAs<From, To>(tensor)
    TAGFLOW_TO(bool);
    TAGFLOW_TO(int8_t);
    TAGFLOW_TO(int16_t);
    TAGFLOW_TO(int32_t);
    TAGFLOW_TO(int64_t);
    TAGFLOW_TO(uint8_t);
    TAGFLOW_TO(uint16_t);
    TAGFLOW_TO(uint32_t);
    TAGFLOW_TO(uint64_t);
    TAGFLOW_TO(Half);
    TAGFLOW_TO(BFloat16);
    TAGFLOW_TO(float);
    TAGFLOW_TO(double);
    TAGFLOW_TO(std::complex<float>);
    TAGFLOW_TO(std::complex<double>);
#undef TAGFLOW_TO
    default:
      return NoNumbers(tensor.dtype(), dtype);
  }
}

}  // namespace

Result<Tensor> Widened(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  switch (tensor.dtype()) {
#define TAGFLOW_FROM(From)   \
  case DTypeOf<From>::value: \
    return WidenedFrom<From>(tensor, dtype)
    TAGFLOW_FROM(bool);
    TAGFLOW_FROM(int8_t);
    TAGFLOW_FROM(int16_t);
    TAGFLOW_FROM(int32_t);
    TAGFLOW_FROM(int64_t);
    TAGFLOW_FROM(uint8_t);
    TAGFLOW_FROM(uint16_t);
    TAGFLOW_FROM(uint32_t);
    TAGFLOW_FROM(uint64_t);
    TAGFLOW_FROM(Half);
    TAGFLOW_FROM(BFloat16);
    TAGFLOW_FROM(float);
    TAGFLOW_FROM(double);
    TAGFLOW_FROM(std::complex<float>);
    TAGFLOW_FROM(std::complex<double>);
#undef TAGFLOW_FROM
    default:
      return NoNumbers(tensor.dtype(), dtype);
  }
}

}  // namespace tagflow::cli
