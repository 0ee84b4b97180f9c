// Ops between texts in encodings and the code points of Unicode: UnicodeDecode, UnicodeEncode,
// UnicodeTranscode, UnicodeScript.
//
// Nearly all texts are UTF-8, which is read here without a library, some bytes at a time; ICU
// reads the other encodings, a code point per call. Bytes that are no UTF-8 are replaced as the
// Unicode Standard recommends (3.9, "Substitution of Maximal Subparts"): a character that breaks
// off is one mistake, and so is every byte that cannot begin one. ICU's converter does the same.
//
// ICU's converters have a state and may not be shared: the one that binding opened is cloned by
// every firing.
//
// Tested by conformance/ops/unicode.ops.

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/uscript.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/text.h"

namespace tagflow::optimized {
namespace {

// ---- Reading ----

// Reads UTF-8.
struct Utf8 {
  // What may follow a leading byte: so many more bytes, the first of them in this range.
  struct Lead {
    int more;  // negative: the byte leads nothing
    uint8_t least = 0x80;
    uint8_t most = 0xbf;
  };
  static Lead LeadOf(uint8_t byte) {
    if (byte < 0x80) return {0};
    if (byte < 0xc2) return {-1};
    if (byte < 0xe0) return {1};
    if (byte == 0xe0) return {2, 0xa0, 0xbf};  // less would have a shorter form
    if (byte == 0xed) return {2, 0x80, 0x9f};  // more would be surrogates
    if (byte < 0xf0) return {2};
    if (byte == 0xf0) return {3, 0x90, 0xbf};
    if (byte < 0xf4) return {3};
    if (byte == 0xf4) return {3, 0x80, 0x8f};  // more would be beyond the last code point
    return {-1};
  }

  // visit(point, bytes, is_malformed) for each code point of a text; false ends it.
  template <typename F>
  bool ForEach(const std::string& text, F visit) const {
    const auto* next = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* const end = next + text.size();
    while (next < end) {
      const uint8_t first = *next;
      const Lead lead = LeadOf(first);
      const uint8_t* const begin = next++;
      int32_t point = first & (0x7f >> (lead.more > 0 ? lead.more + 1 : 0));
      int missing = lead.more;
      for (; missing > 0 && next < end; --missing) {
        const bool is_second = missing == lead.more;
        if (*next < (is_second ? lead.least : 0x80) || *next > (is_second ? lead.most : 0xbf)) {
          break;
        }
        point = point << 6 | (*next++ & 0x3f);
      }
      if (!visit(point, next - begin, missing != 0)) return false;
    }
    return true;
  }
};

using Converter = std::unique_ptr<UConverter, decltype(&ucnv_close)>;

// ICU calls it at bytes that mean nothing. Says so in the bool that `context` points to, and has
// them replaced.
void NoteMalformed(const void* context, UConverterToUnicodeArgs* args, const char* bytes,
                   int32_t count, UConverterCallbackReason reason, UErrorCode* error) {
  if (reason == UCNV_UNASSIGNED || reason == UCNV_ILLEGAL || reason == UCNV_IRREGULAR) {
    *static_cast<bool*>(const_cast<void*>(context)) = true;
  }
  UCNV_TO_U_CALLBACK_SUBSTITUTE(nullptr, args, bytes, count, reason, error);
}

// Reads any encoding that ICU knows. For one thread at a time.
class OtherEncoding {
 public:
  explicit OtherEncoding(UConverter* converter) : converter_(converter) {}

  // As Utf8::ForEach.
  template <typename F>
  bool ForEach(const std::string& text, F visit) const {
    bool is_malformed = false;
    UErrorCode error = U_ZERO_ERROR;
    ucnv_reset(converter_);
    ucnv_setToUCallBack(converter_, NoteMalformed, &is_malformed, nullptr, nullptr, &error);
    const char* next = text.data();
    const char* const end = next + text.size();
    while (next < end) {
      const char* const begin = next;
      is_malformed = false;
      const UChar32 point = ucnv_getNextUChar(converter_, &next, end, &error);
      // Such as a mark of the byte order with nothing behind it.
      if (U_FAILURE(error)) next = end;
      if (!visit(point, next - begin, is_malformed)) return false;
    }
    return true;
  }

