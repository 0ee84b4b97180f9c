// Ops that write numbers and tensors as text: AsString, StringFormat.
// Tested by conformance/ops/string.ops.

#include <algorithm>
#include <complex>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/limits.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/summarize.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {
namespace {

// ---- AsString ----

// How elements are to be written.
struct Format {
  std::string printf;    // of a number, in the words of C's printf
  int64_t width = 0;     // of a text, at least
  bool is_left = false;  // where a text is filled up: behind it
  int64_t room = 0;      // characters that the attrs alone ask for
};

Result<int64_t> DigitsAttr(const Node& node, std::string_view name) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t value, IntAttr(node, name));
  if (value <= kMostDigits) return std::max(value, int64_t{-1});
  return InvalidArgument("the attr " + std::string(name) + " must be " +
                         std::to_string(kMostDigits) + " at most");
}

Result<std::string> FillAttr(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(std::string fill, StringAttr(node, "fill"));
  if (fill.size() <= 1 && fill.find_first_not_of(" +-0#") == std::string::npos) return fill;
  return InvalidArgument("the fill must be nothing or one of ' ', '+', '-', '0', '#', not '" +
                         fill + "'");
}

// What the attrs ask for. Errors: INVALID_ARGUMENT for what the dtype cannot be given.
Result<Format> FormatOf(const Node& node, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t width, DigitsAttr(node, "width"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t precision, DigitsAttr(node, "precision"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool scientific, BoolAttr(node, "scientific"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool shortest, BoolAttr(node, "shortest"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string fill, FillAttr(node));
  const bool has_fraction = Contains(kContinuous, dtype);
  if (!has_fraction && dtype != DType::kString && (precision >= 0 || scientific || shortest)) {
    return InvalidArgument(DTypeName(dtype) +
                           " has no precision, and no scientific or shortest form");
  }
  if (scientific && shortest) return InvalidArgument("scientific and shortest exclude each other");
  Format format;
  format.printf = "%" + fill;
  if (width >= 0) format.printf += std::to_string(width);
  if (precision >= 0) format.printf += "." + std::to_string(precision);
  if (has_fraction) {
    format.printf += scientific ? "e" : shortest ? "g" : "f";
  } else {
    format.printf += Contains(kUnsigned, dtype) ? "llu" : "lld";
  }
  format.width = std::max<int64_t>(width, 0);
  format.is_left = fill == "-";
  format.room = format.width + std::max<int64_t>(precision, 0);
  return format;
}

template <typename Number>
void Print(const std::string& format, Number number, std::string& text) {
  char small[64];
  const int size = std::snprintf(small, sizeof(small), format.c_str(), number);
  if (size < 0) return;
  if (static_cast<size_t>(size) < sizeof(small)) {
    text.append(small, static_cast<size_t>(size));
    return;
  }
  const size_t begin = text.size();
  text.resize(begin + static_cast<size_t>(size) + 1);
  std::snprintf(text.data() + begin, static_cast<size_t>(size) + 1, format.c_str(), number);
  text.pop_back();
}

void Write(const Format& format, int64_t value, std::string& text) {
  Print(format.printf, static_cast<long long>(value), text);
}
void Write(const Format& format, uint64_t value, std::string& text) {
  Print(format.printf, static_cast<unsigned long long>(value), text);
}
void Write(const Format& format, double value, std::string& text) {
  Print(format.printf, value, text);
}
void Write(const Format& format, std::complex<double> value, std::string& text) {
  text += "(";
  Write(format, value.real(), text);
  text += ",";
  Write(format, value.imag(), text);
  text += ")";
}

using Writer = void (*)(const Format& format, const Tensor& input, std::string* texts);

// REQUIRES: Wide is the widest type of the input's dtype
template <typename Wide>
void WriteNumbers(const Format& format, const Tensor& input, std::string* texts) {
  const Widening* widening = WidestWidening(input.dtype());
  const auto size = static_cast<int64_t>(DTypeSize(input.dtype()));
  for (int64_t begin = 0; begin < input.num_elements(); begin += kWideBlock) {
    const int64_t count = std::min(kWideBlock, input.num_elements() - begin);
    const void* elements = static_cast<const char*>(input.raw_data()) + begin * size;
    Wide block[kWideBlock];
    if (widening != nullptr) widening->load(elements, block, count);
    const Wide* numbers = widening != nullptr ? block : static_cast<const Wide*>(elements);
    for (int64_t i = 0; i < count; ++i) Write(format, numbers[i], *texts++);
  }
}

void WriteBools(const Format&, const Tensor& input, std::string* texts) {
  for (const bool value : input.flat<bool>()) *texts++ = value ? "true" : "false";
}

void WriteTexts(const Format& format, const Tensor& input, std::string* texts) {
  for (const std::string& value : input.flat<std::string>()) {
    std::string& text = *texts++;
    text = value;
    const auto width = static_cast<size_t>(format.width);
    if (text.size() < width) {
      text.insert(format.is_left ? text.size() : 0, width - text.size(), ' ');
    }
  }
}

Writer WriterOf(DType dtype) {
  if (dtype == DType::kBool) return &WriteBools;
  if (dtype == DType::kString) return &WriteTexts;
  if (Contains(kFloats, dtype)) return &WriteNumbers<double>;
  if (Contains(kComplexes, dtype)) return &WriteNumbers<std::complex<double>>;
  if (Contains(kUnsigned, dtype)) return &WriteNumbers<uint64_t>;
  return Contains(kSigned, dtype) ? &WriteNumbers<int64_t> : nullptr;
}

//   output: the text of each element
Result<BoundKernel> BindAsString(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  const Writer write = WriterOf(dtype);
  if (write == nullptr) return NoKernelFor(binding, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(const Format format, FormatOf(binding.node, dtype));
  return BoundKernel([format, write](KernelContext& context) -> Status {
    const Tensor& input = context.input(0);
    // A few elements may ask for texts that there is no room for.
    TAGFLOW_RETURN_IF_ERROR(
        Tensor::AllocateUninitialized(DType::kUInt8, Dims{input.num_elements(), format.room})
            .status());
    TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kString, input.dims()));
    write(format, input, output.mutable_data<std::string>());
    context.output(0) = std::move(output);
    return Status();
  });
}

// ---- StringFormat ----

// What is before, between and behind the placeholders. An empty placeholder is between any two
// bytes.
std::vector<std::string> AroundPlaceholders(std::string_view text, std::string_view placeholder) {
  std::vector<std::string> parts;
  if (placeholder.empty()) {
    for (; text.size() > 1; text.remove_prefix(1)) parts.emplace_back(text.substr(0, 1));
  } else {
    for (size_t found; (found = text.find(placeholder)) != std::string_view::npos;) {
      parts.emplace_back(text.substr(0, found));
      text.remove_prefix(found + placeholder.size());
    }
  }
  parts.emplace_back(text);
  return parts;
}

//   output: scalar, the template with the inputs written in place of the placeholders
Result<BoundKernel> BindStringFormat(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, StringAttr(binding.node, "template"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string placeholder, StringAttr(binding.node, "placeholder"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t summarize, IntAttr(binding.node, "summarize"));
  const size_t inputs = binding.signature.inputs.size();
  std::vector<std::string> parts = AroundPlaceholders(text, placeholder);
  if (parts.size() != inputs + 1) {
    return InvalidArgument("the template has " + std::to_string(parts.size() - 1) +
                           " placeholders for " + std::to_string(inputs) + " inputs");
  }
  return BoundKernel([parts = std::move(parts), summarize](KernelContext& context) {
    std::string formatted = parts[0];
    for (int i = 0; i < context.num_inputs(); ++i) {
      formatted += SummarizeEnds(context.input(i), summarize);
      formatted += parts[static_cast<size_t>(i) + 1];
    }
    context.output(0) = Tensor::Scalar(std::move(formatted));
    return Status();
  });
}

}  // namespace

Status RegisterStringFormatKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"AsString", BindAsString}, {"StringFormat", BindStringFormat}});
}

}  // namespace tagflow::optimized
