// Ops between texts in encodings and the code points of Unicode: UnicodeDecode, UnicodeEncode,
// UnicodeTranscode, UnicodeScript. ICU reads the encodings, of which it knows some hundreds, and
// knows the scripts; the three encodings that are written are spelled out here.

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/string_util.h"

namespace tagflow::reference {
namespace {

constexpr int32_t kLastPoint = 0x10ffff;
constexpr int32_t kReplacement = 0xfffd;
constexpr int32_t kLastControl = 0x1f;

// ---- Reading ----

// A code point and the bytes that it was read from.
struct Point {
  int32_t value;
  int64_t bytes;
  bool is_malformed;  // the bytes mean nothing in the encoding
};

using Converter = std::unique_ptr<UConverter, decltype(&ucnv_close)>;

//   Errors: INVALID_ARGUMENT for an encoding that ICU does not know
Result<Converter> Open(const std::string& encoding) {
  UErrorCode error = U_ZERO_ERROR;
  Converter converter(ucnv_open(encoding.c_str(), &error), &ucnv_close);
  if (U_SUCCESS(error) && converter != nullptr) return converter;
  return InvalidArgument("Could not create converter for input encoding: " + encoding);
}

// ICU's for bytes that mean nothing. Says so in the bool that `context` points to, and has them
// replaced.
void NoteMalformed(const void* context, UConverterToUnicodeArgs* args, const char* bytes,
                   int32_t count, UConverterCallbackReason reason, UErrorCode* error) {
  if (reason == UCNV_UNASSIGNED || reason == UCNV_ILLEGAL || reason == UCNV_IRREGULAR) {
    *static_cast<bool*>(const_cast<void*>(context)) = true;
  }
  UCNV_TO_U_CALLBACK_SUBSTITUTE(nullptr, args, bytes, count, reason, error);
}

std::vector<Point> PointsOf(UConverter* converter, const std::string& text) {
  std::vector<Point> points;
  bool is_malformed = false;
  UErrorCode error = U_ZERO_ERROR;
  ucnv_reset(converter);
  ucnv_setToUCallBack(converter, NoteMalformed, &is_malformed, nullptr, nullptr, &error);
  const char* const end = text.data() + text.size();
  for (const char* next = text.data(); next < end;) {
    const char* begin = next;
    is_malformed = false;
    const UChar32 value = ucnv_getNextUChar(converter, &next, end, &error);
    // Such as a mark of the byte order with nothing behind it.
    if (U_FAILURE(error)) next = end;
    points.push_back({value, next - begin, is_malformed});
  }
  return points;
}

// What is done about malformed bytes.
struct Policy {
  bool is_strict = false;
  bool ignores = false;
  int32_t replacement = kReplacement;
  bool replaces_controls = false;

  // Whether what was read is not to be kept as it is.
  bool Refuses(const Point& point) const {
    return point.is_malformed || (replaces_controls && point.value <= kLastControl);
  }
};

Result<Policy> ReadPolicy(const Node& node) {
  Policy policy;
  TAGFLOW_ASSIGN_OR_RETURN(const std::string errors, StringAttr(node, "errors"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t replacement, IntAttr(node, "replacement_char"));
  policy.is_strict = errors == "strict";
  policy.ignores = errors == "ignore";
  if (replacement < 0 || replacement > kLastPoint) {
    return InvalidArgument("replacement_char out of unicode codepoint range: " +
                           std::to_string(replacement));
  }
  policy.replacement = static_cast<int32_t>(replacement);
  return policy;
}

// The same of an op that reads texts.
Result<Policy> ReadDecodingPolicy(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(Policy policy, ReadPolicy(node));
  TAGFLOW_ASSIGN_OR_RETURN(policy.replaces_controls, BoolAttr(node, "replace_control_characters"));
  return policy;
}

Status Malformed() { return InvalidArgument("Invalid formatting on input string"); }

// ---- Writing ----

enum class Encoding : uint8_t { kUtf8, kUtf16, kUtf32 };

Result<Encoding> ReadEncoding(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string name, StringAttr(node, "output_encoding"));
  if (name == "UTF-16-BE") return Encoding::kUtf16;
  return name == "UTF-32-BE" ? Encoding::kUtf32 : Encoding::kUtf8;
}

// The lowest `count` bytes of a number, the highest of them first.
void AddBytes(std::string& text, uint32_t number, int count) {
  for (int i = count - 1; i >= 0; --i) text += static_cast<char>(number >> (8 * i) & 0xff);
}

bool IsSurrogate(uint32_t point) { return point >= 0xd800 && point <= 0xdfff; }

void AddUtf8(std::string& text, uint32_t point) {
  if (IsSurrogate(point)) point = kReplacement;  // UTF-8 has no such thing
  if (point < 0x80) return AddBytes(text, point, 1);
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  AddBytes(text, kLead[more] | point >> (6 * more), 1);
  for (int i = more - 1; i >= 0; --i) AddBytes(text, 0x80 | (point >> (6 * i) & 0x3f), 1);
}

void AddUtf16(std::string& text, uint32_t point) {
  if (point < 0x10000) return AddBytes(text, point, 2);
  AddBytes(text, 0xd800 | (point - 0x10000) >> 10, 2);
  AddBytes(text, 0xdc00 | ((point - 0x10000) & 0x3ff), 2);
}

void Add(std::string& text, int32_t point, Encoding encoding) {
  const auto number = static_cast<uint32_t>(point);
  if (encoding == Encoding::kUtf8) return AddUtf8(text, number);
  if (encoding == Encoding::kUtf16) return AddUtf16(text, number);
  AddBytes(text, number, 4);
}

// Whether texts may have a code point in them: all but the halves of pairs.
bool IsScalarValue(int32_t point) {
  return point >= 0 && point <= kLastPoint && !IsSurrogate(static_cast<uint32_t>(point));
}

// ---- The ops ----

//   input: texts of any shape;  row_splits: where the code points of each begin and end
//   char_values: the code points of all;  char_to_byte_starts: the byte in its text where each
//   begins
Status Decode(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string encoding, StringAttr(context.node, "input_encoding"));
  TAGFLOW_ASSIGN_OR_RETURN(const Policy policy, ReadDecodingPolicy(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Converter converter, Open(encoding));
  std::vector<int64_t> splits = {0};
  std::vector<int64_t> values;
  std::vector<int64_t> starts;
  for (const std::string& text : context.inputs[0].flat<std::string>()) {
    int64_t start = 0;
    for (const Point& point : PointsOf(converter.get(), text)) {
      if (point.is_malformed && policy.is_strict) return Malformed();
      if (!policy.Refuses(point) || !policy.ignores) {
        values.push_back(policy.Refuses(point) ? policy.replacement : point.value);
        starts.push_back(start);
      }
      start += point.bytes;
    }
    splits.push_back(static_cast<int64_t>(values.size()));
  }
  const DType split_type = context.signature.outputs[0].dtype;
  const Dims rows = {static_cast<int64_t>(splits.size())};
  const Dims count = {static_cast<int64_t>(values.size())};
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(split_type, rows, splits));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], IndexTensor(DType::kInt32, count, values));
  if (context.outputs.size() > 2) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2], IndexTensor(DType::kInt64, count, starts));
  }
  return Status();
}

