#include "graph/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tagflow {
namespace {

// An element as written, its dtype not yet chosen.
struct Element {
  enum class Kind { kWord, kString, kComplex };
  Kind kind = Kind::kWord;
  std::string text;  // of a word or string; the real part of a complex number
  std::string imaginary;
};

struct Parsed {
  Dims dims;
  std::vector<Element> elements;
};

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// Recursive descent, at most kMostNestedBrackets lists deep.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Parsed> Run() {
    TAGFLOW_RETURN_IF_ERROR(Value(0));
    SkipBlanks();
    if (at_ != text_.size()) return Wrong("nothing more");
    return std::move(parsed_);
  }

 private:
  Status Wrong(std::string_view expected) const {
    const std::string found = at_ == text_.size() ? "the text ends" : Quoted(text_.substr(at_, 10));
    return InvalidArgument(Quoted(text_) + " is not a value: " + std::string(expected) +
                           " is expected at character " + std::to_string(at_ + 1) + ", where " +
                           found + (at_ == text_.size() ? "" : " stands"));
  }

  void SkipBlanks() {
    while (at_ < text_.size() && std::string_view(" \t\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool Consume(char c) {
    SkipBlanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status Value(size_t depth) {
    if (Consume('[')) return List(depth);
    if (depth != parsed_.dims.size()) return Ragged();
    Element& element = parsed_.elements.emplace_back();
    if (Consume('"')) return String(element);
    if (Consume('(')) return Complex(element);
    return Word(element.text);
  }

  // The first list of a depth sets the length that the others of that depth must have.
  Status List(size_t depth) {
    if (depth == kMostNestedBrackets) {
      return InvalidArgument("lists are nested more than " + std::to_string(kMostNestedBrackets) +
                             " deep");
    }
    const bool first = depth == parsed_.dims.size();
    if (first) {
      if (!parsed_.elements.empty()) return Ragged();
      parsed_.dims.push_back(kOpen);
    }
    int64_t length = 0;
    if (!Consume(']')) {
      do {
        TAGFLOW_RETURN_IF_ERROR(Value(depth + 1));
        ++length;
      } while (Consume(','));
      if (!Consume(']')) return Wrong("',' or ']'");
    }
    int64_t& expected = parsed_.dims[depth];
    if (first) expected = length;
    return expected == length ? Status() : Ragged();
  }

  Status Ragged() const {
    return InvalidArgument(Quoted(text_) +
                           " is not a tensor: its lists differ in length or depth (seen at "
                           "character " +
                           std::to_string(at_) + ")");
  }

  Status String(Element& element) {
    element.kind = Element::Kind::kString;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\\') {
        if (at_ == text_.size()) break;
        TAGFLOW_RETURN_IF_ERROR(Escape(element.text));
        continue;
      }
      element.text += c;
    }
    return Consume('"') ? Status() : Wrong("'\"'");
  }

  Status Escape(std::string& out) {
    const char c = text_[at_++];
    if (c == 'x') {
      int code = 0;
      const char* const begin = text_.data() + at_;
      const char* const end = text_.data() + std::min(at_ + 2, text_.size());
      if (std::from_chars(begin, end, code, 16).ptr != begin + 2) return Wrong("two hex digits");
      at_ += 2;
      out += static_cast<char>(code);
      return Status();
    }
    constexpr std::string_view kFrom = "nt0\\\"";
    const size_t place = kFrom.find(c);
    if (place == kFrom.npos) return Wrong("one of \\n \\t \\0 \\\\ \\\" \\xNN");
    out += std::string_view("\n\t\0\\\"", 5)[place];
    return Status();
  }

  Status Complex(Element& element) {
    element.kind = Element::Kind::kComplex;
    TAGFLOW_RETURN_IF_ERROR(Word(element.text));
    if (!Consume(',')) return Wrong("','");
    TAGFLOW_RETURN_IF_ERROR(Word(element.imaginary));
    return Consume(')') ? Status() : Wrong("')'");
  }

  Status Word(std::string& word) {
    SkipBlanks();
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \t\n,[]()\"", at_), text_.size());
    if (at_ == begin) return Wrong("a value");
    word = text_.substr(begin, at_ - begin);
    return Status();
  }

  // Of a dimension whose first list is still being read: no length has this value.
  static constexpr int64_t kOpen = -1;

  std::string_view text_;
  size_t at_ = 0;
  Parsed parsed_;
};

