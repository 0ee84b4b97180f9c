#include "optimized/kernels/summarize.h"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>

#include "optimized/kernels/index_input.h"

namespace tagflow::optimized {
namespace {

std::string WithDigits(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

std::string TextOf(bool value) { return value ? "1" : "0"; }
std::string TextOf(Half value) { return NumberText(ToFloat(value)); }
std::string TextOf(BFloat16 value) { return NumberText(ToFloat(value)); }
std::string TextOf(float value) { return NumberText(value); }
std::string TextOf(double value) { return NumberText(value); }
std::string TextOf(const std::string& value) { return EscapedText(value, false); }
template <typename T>
std::string TextOf(std::complex<T> value) {
  return std::string("(").append(NumberText(value.real())).append(",") + NumberText(value.imag()) +
         ")";
}
template <typename T>
std::string TextOf(T value) {
  return std::to_string(value);
}

template <typename T>
std::string TextAt(const Tensor& tensor, int64_t i) {
  return TextOf(tensor.data<T>()[i]);
}

// The elements in order, brackets around all dimensions but the outermost.
struct Printer {
  const Tensor& tensor;
  int64_t limit;
  int64_t next = 0;
  std::string text = {};

  void Print(int d) {
    const bool is_innermost = d + 1 == tensor.rank();
    for (int64_t i = 0; i < tensor.dim(d) && next < limit; ++i) {
      if (is_innermost) {
        text += i == 0 ? "" : " ";
        text += ElementText(tensor, next++);
        const bool breaks_off = next == limit && i + 1 < tensor.dim(d);
        if (breaks_off && d > 0) text += "...";
      } else {
        text += "[";
        Print(d + 1);
        text += "]";
      }
    }
  }
};

// The first and the last elements of each dimension.
struct EndsPrinter {
  const Tensor& tensor;
  int64_t ends;
  std::string text = {};

  // Before an element of dimension d but the first: a blank, or the more line ends, the more
  // brackets close.
  void Separate(int d) {
    const auto inner = static_cast<size_t>(tensor.rank() - 1 - d);
    text +=
        inner == 0 ? " " : std::string(inner, '\n') + std::string(static_cast<size_t>(d) + 1, ' ');
  }

  // Elements [begin, end) of dimension d, the first of which is element number `first`.
  void PrintRange(int d, int64_t first, int64_t width, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (i > 0) Separate(d);
      Print(d + 1, first + i * width);
    }
  }

  // The elements from number `first` on that have the same coordinates before dimension d.
  void Print(int d, int64_t first) {
    if (d == tensor.rank()) {
      PrintElement(first);
      return;
    }
    const int64_t size = tensor.dim(d);
    const int64_t width = ProductOf(tensor.dims().subspan(static_cast<size_t>(d) + 1));
    text += "[";
    if (size - ends > ends) {
      PrintRange(d, first, width, 0, ends);
      Separate(d);
      text += "...";
      PrintRange(d, first, width, size - ends, size);
    } else {
      PrintRange(d, first, width, 0, size);
    }
    text += "]";
  }

  void PrintElement(int64_t i) {
    if (tensor.dtype() == DType::kString) {
      text.append("\"").append(EscapedText(tensor.data<std::string>()[i], true)).append("\"");
    } else {
      text += IsComplex(tensor.dtype()) ? "?" : ElementText(tensor, i);
    }
  }
};

}  // namespace

std::string ElementText(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kBool:
      return TextAt<bool>(tensor, i);
    case DType::kInt8:
      return TextAt<int8_t>(tensor, i);
    case DType::kInt16:
      return TextAt<int16_t>(tensor, i);
    case DType::kInt32:
      return TextAt<int32_t>(tensor, i);
    case DType::kInt64:
      return TextAt<int64_t>(tensor, i);
    case DType::kUInt8:
      return TextAt<uint8_t>(tensor, i);
    case DType::kUInt16:
      return TextAt<uint16_t>(tensor, i);
    case DType::kUInt32:
      return TextAt<uint32_t>(tensor, i);
    case DType::kUInt64:
      return TextAt<uint64_t>(tensor, i);
    case DType::kHalf:
      return TextAt<Half>(tensor, i);
    case DType::kBFloat16:
      return TextAt<BFloat16>(tensor, i);
    case DType::kFloat:
      return TextAt<float>(tensor, i);
    case DType::kDouble:
      return TextAt<double>(tensor, i);
    case DType::kComplex64:
      return TextAt<std::complex<float>>(tensor, i);
    case DType::kComplex128:
      return TextAt<std::complex<double>>(tensor, i);
    case DType::kString:
      return TextAt<std::string>(tensor, i);
    default:
      return std::string("<").append(DTypeName(tensor.dtype())) + ">";
  }
}

std::string Summarize(const Tensor& tensor, int64_t elements_max) {
  const int64_t count = tensor.num_elements();
  Printer printer{tensor, elements_max < 0 ? count : std::min(count, elements_max)};
  if (tensor.rank() > 0) {
    printer.Print(0);
  } else if (printer.limit > 0) {
    printer.text = ElementText(tensor, 0);
  }
  return printer.text + (printer.limit < count ? "..." : "");
}

std::string SummarizeEnds(const Tensor& tensor, int64_t ends) {
  const int64_t count = tensor.num_elements();
  EndsPrinter printer{tensor, ends < 0 ? count : std::min(ends, count)};
  printer.Print(0, 0);
  return printer.text;
}

std::string NumberText(double value) {
  const std::string text = WithDigits(value, 15);
  return std::strtod(text.c_str(), nullptr) == value ? text : WithDigits(value, 17);
}

std::string NumberText(float value) {
  const std::string text = WithDigits(static_cast<double>(value), 6);
  return std::strtof(text.c_str(), nullptr) == value ? text
                                                     : WithDigits(static_cast<double>(value), 9);
}

std::string EscapedText(std::string_view text, bool keeps_high) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n':
        escaped += "\\n";
        break;
      case '\t':
        escaped += "\\t";
        break;
      case '\r':
        escaped += "\\r";
        break;
      case '"':
      case '\'':
      case '\\':
        escaped += '\\';
        escaped += c;
        break;
      default:
        if ((byte >= 0x20 && byte < 0x7f) || (byte >= 0x80 && keeps_high)) {
          escaped += c;
        } else {
          char octal[8];
          std::snprintf(octal, sizeof(octal), "\\%03o", byte);
          escaped += octal;
        }
    }
  }
  return escaped;
}

}  // namespace tagflow::optimized