 private:
  UConverter* converter_;
};

// Calls read with Utf8 or an OtherEncoding, whichever the attr input_encoding says.
class Reading {
 public:
  //   Errors: INVALID_ARGUMENT for an encoding that ICU does not know
  static Result<Reading> Of(const Node& node) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string name, StringAttr(node, "input_encoding"));
    UErrorCode error = U_ZERO_ERROR;
    std::shared_ptr<UConverter> opened(ucnv_open(name.c_str(), &error), &ucnv_close);
    if (U_FAILURE(error) || opened == nullptr) {
      return InvalidArgument("Could not create converter for input encoding: " + name);
    }
    // A name with options may mean something a little different.
    const bool is_utf8 =
        ucnv_getType(opened.get()) == UCNV_UTF8 && name.find(',') == std::string::npos;
    return Reading(is_utf8 ? nullptr : std::move(opened));
  }

  template <typename F>
  Status With(F read) const {
    if (opened_ == nullptr) return read(Utf8());
    UErrorCode error = U_ZERO_ERROR;
    const Converter clone(ucnv_clone(opened_.get(), &error), &ucnv_close);
    if (U_FAILURE(error) || clone == nullptr) return ResourceExhausted("no memory for a converter");
    return read(OtherEncoding(clone.get()));
  }

 private:
  explicit Reading(std::shared_ptr<UConverter> opened) : opened_(std::move(opened)) {}

  std::shared_ptr<UConverter> opened_;  // null: UTF-8; only cloned, which threads may do at once
};

// What is done about what is no character.
struct Policy {
  enum class Kind : uint8_t { kStrict, kReplace, kIgnore };
  Kind kind = Kind::kReplace;
  int32_t replacement = 0xfffd;
  int32_t last_replaced = -1;  // of the control characters

  static Result<Policy> Of(const Node& node) {
    Policy policy;
    TAGFLOW_ASSIGN_OR_RETURN(const std::string errors, StringAttr(node, "errors"));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t replacement, IntAttr(node, "replacement_char"));
    if (replacement < 0 || replacement > 0x10ffff) {
      return InvalidArgument("replacement_char out of unicode codepoint range: " +
                             std::to_string(replacement));
    }
    policy.replacement = static_cast<int32_t>(replacement);
    if (errors == "strict") policy.kind = Kind::kStrict;
    if (errors == "ignore") policy.kind = Kind::kIgnore;
    return policy;
  }
  // Of an op that reads texts.
  static Result<Policy> OfReading(const Node& node) {
    TAGFLOW_ASSIGN_OR_RETURN(Policy policy, Of(node));
    TAGFLOW_ASSIGN_OR_RETURN(const bool replaces, BoolAttr(node, "replace_control_characters"));
    if (replaces) policy.last_replaced = 0x1f;
    return policy;
  }
};

Status Malformed() { return InvalidArgument("Invalid formatting on input string"); }

// ---- Decoding ----

struct DecodedTexts {
  std::vector<int64_t> ends;  // of each text
  std::vector<int32_t> values;
  std::vector<int64_t> starts;  // empty where nobody asks
};

// Appends the code points of a text; false for malformed bytes where the policy is strict.
template <typename Reader>
bool AddPoints(const Reader& reader, const Policy& policy, bool wants_starts,
               const std::string& text, DecodedTexts& decoded) {
  int64_t start = 0;
  return reader.ForEach(text, [&](int32_t point, int64_t bytes, bool is_malformed) {
    const int64_t begin = start;
    start += bytes;
    if (is_malformed || point <= policy.last_replaced) {
      if (is_malformed && policy.kind == Policy::Kind::kStrict) return false;
      if (policy.kind == Policy::Kind::kIgnore) return true;
      point = policy.replacement;
    }
    decoded.values.push_back(point);
    if (wants_starts) decoded.starts.push_back(begin);
    return true;
  });
}