Status CannotHold(DType dtype, const Element& element, std::string_view why = "") {
  const std::string text = element.kind == Element::Kind::kString    ? "\"" + element.text + "\""
                           : element.kind == Element::Kind::kComplex ? "a complex number"
                                                                     : Quoted(element.text);
  return InvalidArgument(text + " is not a value of dtype " + DTypeName(dtype) + std::string(why));
}

template <typename T>
std::errc Read(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return error;
  return end == text.data() + text.size() ? std::errc() : std::errc::invalid_argument;
}

template <typename T>
Status ReadReal(DType dtype, const Element& element, const std::string& text, T& value) {
  const std::errc error = Read(text, value);
  if (error == std::errc::result_out_of_range) return CannotHold(dtype, element, ": out of range");
  return error == std::errc() ? Status() : CannotHold(dtype, element);
}

// Half and BFloat16: rounded once from double, and a finite number stays finite.
template <typename T>
Status ReadSmallFloat(DType dtype, const Element& element, T (*round)(double), T& value) {
  double wide = 0;
  TAGFLOW_RETURN_IF_ERROR(ReadReal(dtype, element, element.text, wide));
  value = round(wide);
  if (std::isinf(ToFloat(value)) && !std::isinf(wide)) {
    return CannotHold(dtype, element, ": out of range");
  }
  return Status();
}

// To odd in the first rounding, so that the second one is as if there had been no first.
BFloat16 BFloat16FromDouble(double wide) {
  float narrow = static_cast<float>(wide);
  if (std::isfinite(narrow) && static_cast<double>(narrow) != wide) {
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof(bits));
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(wide)) --bits;
    bits |= 1;
    std::memcpy(&narrow, &bits, sizeof(bits));
  }
  return BFloat16FromFloat(narrow);
}

Status ReadElement(DType dtype, const Element& element, bool& value) {
  value = element.text == "true" || element.text == "True";
  const bool known = value || element.text == "false" || element.text == "False";
  return known ? Status() : CannotHold(dtype, element, ": write true or false");
}
Status ReadElement(DType dtype, const Element& element, Half& value) {
  return ReadSmallFloat(dtype, element, HalfFromDouble, value);
}
Status ReadElement(DType dtype, const Element& element, BFloat16& value) {
  return ReadSmallFloat(dtype, element, BFloat16FromDouble, value);
}
Status ReadElement(DType, const Element& element, std::string& value) {
  value = element.text;
  return Status();
}
template <typename Part>
Status ReadElement(DType dtype, const Element& element, std::complex<Part>& value) {
  Part real = 0;
  Part imaginary = 0;
  TAGFLOW_RETURN_IF_ERROR(ReadReal(dtype, element, element.text, real));
  if (element.kind == Element::Kind::kComplex) {
    TAGFLOW_RETURN_IF_ERROR(ReadReal(dtype, element, element.imaginary, imaginary));
  }
  value = {real, imaginary};
  return Status();
}
template <typename T>
Status ReadElement(DType dtype, const Element& element, T& value) {
  return ReadReal(dtype, element, element.text, value);
}

template <typename T>
Result<Tensor> Build(const Parsed& parsed) {
  constexpr DType dtype = DTypeOf<T>::value;
  constexpr bool is_complex = std::is_same_v<T, std::complex<float>> ||  //
                              std::is_same_v<T, std::complex<double>>;
  constexpr bool is_string = std::is_same_v<T, std::string>;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, parsed.dims));
  T* out = tensor.mutable_data<T>();
  for (const Element& element : parsed.elements) {
    const bool kind_fits = element.kind == Element::Kind::kString    ? is_string
                           : element.kind == Element::Kind::kComplex ? is_complex
                                                                     : !is_string;
    if (!kind_fits) return CannotHold(dtype, element, is_string ? ": put it in quotes" : "");
    TAGFLOW_RETURN_IF_ERROR(ReadElement(dtype, element, *out++));
  }
  return tensor;
}

Result<Tensor> BuildAs(DType dtype, const Parsed& parsed) {
  switch (dtype) {
#define TAGFLOW_BUILD(T)  \
  case DTypeOf<T>::value: \
    return Build<T>(parsed)
    TAGFLOW_BUILD(float);
    TAGFLOW_BUILD(double);
    TAGFLOW_BUILD(int8_t);
    TAGFLOW_BUILD(int16_t);
    TAGFLOW_BUILD(int32_t);
    TAGFLOW_BUILD(int64_t);
    TAGFLOW_BUILD(uint8_t);
    TAGFLOW_BUILD(uint16_t);
    TAGFLOW_BUILD(uint32_t);
    TAGFLOW_BUILD(uint64_t);
    TAGFLOW_BUILD(bool);
    TAGFLOW_BUILD(Half);
    TAGFLOW_BUILD(BFloat16);
    TAGFLOW_BUILD(std::complex<float>);
    TAGFLOW_BUILD(std::complex<double>);
    TAGFLOW_BUILD(std::string);
#undef TAGFLOW_BUILD
    default:
      return InvalidArgument("a value of dtype " + DTypeName(dtype) +
                             " cannot be written down: only a graph can make one");
  }
}

