// Tested by conformance/ops/string.ops.

#include "reference/kernels/summarize.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "reference/kernels/element.h"

namespace tagflow::reference {
namespace {

std::string WithDigits(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

// keeps_high: bytes from 0x80 on stay as they are.
std::string Escaped(const std::string& text, bool keeps_high) {
  std::string escaped;
  for (unsigned char c : text) {
    char octal[8];
    std::snprintf(octal, sizeof(octal), "\\%03o", c);
    if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\t') {
      escaped += "\\t";
    } else if (c == '\r') {
      escaped += "\\r";
    } else if (c == '"' || c == '\'' || c == '\\') {
      escaped += std::string("\\") + static_cast<char>(c);
    } else {
      escaped += (c >= 0x20 && c < 0x7f) || (c >= 0x80 && keeps_high)
                     ? std::string(1, static_cast<char>(c))
                     : octal;
    }
  }
  return escaped;
}

template <typename C>
std::string ElementText(const C& value) {
  if constexpr (std::is_same_v<C, std::string>) {
    return Escaped(value, false);
  } else if constexpr (kIsShort<C>) {
    return NumberText(value.value);
  } else if constexpr (IntegerElement<C>) {
    return std::to_string(value);
  } else if constexpr (FloatElement<C>) {
    return NumberText(value);
  } else {
    return "(" + NumberText(value.real()) + "," + NumberText(value.imag()) + ")";
  }
}

std::vector<std::string> ElementTexts(const Tensor& tensor) {
  if (!IsPlainDType(tensor.dtype()) && tensor.dtype() != DType::kString) {
    return std::vector<std::string>(static_cast<size_t>(tensor.num_elements()),
                                    "<" + DTypeName(tensor.dtype()) + ">");
  }
  return WithComputingType(tensor.dtype(), [&]<typename C>(Computing<C>) {
    std::vector<std::string> texts;
    for (const C& value : Load<C>(tensor)) texts.push_back(ElementText(value));
    return texts;
  });
}

struct Printer {
  DimsView dims;
  const std::vector<std::string>& texts;
  size_t limit;
  size_t next = 0;
  std::string text = {};

  void Print(size_t d) {
    const bool innermost = d + 1 == dims.size();
    for (int64_t i = 0; i < dims[d]; ++i) {
      if (next >= limit) {
        if (innermost && d > 0) text += "...";
        return;
      }
      if (innermost) {
        text += (i == 0 ? "" : " ") + texts[next++];
      } else {
        text += "[";
        Print(d + 1);
        text += "]";
      }
    }
  }
};

// Prints the elements from number `first` on that have the same coordinates before dimension d.
struct EndsPrinter {
  DimsView dims;
  const std::vector<std::string>& texts;
  int64_t ends;
  std::string text = {};

  // Between elements a blank, between rows a line; the more brackets close, the more lines.
  void Separate(size_t d) {
    const size_t inner = dims.size() - 1 - d;
    text += inner == 0 ? " " : std::string(inner, '\n') + std::string(d + 1, ' ');
  }

  void Print(size_t d, size_t first) {
    if (d == dims.size()) {
      text += texts[first];
      return;
    }
    size_t width = 1;
    for (size_t i = d + 1; i < dims.size(); ++i) width *= static_cast<size_t>(dims[i]);
    const bool elided = dims[d] - ends > ends;
    text += "[";
    bool is_first = true;
    for (int64_t i = 0; i < dims[d]; ++i) {
      if (elided && i == ends) {
        Separate(d);
        text += "...";
        i = dims[d] - ends;
        is_first = false;
        if (i == dims[d]) break;
      }
      if (!is_first) Separate(d);
      is_first = false;
      Print(d + 1, first + static_cast<size_t>(i) * width);
    }
    text += "]";
  }
};

}  // namespace

std::string SummarizeEnds(const Tensor& tensor, int64_t ends) {
  std::vector<std::string> texts;
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.flat<std::string>()) {
      texts.push_back('"' + Escaped(text, true) + '"');
    }
  } else {
    texts = ElementTexts(tensor);
    if (IsComplex(tensor.dtype())) std::fill(texts.begin(), texts.end(), "?");
  }
  EndsPrinter printer{tensor.dims(), texts,
                      ends < 0 ? tensor.num_elements() : std::min(ends, tensor.num_elements())};
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

std::string Summarize(const Tensor& tensor, int64_t max_elements) {
  const std::vector<std::string> texts = ElementTexts(tensor);
  const size_t limit =
      max_elements < 0 ? texts.size() : std::min(texts.size(), static_cast<size_t>(max_elements));
  Printer printer{tensor.dims(), texts, limit};
  if (tensor.rank() > 0) {
    printer.Print(0);
  } else if (limit > 0) {
    printer.text = texts[0];
  }
  return printer.text + (texts.size() > limit ? "..." : "");
}

}  // namespace tagflow::reference
