// Ops that write tensors as text: AsString, StringFormat, Print, PrintV2.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/limits.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/string_util.h"
#include "reference/kernels/summarize.h"

namespace tagflow::reference {
namespace {

// ---- AsString ----

// How numbers are to be written, in the words of C's printf.
struct NumberFormat {
  std::string flags;  // with '%' and the fill, if any
  int width = -1;
  int precision = -1;
  char conversion = 'f';  // of floating numbers

  // "%012.3f" for the conversion "f".
  std::string For(std::string_view conversion_text) const {
    std::string text = flags;
    if (width >= 0) text += std::to_string(width);
    if (precision >= 0) text += "." + std::to_string(precision);
    return text.append(conversion_text);
  }
};

template <typename Number>
std::string Printed(const std::string& format, Number number) {
  const int size = std::snprintf(nullptr, 0, format.c_str(), number);
  std::string text(static_cast<size_t>(std::max(size, 0)) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), number);
  text.pop_back();
  return text;
}

std::string Text(const NumberFormat& format, int64_t value) {
  return Printed(format.For("lld"), static_cast<long long>(value));
}
std::string Text(const NumberFormat& format, uint64_t value) {
  return Printed(format.For("llu"), static_cast<unsigned long long>(value));
}
std::string Text(const NumberFormat& format, double value) {
  return Printed(format.For(std::string_view(&format.conversion, 1)), value);
}
template <typename R>
std::string Text(const NumberFormat& format, std::complex<R> value) {
  return "(" + Text(format, static_cast<double>(value.real())) + "," +
         Text(format, static_cast<double>(value.imag())) + ")";
}
std::string Text(const NumberFormat& format, std::string value) {
  const auto width = static_cast<size_t>(std::max(format.width, 0));
  if (value.size() >= width) return value;
  value.insert(format.flags == "%-" ? value.size() : 0, width - value.size(), ' ');
  return value;
}
template <typename Bits>
std::string Text(const NumberFormat& format, Short<Bits> value) {
  return Text(format, static_cast<double>(value));
}
std::string Text(const NumberFormat& format, float value) {
  return Text(format, static_cast<double>(value));
}

Result<int> DigitsAttr(const Node& node, std::string_view name) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t value, IntAttr(node, name));
  if (value <= kMostDigits) return static_cast<int>(std::max(value, int64_t{-1}));
  return InvalidArgument("the attr " + std::string(name) + " must be " +
                         std::to_string(kMostDigits) + " at most");
}