template <typename T>
Result<Tensor> Splits(const std::vector<int64_t>& ends) {
  const auto count = static_cast<int64_t>(ends.size());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor splits, Tensor::Allocate(DTypeOf<T>::value, Dims{count + 1}));
  T* split = splits.mutable_data<T>();
  for (int64_t i = 0; i < count; ++i) {
    split[i + 1] = static_cast<T>(ends[static_cast<size_t>(i)]);
    if (split[i + 1] == ends[static_cast<size_t>(i)]) continue;
    return InvalidArgument("there are more code points than Tsplits can count");
  }
  return splits;
}

//   input: texts;  row_splits: where the code points of each begin and end;  char_values: all
//   code points;  char_to_byte_starts: the byte in its text where each begins
Result<BoundKernel> BindDecode(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Reading reading, Reading::Of(binding.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Policy policy, Policy::OfReading(binding.node));
  const bool is_narrow = binding.output_dtype(0) == DType::kInt32;
  const bool wants_starts = binding.signature.outputs.size() > 2;
  return BoundKernel([reading = std::move(reading), policy, is_narrow,
                      wants_starts](KernelContext& context) -> Status {
    DecodedTexts decoded;
    TAGFLOW_RETURN_IF_ERROR(reading.With([&](const auto& reader) {
      for (const std::string& text : context.input(0).flat<std::string>()) {
        if (!AddPoints(reader, policy, wants_starts, text, decoded)) return Malformed();
        decoded.ends.push_back(static_cast<int64_t>(decoded.values.size()));
      }
      return Status();
    }));
    TAGFLOW_ASSIGN_OR_RETURN(
        Tensor splits, is_narrow ? Splits<int32_t>(decoded.ends) : Splits<int64_t>(decoded.ends));
    context.output(0) = std::move(splits);
    context.output(1) = Tensor::Vector(decoded.values);
    if (wants_starts) context.output(2) = Tensor::Vector(decoded.starts);
    return Status();
  });
}

// ---- Writing ----

// Appends a code point in an encoding.
using Writer = void (*)(int32_t point, std::string& text);

char Byte(int32_t number) { return static_cast<char>(number & 0xff); }
char Continuation(int32_t bits) { return Byte(0x80 | (bits & 0x3f)); }
bool IsSurrogate(int32_t point) { return (point & ~0x7ff) == 0xd800; }

void WriteUtf8(int32_t point, std::string& text) {
  if (IsSurrogate(point)) point = 0xfffd;  // UTF-8 has no such thing
  if (point < 0x80) {
    text += Byte(point);
  } else if (point < 0x800) {
    text += {Byte(0xc0 | point >> 6), Continuation(point)};
  } else if (point < 0x10000) {
    text += {Byte(0xe0 | point >> 12), Continuation(point >> 6), Continuation(point)};
  } else {
    text += {Byte(0xf0 | point >> 18), Continuation(point >> 12), Continuation(point >> 6),
             Continuation(point)};
  }
}

void WriteUtf16(int32_t point, std::string& text) {
  const auto add = [&](int32_t unit) { text += {Byte(unit >> 8), Byte(unit)}; };
  if (point < 0x10000) return add(point);
  add(0xd7c0 + (point >> 10));  // 0xd800 less the 0x10000 that the pair does not count
  add(0xdc00 | (point & 0x3ff));
}

void WriteUtf32(int32_t point, std::string& text) {
  text += {Byte(point >> 24), Byte(point >> 16), Byte(point >> 8), Byte(point)};
}

Result<Writer> WriterOf(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string encoding, StringAttr(node, "output_encoding"));
  if (encoding == "UTF-16-BE") return Writer(&WriteUtf16);
  return encoding == "UTF-32-BE" ? Writer(&WriteUtf32) : Writer(&WriteUtf8);
}

