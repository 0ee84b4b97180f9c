#include "cli/report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <type_traits>

#include "conformance/command/json.h"
#include "graph/utf8.h"

namespace tagflow::cli {
namespace {

std::string Hex(std::string_view text) {
  std::string hex;
  for (const char c : text) {
    hex += "0123456789abcdef"[static_cast<uint8_t>(c) >> 4];
    hex += "0123456789abcdef"[static_cast<uint8_t>(c) & 15];
  }
  return hex;
}

template <typename T>
std::string Digits(T value) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

template <typename T>
std::string Json(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "\"NaN\"";
    if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return Digits(value);
  } else {
    return Digits(value);
  }
}
std::string Json(bool value) { return value ? "true" : "false"; }
std::string Json(Half value) { return Json(ToFloat(value)); }
std::string Json(BFloat16 value) { return Json(ToFloat(value)); }
template <typename Part>
std::string Json(const std::complex<Part>& value) {
  return "[" + Json(value.real()) + "," + Json(value.imag()) + "]";
}
std::string Json(const std::string& value) {
  return IsUtf8(value) ? JsonString(value) : "{\"hex\":\"" + Hex(value) + "\"}";
}
std::string Json(const ResourceHandle& value) { return JsonString("<" + value.name + ">"); }
std::string Json(const Variant& value) {
  return JsonString(value.empty() ? "<empty>" : "<" + value.value()->DebugString() + ">");
}

// The elements as nested lists. A tensor without elements ends at its first dimension of 0.
template <typename T>
void AppendElements(const T*& next, DimsView dims, std::string& text) {
  if (dims.empty()) {
    text += Json(*next++);
    return;
  }
  text += '[';
  const bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
  for (int64_t i = 0; i < dims[0] && !empty; ++i) {
    if (i > 0) text += ',';
    AppendElements(next, dims.subspan(1), text);
  }
  text += ']';
}

template <typename T>
std::string Elements(const Tensor& tensor) {
  std::string text;
  const T* next = tensor.data<T>();
  AppendElements(next, tensor.dims(), text);
  return text;
}

std::string ElementsOf(const Tensor& tensor) {
  switch (tensor.dtype()) {
#define TAGFLOW_ELEMENTS(T) \
  case DTypeOf<T>::value:   \
    return Elements<T>(tensor)
    TAGFLOW_ELEMENTS(float);
    TAGFLOW_ELEMENTS(double);
    TAGFLOW_ELEMENTS(int8_t);
    TAGFLOW_ELEMENTS(int16_t);
    TAGFLOW_ELEMENTS(int32_t);
    TAGFLOW_ELEMENTS(int64_t);
    TAGFLOW_ELEMENTS(uint8_t);
    TAGFLOW_ELEMENTS(uint16_t);
    TAGFLOW_ELEMENTS(uint32_t);
    TAGFLOW_ELEMENTS(uint64_t);
    TAGFLOW_ELEMENTS(bool);
    TAGFLOW_ELEMENTS(Half);
    TAGFLOW_ELEMENTS(BFloat16);
    TAGFLOW_ELEMENTS(std::complex<float>);
    TAGFLOW_ELEMENTS(std::complex<double>);
    TAGFLOW_ELEMENTS(std::string);
    TAGFLOW_ELEMENTS(ResourceHandle);
    TAGFLOW_ELEMENTS(Variant);
#undef TAGFLOW_ELEMENTS
    default:
      return "null";
  }
}

}  // namespace

std::string TensorJson(const Tensor& tensor) {
  return "{\"dtype\":\"" + DTypeName(tensor.dtype()) + "\",\"shape\":" + DimsString(tensor.dims()) +
         ",\"value\":" + ElementsOf(tensor) + "}";
}

std::string OutputsJson(const std::vector<std::string>& names, const std::vector<Tensor>& values) {
  std::string json = "\"outputs\":{";
  for (size_t i = 0; i < values.size(); ++i) {
    const auto first = std::find(names.begin(), names.end(), names[i]);
    if (first != names.begin() + static_cast<ptrdiff_t>(i)) continue;
    json += (i == 0 ? "" : ",") + JsonString(names[i]) + ":" + TensorJson(values[i]);
  }
  return json + "}";
}

std::string ErrorText(const Status& status) {
  std::string text =
      "error: " + std::string(CodeName(status.code())) + ": " + status.message() + "\n";
  auto add = [&text](std::string_view label, const std::string& value) {
    if (!value.empty()) text.append("  ").append(label).append(value).append("\n");
  };
  add("node:   ", status.node());
  add("tag:    ", status.tag());
  add("device: ", status.device());
  add("rule:   ", status.rule().empty() ? "" : status.rule() + " (docs/semantics.md)");
  return text;
}

std::string ErrorJson(const Status& status) {
  std::string json = "{\"code\":\"" + std::string(CodeName(status.code())) +
                     "\",\"message\":" + JsonString(status.message());
  auto add = [&json](std::string_view label, const std::string& value) {
    if (!value.empty()) json += ",\"" + std::string(label) + "\":" + JsonString(value);
  };
  add("node", status.node());
  add("tag", status.tag());
  add("device", status.device());
  add("rule", status.rule());
  return json + "}";
}

}  // namespace tagflow::cli