// What the attrs ask for. Errors: INVALID_ARGUMENT for what the dtype cannot be given.
Result<NumberFormat> FormatOf(const Node& node, DType dtype) {
  NumberFormat format;
  TAGFLOW_ASSIGN_OR_RETURN(format.width, DigitsAttr(node, "width"));
  TAGFLOW_ASSIGN_OR_RETURN(format.precision, DigitsAttr(node, "precision"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool scientific, BoolAttr(node, "scientific"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool shortest, BoolAttr(node, "shortest"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string fill, StringAttr(node, "fill"));
  if (fill.size() > 1 || fill.find_first_not_of(" +-0#") != std::string::npos) {
    return InvalidArgument("the fill must be nothing or one of ' ', '+', '-', '0', '#', not '" +
                           fill + "'");
  }
  const bool is_text = dtype == DType::kString;
  const bool has_fraction = (kFloating | kComplexes).contains(dtype);
  if (!is_text && !has_fraction && (format.precision >= 0 || scientific || shortest)) {
    return InvalidArgument(DTypeName(dtype) +
                           " has no precision, and no scientific or shortest form");
  }
  if (scientific && shortest) return InvalidArgument("scientific and shortest exclude each other");
  format.flags = "%" + fill;
  format.conversion = scientific ? 'e' : shortest ? 'g' : 'f';
  return format;
}

//   output: the text of each element
Status AsString(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  if (!IsPlainDType(input.dtype()) && input.dtype() != DType::kString) {
    return Unimplemented("AsString has no kernel for dtype " + DTypeName(input.dtype()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const NumberFormat format, FormatOf(context.node, input.dtype()));
  const int64_t characters = std::max(format.width, 0) + std::max(format.precision, 0);
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{input.num_elements(), 1 + characters / 16}));
  std::vector<std::string> texts;
  if (input.dtype() == DType::kBool) {
    for (const bool value : input.flat<bool>()) texts.emplace_back(value ? "true" : "false");
  } else {
    WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) {
      for (const C& value : Load<C>(input)) texts.push_back(Text(format, value));
    });
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TextTensor(input.dims(), std::move(texts)));
  return Status();
}

// ---- StringFormat ----

// What is before, between and behind the placeholders. An empty placeholder is between any two
// bytes.
std::vector<std::string> AroundPlaceholders(const std::string& text,
                                            const std::string& placeholder) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t found = 0; placeholder.empty() ? begin + 1 < text.size() : true;) {
    found = placeholder.empty() ? begin + 1 : text.find(placeholder, begin);
    if (found == std::string::npos) break;
    parts.push_back(text.substr(begin, found - begin));
    begin = found + placeholder.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

//   output: scalar, the template with the inputs written in place of the placeholders
Status StringFormat(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, StringAttr(context.node, "template"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string placeholder, StringAttr(context.node, "placeholder"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t summarize, IntAttr(context.node, "summarize"));
  const std::vector<std::string> parts = AroundPlaceholders(text, placeholder);
  if (parts.size() != context.inputs.size() + 1) {
    return InvalidArgument("the template has " + std::to_string(parts.size() - 1) +
                           " placeholders for " + std::to_string(context.inputs.size()) +
                           " inputs");
  }
  std::string formatted = parts[0];
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    formatted += SummarizeEnds(context.inputs[i], summarize) + parts[i + 1];
  }
  context.outputs[0] = Tensor::Scalar(std::move(formatted));
  return Status();
}

// ---- Print ----

// Whole texts at once, so that those of steps that run at the same time do not mix.
Status Write(const std::string& text, std::FILE* file) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (written && std::fflush(file) == 0) return Status();
  return Internal(std::string("cannot print: ") + std::strerror(errno));
}

//   input: any;  output: input;  data: written to standard error, the first first_n times only
Status Print(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(std::string text, StringAttr(context.node, "message"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t first_n, IntAttr(context.node, "first_n"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t summarize, IntAttr(context.node, "summarize"));
  context.outputs[0] = context.inputs[0];
  if (first_n >= 0) {
    const auto state = context.resources.FindOrCreateState(context.node.name);
    if (state->count >= static_cast<uint64_t>(first_n)) return Status();
    ++state->count;
  }
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    text += "[" + Summarize(context.inputs[i], summarize) + "]";
  }
  return Write(text + "\n", stderr);
}

Status AppendToFile(const std::string& text, const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ab"),
                                                             &std::fclose);
  if (file != nullptr) return Write(text, file.get());
  const Code code = errno == ENOENT   ? Code::kNotFound
                    : errno == EACCES ? Code::kPermissionDenied
                                      : Code::kUnknown;
  return Status(code, "cannot print to " + path + ": " + std::strerror(errno));
}

//   input: scalar, written with the attr `end` to output_stream
Status PrintV2(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string stream, StringAttr(context.node, "output_stream"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string end, StringAttr(context.node, "end"));
  if (context.inputs[0].rank() != 0) {
    return InvalidArgument("what is printed must be a scalar, not of shape " +
                           DimsString(context.inputs[0].dims()));
  }
  const std::string text = context.inputs[0].scalar<std::string>() + end;
  constexpr std::string_view kFile = "file://";
  if (stream.size() > kFile.size() && stream.starts_with(kFile)) {
    return AppendToFile(text, stream.substr(kFile.size()));
  }
  if (stream == "stdout") return Write(text, stdout);
  if (stream == "stderr") return Write(text, stderr);
  for (const char* level : {"info", "warning", "error"}) {
    if (stream == std::string("log(") + level + ")") {
      return Write(std::string(level) + ": " + text + "\n", stderr);
    }
  }
  return InvalidArgument("output_stream must be stdout, stderr, log(info), log(warning), " +
                         std::string("log(error) or file:// and a path, not '") + stream + "'");
}

}  // namespace

Status RegisterStringFormatKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"AsString", AsString},
                                {"StringFormat", StringFormat},
                                {"Print", Print},
                                {"PrintV2", PrintV2}});
}

}  // namespace tagflow::reference