//   input: texts;  output: the same in output_encoding
Result<BoundKernel> BindTranscode(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Reading reading, Reading::Of(binding.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Policy policy, Policy::OfReading(binding.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Writer write, WriterOf(binding.node));
  return BoundKernel([reading = std::move(reading), policy, write](KernelContext& context) {
    return reading.With([&](const auto& reader) {
      return ChangeTexts(context, [&](std::string& text) {
        std::string written;
        written.reserve(text.size());
        const bool ok = reader.ForEach(text, [&](int32_t point, int64_t, bool is_malformed) {
          if (is_malformed || point <= policy.last_replaced) {
            if (policy.kind != Policy::Kind::kReplace) return policy.kind == Policy::Kind::kIgnore;
            point = policy.replacement;
          }
          write(point, written);
          return true;
        });
        text = std::move(written);
        return ok ? Status() : Malformed();
      });
    });
  });
}

// ---- Encoding ----

// Whether texts may have a code point in them: all but the halves of pairs.
bool IsScalarValue(int32_t point) {
  return static_cast<uint32_t>(point) <= 0x10ffff && !IsSurrogate(point);
}

// OK for vectors, the second of which goes from 0 to the length of the first and never back.
Status CheckRows(const Tensor& values, const Tensor& splits, const IntView& ends) {
  if (values.rank() != 1 || splits.rank() != 1) {
    return InvalidArgument("input_values and input_splits must be vectors, not of shapes " +
                           DimsString(values.dims()) + " and " + DimsString(splits.dims()));
  }
  if (ends.size() == 0) return InvalidArgument("input_splits must have an element");
  if (ends[0] != 0) return InvalidArgument("the first of input_splits must be 0");
  if (ends[ends.size() - 1] != values.num_elements()) {
    return InvalidArgument("the last of input_splits must be the length of input_values");
  }
  for (int64_t i = 1; i < ends.size(); ++i) {
    if (ends[i] < ends[i - 1]) return InvalidArgument("input_splits must not descend");
  }
  return Status();
}

//   input_values: code points; input_splits: where those of each text begin and end
//   output: the texts
Status Encode(KernelContext& context, const Policy& policy, Writer write) {
  const Tensor& values = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const IntView splits, IntView::Of(context.input(1)));
  TAGFLOW_RETURN_IF_ERROR(CheckRows(values, context.input(1), splits));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output,
                           Tensor::Allocate(DType::kString, Dims{splits.size() - 1}));
  std::string* text = output.mutable_data<std::string>();
  const int32_t* points = values.data<int32_t>();
  for (int64_t row = 0; row + 1 < splits.size(); ++row, ++text) {
    for (int64_t i = splits[row]; i < splits[row + 1]; ++i) {
      if (IsScalarValue(points[i])) {
        write(points[i], *text);
      } else if (policy.kind == Policy::Kind::kStrict) {
        return InvalidArgument("Code point is out of range for Unicode, or is a surrogate.");
      } else if (policy.kind == Policy::Kind::kReplace) {
        write(policy.replacement, *text);
      }
    }
  }
  context.output(0) = std::move(output);
  return Status();
}

Result<BoundKernel> BindEncode(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Policy policy, Policy::Of(binding.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Writer write, WriterOf(binding.node));
  return BoundKernel(
      [policy, write](KernelContext& context) { return Encode(context, policy, write); });
}

// ---- Scripts ----

//   input: int32, code points;  output: int32, the script of each, -1 for what is no code point
Status Script(KernelContext& context) {
  const Tensor& input = context.input(0);
  const int64_t count = input.num_elements();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, DType::kInt32, input.dims(), {0}));
  const int32_t* points = input.data<int32_t>();
  int32_t* scripts = output->mutable_data<int32_t>();
  for (int64_t i = 0; i < count; ++i) {
    UErrorCode error = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(points[i], &error);
    scripts[i] = U_SUCCESS(error) ? script : -1;
  }
  return Status();
}

}  // namespace

Status RegisterUnicodeKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"UnicodeDecode", BindDecode},
                                {"UnicodeDecodeWithOffsets", BindDecode},
                                {"UnicodeEncode", BindEncode},
                                {"UnicodeTranscode", BindTranscode},
                                {"UnicodeScript", Bind<Script>}});
}

}  // namespace tagflow::optimized
