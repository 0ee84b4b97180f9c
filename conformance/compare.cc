#include "conformance/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "graph/io/element_wire.h"
#include "graph/io/parse.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::conformance {
namespace {

// Bits of a floating number as an integer that is ordered as the numbers are, with one zero.
template <typename Bits>
int64_t Ordered(Bits bits) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto magnitude = static_cast<int64_t>(bits & static_cast<Bits>(~kSign));
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

int64_t OrderedBits(float value) { return Ordered(std::bit_cast<uint32_t>(value)); }
int64_t OrderedBits(double value) { return Ordered(std::bit_cast<uint64_t>(value)); }
int64_t OrderedBits(Half value) { return Ordered(value.bits); }
int64_t OrderedBits(BFloat16 value) { return Ordered(value.bits); }

double AsDouble(float value) { return value; }
double AsDouble(double value) { return value; }
double AsDouble(Half value) { return ToFloat(value); }
double AsDouble(BFloat16 value) { return ToFloat(value); }

// The distance in units of the last place; the largest number when it overflows.
template <typename T>
int64_t UlpsBetween(T a, T b) {
  int64_t distance;
  if (__builtin_sub_overflow(OrderedBits(a), OrderedBits(b), &distance)) {
    return std::numeric_limits<int64_t>::max();
  }
  return distance < 0 ? -distance : distance;
}

template <typename T>
bool FloatPasses(T expected, T actual, const Bounds& bounds) {
  const double e = AsDouble(expected);
  const double a = AsDouble(actual);
  if (std::isnan(e) || std::isnan(a)) return std::isnan(e) && std::isnan(a);
  if (std::memcmp(&expected, &actual, sizeof(T)) == 0) return true;
  if (bounds.exact() || std::isinf(e) || std::isinf(a)) return false;
  if (bounds.ulps > 0 && UlpsBetween(expected, actual) <= bounds.ulps) return true;
  const double error = std::abs(a - e);
  return (bounds.relative > 0 && error <= bounds.relative * std::abs(e)) ||
         (bounds.absolute > 0 && error <= bounds.absolute) ||
         (bounds.magnitude_relative > 0 &&
          error <= bounds.magnitude_relative * std::max(bounds.magnitude, std::abs(e)));
}

template <typename T>
bool IntegerPasses(T expected, T actual, const Bounds& bounds) {
  if (expected == actual) return true;
  if (bounds.exact() || std::is_same_v<T, bool>) return false;
  const double e = static_cast<double>(expected);
  const double error = std::abs(static_cast<double>(actual) - e);
  return error <= static_cast<double>(bounds.ulps) || error <= bounds.relative * std::abs(e) ||
         error <= bounds.absolute || error <= bounds.magnitude_relative * bounds.magnitude;
}

template <typename T>
bool Passes(const T& expected, const T& actual, const Bounds& bounds) {
  if constexpr (std::is_integral_v<T>) {
    return IntegerPasses(expected, actual, bounds);
  } else {
    return FloatPasses(expected, actual, bounds);
  }
}

template <typename Part>
bool Passes(const std::complex<Part>& expected, const std::complex<Part>& actual,
            const Bounds& bounds) {
  return Passes(expected.real(), actual.real(), bounds) &&
         Passes(expected.imag(), actual.imag(), bounds);
}

std::string Index(DimsView dims, int64_t flat) {
  Dims index(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    index[i] = flat % dims[i];
    flat /= dims[i];
  }
  return DimsString(index);
}

Tensor ElementOf(const Tensor& tensor, int64_t i) {
  return tensor.Reshaped(Dims{tensor.num_elements()}).SliceOuter(i, 1).Reshaped({});
}

std::string Distance(double expected, double actual) {
  char text[64];
  std::snprintf(text, sizeof(text), ", off by %.3g", std::abs(actual - expected));
  return std::isfinite(actual - expected) ? text : "";
}

template <typename T>
std::string HowFar(const T& expected, const T& actual) {
  if constexpr (std::is_same_v<T, bool>) {
    return "";
  } else if constexpr (std::is_integral_v<T>) {
    return Distance(static_cast<double>(expected), static_cast<double>(actual));
  } else {
    const std::string off = Distance(AsDouble(expected), AsDouble(actual));
    return off.empty() ? off
                       : off + " (" + std::to_string(UlpsBetween(expected, actual)) + " ulps)";
  }
}

template <typename Part>
std::string HowFar(const std::complex<Part>& expected, const std::complex<Part>& actual) {
  return Distance(0, std::abs(actual - expected));
}

std::string At(const Tensor& expected, const Tensor& actual, int64_t i) {
  const std::string where =
      expected.rank() == 0 ? "the value" : "element " + Index(expected.dims(), i);
  return where + " is " + ElementOf(actual, i).DebugString() + ", expected " +
         ElementOf(expected, i).DebugString();
}

template <typename T>
std::string PlainDifference(const Tensor& expected, const Tensor& actual, const Bounds& bounds) {
  int64_t wrong = 0;
  int64_t first = 0;
  const T* e = expected.data<T>();
  const T* a = actual.data<T>();
  for (int64_t i = 0; i < expected.num_elements(); ++i) {
    if (Passes(e[i], a[i], bounds)) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  std::string text = At(expected, actual, first) + HowFar(e[first], a[first]);
  if (wrong > 1) {
    text += "; " + std::to_string(wrong) + " of " + std::to_string(expected.num_elements()) +
            " elements differ";
  }
  return text;
}

std::string StringDifference(const Tensor& expected, const Tensor& actual) {
  for (int64_t i = 0; i < expected.num_elements(); ++i) {
    if (expected.data<std::string>()[i] != actual.data<std::string>()[i]) {
      return At(expected, actual, i);
    }
  }
  return "";
}

// Handles and variants are compared as they go over the wire.
std::string WireDifference(const Tensor& expected, const Tensor& actual) {
  Result<TensorProto> e = TensorToProto(expected);
  Result<TensorProto> a = TensorToProto(actual);
  if (!e.ok()) return e.status().message();
  if (!a.ok()) return a.status().message();
  if (SerializeDeterministic(*e) == SerializeDeterministic(*a)) return "";
  return "the value is " + actual.DebugString() + ", expected " + expected.DebugString();
}

Bounds BoundsOf(const Expectation& expectation, double magnitude) {
  return {expectation.ulps(), expectation.relative(), expectation.absolute(),
          expectation.magnitude_relative(), magnitude};
}

// Calls f with the magnitude of each number that is finite.
template <typename F>
void ForEachMagnitude(const Tensor& tensor, const F& f) {
  VisitPlain(tensor.dtype(), [&]<typename T>() {
    for (const T& value : tensor.flat<T>()) {
      double magnitude = 0;
      if constexpr (std::is_integral_v<T>) {
        magnitude = std::abs(static_cast<double>(value));
      } else if constexpr (requires { value.real(); }) {
        magnitude = std::abs(std::complex<double>(value));
      } else {
        magnitude = std::abs(AsDouble(value));
      }
      if (std::isfinite(magnitude)) f(magnitude);
    }
  });
}

bool HoldsFractions(DType dtype) { return IsFloating(dtype) || IsComplex(dtype); }

double SumOfMagnitudes(const TensorProto& proto) {
  const Result<Tensor> tensor = TensorFromProto(proto);
  double sum = 0;
  if (!tensor.ok() || !HoldsFractions(tensor->dtype())) return sum;
  ForEachMagnitude(*tensor, [&](double magnitude) { sum += magnitude; });
  return sum;
}

}  // namespace

std::string Difference(const Tensor& expected, const Tensor& actual, const Bounds& bounds) {
  if (expected.dtype() != actual.dtype()) {
    return "dtype is " + DTypeName(actual.dtype()) + ", expected " + DTypeName(expected.dtype());
  }
  if (!std::ranges::equal(expected.dims(), actual.dims())) {
    return "shape is " + DimsString(actual.dims()) + ", expected " + DimsString(expected.dims());
  }
  if (expected.dtype() == DType::kString) return StringDifference(expected, actual);
  if (!IsPlainDType(expected.dtype())) return WireDifference(expected, actual);
  return VisitPlain(expected.dtype(),
                    [&]<typename T>() { return PlainDifference<T>(expected, actual, bounds); });
}

std::string Mismatch(const Expectation& expectation, const TensorProto& actual, double magnitude) {
  Result<Tensor> value = TensorFromProto(actual);
  if (!value.ok()) return "the engine's value cannot be read: " + value.status().message();
  if (expectation.any_of().empty()) return "the case gives no value to expect";
  std::string first;
  for (const TensorProto& allowed : expectation.any_of()) {
    Result<Tensor> expected = TensorFromProto(allowed);
    if (!expected.ok()) return "the case's value cannot be read: " + expected.status().message();
    std::string difference = Difference(*expected, *value, BoundsOf(expectation, magnitude));
    if (difference.empty()) return "";
    if (first.empty()) first = std::move(difference);
  }
  if (expectation.any_of_size() == 1) return first;
  return "none of the " + std::to_string(expectation.any_of_size()) +
         " values allowed; against the first, " + first;
}

double LargestMagnitude(const Tensor& tensor) {
  double largest = 0;
  if (!HoldsFractions(tensor.dtype())) return largest;
  ForEachMagnitude(tensor, [&](double magnitude) { largest = std::max(largest, magnitude); });
  return largest;
}

double MagnitudeOfTerms(const GraphDef& graph, const Step& step) {
  double sum = 0;
  for (const NamedTensor& feed : step.feeds()) sum += SumOfMagnitudes(feed.value());
  for (const NodeDef& node : graph.node()) {
    const auto value = node.attr().find("value");
    if (value != node.attr().end() && value->second.has_tensor()) {
      sum += SumOfMagnitudes(value->second.tensor());
    }
  }
  // A term is an element, or a product of two: their sums have this bound since xy <= (x+y)^2/4.
  return std::max(sum, sum * sum / 4);
}

}  // namespace tagflow::conformance
