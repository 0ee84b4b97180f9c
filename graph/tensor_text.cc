// What people see of a Tensor, and bitwise comparison: both walk elements by dtype.

#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>

#include "graph/tensor.h"

namespace tagflow {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c >= 0x20 && c < 0x7f) {
      quoted += c;
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\x%02x", static_cast<unsigned char>(c));
      quoted += escaped;
    }
  }
  return quoted + "\"";
}

// The shortest text that reads back as the same number: tries 6 digits, then more. A NaN has no
// sign that means anything ([number.1]).
template <typename T>
std::string Floating(T value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  char* end = text;
  for (int digits = 6; digits <= 17; ++digits) {
    end = std::to_chars(text, std::end(text), value, std::chars_format::general, digits).ptr;
    double read = 0;
    const bool is_read = std::from_chars(text, end, read).ec == std::errc();
    if (!std::isfinite(value) || (is_read && static_cast<T>(read) == value)) break;
  }
  return std::string(text, end);
}

template <typename C>
std::string ComplexText(C value) {
  return "(" + Floating(value.real()) + "," + Floating(value.imag()) + ")";
}

std::string ElementText(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return Floating(tensor.data<float>()[i]);
    case DType::kDouble:
      return Floating(tensor.data<double>()[i]);
    case DType::kHalf:
      return Floating(ToFloat(tensor.data<Half>()[i]));
    case DType::kBFloat16:
      return Floating(ToFloat(tensor.data<BFloat16>()[i]));
    case DType::kInt8:
      return std::to_string(tensor.data<int8_t>()[i]);
    case DType::kInt16:
      return std::to_string(tensor.data<int16_t>()[i]);
    case DType::kInt32:
      return std::to_string(tensor.data<int32_t>()[i]);
    case DType::kInt64:
      return std::to_string(tensor.data<int64_t>()[i]);
    case DType::kUInt8:
      return std::to_string(tensor.data<uint8_t>()[i]);
    case DType::kUInt16:
      return std::to_string(tensor.data<uint16_t>()[i]);
    case DType::kUInt32:
      return std::to_string(tensor.data<uint32_t>()[i]);
    case DType::kUInt64:
      return std::to_string(tensor.data<uint64_t>()[i]);
    case DType::kBool:
      return tensor.data<bool>()[i] ? "true" : "false";
    case DType::kComplex64:
      return ComplexText(tensor.data<std::complex<float>>()[i]);
    case DType::kComplex128:
      return ComplexText(tensor.data<std::complex<double>>()[i]);
    case DType::kString:
      return Quoted(tensor.data<std::string>()[i]);
    case DType::kResource:
      return "<" + tensor.data<ResourceHandle>()[i].name + ">";
    case DType::kVariant: {
      const Variant& variant = tensor.data<Variant>()[i];
      return variant.empty() ? "<empty>" : "<" + variant.value()->DebugString() + ">";
    }
    default:
      return "?";
  }
}

class Printer {
 public:
  Printer(const Tensor& tensor, int max_elements) : tensor_(tensor), left_(max_elements) {}

  void Print(int axis) {
    if (axis == tensor_.rank()) {
      text_ += left_-- > 0 ? ElementText(tensor_, next_++) : "...";
      return;
    }
    text_ += '[';
    for (int64_t i = 0; i < tensor_.dim(axis) && left_ >= 0; ++i) {
      if (i > 0) text_ += ", ";
      if (tensor_.num_elements() == 0) --left_;  // there are no elements to count, so count rows
      Print(axis + 1);
    }
    text_ += ']';
  }
  const std::string& text() const { return text_; }

 private:
  const Tensor& tensor_;
  int left_;
  int64_t next_ = 0;
  std::string text_;
};

template <typename Float>
bool SameFloat(Float a, Float b) {
  if (std::isnan(a) && std::isnan(b)) return true;
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

template <typename T, typename Same>
bool SameElements(const Tensor& a, const Tensor& b, Same same) {
  const auto left = a.flat<T>();
  const auto right = b.flat<T>();
  for (size_t i = 0; i < left.size(); ++i) {
    if (!same(left[i], right[i])) return false;
  }
  return true;
}

template <typename C>
bool SameComplex(const C& a, const C& b) {
  return SameFloat(a.real(), b.real()) && SameFloat(a.imag(), b.imag());
}

}  // namespace

std::string Tensor::DebugString(int max_elements) const {
  if (!has_value()) return "<no value>";
  std::string head = DTypeName(dtype_) + DimsString(dims()) + " ";
  if (memory_kind() == MemoryKind::kDevice) return head + "<in device memory>";
  Printer printer(*this, max_elements);
  printer.Print(0);
  return head + printer.text();
}

bool BitwiseEqual(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) return false;
  if (!a.has_value()) return true;
  if (!std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(), b.dims().end())) return false;
  switch (a.dtype()) {
    case DType::kFloat:
      return SameElements<float>(a, b, SameFloat<float>);
    case DType::kDouble:
      return SameElements<double>(a, b, SameFloat<double>);
    case DType::kHalf:
      return SameElements<Half>(a, b,
                                [](Half x, Half y) { return SameFloat(ToFloat(x), ToFloat(y)); });
    case DType::kBFloat16:
      return SameElements<BFloat16>(
          a, b, [](BFloat16 x, BFloat16 y) { return SameFloat(ToFloat(x), ToFloat(y)); });
    case DType::kComplex64:
      return SameElements<std::complex<float>>(a, b, SameComplex<std::complex<float>>);
    case DType::kComplex128:
      return SameElements<std::complex<double>>(a, b, SameComplex<std::complex<double>>);
    case DType::kString:
      return SameElements<std::string>(a, b, std::equal_to<std::string>());
    case DType::kResource:
      return SameElements<ResourceHandle>(
          a, b, [](const ResourceHandle& x, const ResourceHandle& y) {
            return x.object == y.object && x.container == y.container && x.name == y.name;
          });
    case DType::kVariant:
      return SameElements<Variant>(
          a, b, [](const Variant& x, const Variant& y) { return x.value() == y.value(); });
    default:
      return std::memcmp(a.raw_data(), b.raw_data(), a.byte_size()) == 0;
  }
}

}  // namespace tagflow