//   input: texts;  output: the same in output_encoding
Status Transcode(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string encoding, StringAttr(context.node, "input_encoding"));
  TAGFLOW_ASSIGN_OR_RETURN(const Encoding target, ReadEncoding(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Policy policy, ReadDecodingPolicy(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Converter converter, Open(encoding));
  return ChangeEach(context, [&](const std::string& text) -> Result<std::string> {
    std::string written;
    for (const Point& point : PointsOf(converter.get(), text)) {
      if (!policy.Refuses(point)) {
        Add(written, point.value, target);
      } else if (policy.is_strict) {
        return Malformed();
      } else if (!policy.ignores) {
        Add(written, policy.replacement, target);
      }
    }
    return written;
  });
}

// OK for vectors, the second of which goes from 0 to the length of the first and never back.
Status CheckRows(const Tensor& values, const Tensor& splits, const std::vector<int64_t>& ends) {
  if (values.rank() != 1 || splits.rank() != 1) {
    return InvalidArgument("input_values and input_splits must be vectors, not of shapes " +
                           DimsString(values.dims()) + " and " + DimsString(splits.dims()));
  }
  if (ends.empty()) return InvalidArgument("input_splits must have an element");
  if (ends.front() != 0) return InvalidArgument("the first of input_splits must be 0");
  if (ends.back() != values.num_elements()) {
    return InvalidArgument("the last of input_splits must be the length of input_values");
  }
  if (std::ranges::is_sorted(ends)) return Status();
  return InvalidArgument("input_splits must not descend");
}

// What is written for a code point; nothing, where it is left out.
//   Errors: INVALID_ARGUMENT
Result<std::optional<int32_t>> Written(int32_t point, const Policy& policy) {
  if (IsScalarValue(point)) return std::optional(point);
  if (policy.is_strict) {
    return InvalidArgument("Code point is out of range for Unicode, or is a surrogate.");
  }
  return policy.ignores ? std::nullopt : std::optional(policy.replacement);
}

//   input_values: code points; input_splits: where those of each text begin and end
//   output: the texts
Status Encode(KernelContext& context) {
  const Tensor& values = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const Encoding encoding, ReadEncoding(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Policy policy, ReadPolicy(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> splits, IndexValues(context.inputs[1]));
  TAGFLOW_RETURN_IF_ERROR(CheckRows(values, context.inputs[1], splits));
  std::vector<std::string> texts(splits.size() - 1);
  for (size_t row = 0; row < texts.size(); ++row) {
    for (int64_t i = splits[row]; i < splits[row + 1]; ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(const std::optional<int32_t> point,
                               Written(values.data<int32_t>()[i], policy));
      if (point) Add(texts[row], *point, encoding);
    }
  }
  const Dims dims = {static_cast<int64_t>(texts.size())};
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TextTensor(dims, std::move(texts)));
  return Status();
}

//   input: int32, code points;  output: int32, the script of each, -1 for what is no code point
Status Script(KernelContext& context) {
  const Tensor& points = context.inputs[0];
  std::vector<int64_t> scripts;
  for (const int32_t point : points.flat<int32_t>()) {
    UErrorCode error = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(point, &error);
    scripts.push_back(U_SUCCESS(error) ? script : -1);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt32, points.dims(), scripts));
  return Status();
}

}  // namespace

Status RegisterUnicodeKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"UnicodeDecode", Decode},
                                {"UnicodeDecodeWithOffsets", Decode},
                                {"UnicodeEncode", Encode},
                                {"UnicodeTranscode", Transcode},
                                {"UnicodeScript", Script}});
}

}  // namespace tagflow::reference