// The dtype that the elements look like: the narrowest common one of bool, int32, float, string.
DType GuessDType(const Parsed& parsed) {
  bool all_int = true;
  for (const Element& element : parsed.elements) {
    int64_t whole = 0;
    if (element.kind == Element::Kind::kString) return DType::kString;
    if (element.kind == Element::Kind::kComplex) return DType::kComplex64;
    if (element.text == "true" || element.text == "false") return DType::kBool;
    all_int = all_int && Read(element.text, whole) != std::errc::invalid_argument;
  }
  return all_int && !parsed.elements.empty() ? DType::kInt32 : DType::kFloat;
}

// Takes "double[0,3] " off the front of `text`, as outputs are printed. Nothing, and `text` as it
// was, where it does not begin so.
std::optional<std::pair<DType, Dims>> TakePrintedHead(std::string_view& text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == text.npos || close == text.npos || close < open) return std::nullopt;
  const auto dtype = DTypeFromName(text.substr(0, open));
  if (!dtype.has_value() || !text.substr(close + 1).starts_with(' ')) return std::nullopt;
  std::string_view inside = text.substr(open + 1, close - open - 1);
  Dims dims;
  while (!inside.empty()) {
    int64_t dim = -1;
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), dim);
    if (error != std::errc() || dim < 0) return std::nullopt;
    dims.push_back(dim);
    inside.remove_prefix(static_cast<size_t>(end - inside.data()));
    if (inside.empty()) break;
    if (!inside.starts_with(',') || inside.size() == 1) return std::nullopt;
    inside.remove_prefix(1);
  }
  text.remove_prefix(close + 2);
  return std::pair(*dtype, std::move(dims));
}

// An empty list stands for all shapes without elements.
bool MayBe(const Parsed& parsed, DimsView dims) {
  if (std::ranges::equal(parsed.dims, dims)) return true;
  // Lists end at the first dimension of length 0, and do not say those after it.
  const bool starts_so = parsed.dims.size() <= dims.size() &&
                         std::equal(parsed.dims.begin(), parsed.dims.end(), dims.begin());
  return std::ranges::find(dims, 0) != dims.end() && parsed.elements.empty() &&
         (starts_so || parsed.dims.size() == 1);
}

// What is printed of a large tensor leaves most of it out.
bool IsSummary(const Parsed& parsed) {
  return std::ranges::any_of(parsed.elements, [](const Element& element) {
    return element.kind == Element::Kind::kWord && element.text == "...";
  });
}

Result<Tensor> ParsePrinted(std::string_view text, DType dtype, const Dims& dims) {
  Result<Parsed> parsed = Parser(text).Run();
  if (text.find("...") != text.npos && (!parsed.ok() || IsSummary(*parsed))) {
    return InvalidArgument(Quoted(text) +
                           " is what is printed of a large tensor, not all of it: "
                           "print it with --full, or write it with --out and feed the file");
  }
  if (!parsed.ok()) return parsed.status();
  if (!MayBe(*parsed, dims)) {
    return InvalidArgument(Quoted(text) + " has the shape " + DimsString(parsed->dims) + ", not " +
                           DimsString(dims));
  }
  parsed->dims = dims;
  return BuildAs(dtype, *parsed);
}

}  // namespace

Result<Tensor> ParseLiteral(std::string_view text, std::optional<DType> dtype) {
  if (const auto head = TakePrintedHead(text)) return ParsePrinted(text, head->first, head->second);
  if (const size_t colon = text.find(':'); colon != text.npos) {
    if (const auto named = DTypeFromName(text.substr(0, colon))) {
      dtype = named;
      text.remove_prefix(colon + 1);
    }
  }
  if (dtype == DType::kString && !text.starts_with('[') && !text.starts_with('"')) {
    return Tensor::Scalar(std::string(text));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Parsed parsed, Parser(text).Run());
  return BuildAs(dtype.value_or(GuessDType(parsed)), parsed);
}

bool IsPrinted(std::string_view text) { return TakePrintedHead(text).has_value(); }

}  // namespace tagflow
