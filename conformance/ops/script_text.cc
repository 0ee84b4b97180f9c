#include "conformance/ops/script_text.h"

#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include "graph/literal.h"

namespace tagflow::conformance {
namespace {

std::string Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

// The place of the first `wanted` from `begin` on that is outside of brackets, parentheses and
// quotes; the end of the text where there is none.
size_t FindOutside(std::string_view text, std::string_view wanted, size_t begin = 0) {
  int depth = 0;
  bool is_quoted = false;
  for (size_t i = begin; i < text.size(); ++i) {
    if (depth == 0 && !is_quoted && text.substr(i).starts_with(wanted)) return i;
    const char c = text[i];
    if (is_quoted && c == '\\') ++i;
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && (c == '[' || c == '(')) ++depth;
    if (!is_quoted && (c == ']' || c == ')')) --depth;
  }
  return text.size();
}

Status WrongAttr(const AttrDef& attr, const std::string& text) {
  return InvalidArgument("'" + text + "' is no " + AttrKindName(attr.kind) + " for the attr " +
                         attr.name);
}

template <typename T>
Result<T> ParseScalar(const AttrDef& attr, const std::string& text, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor value, ParseLiteral(text, dtype));
  if (value.dtype() != dtype || value.rank() != 0) return WrongAttr(attr, text);
  return value.scalar<T>();
}

// "?", or a list of numbers and "?".
Result<PartialShape> ParseShape(const AttrDef& attr, const std::string& text) {
  if (text == "?") return PartialShape();
  if (text.size() < 2 || text.front() != '[') return WrongAttr(attr, text);
  Dims dims;
  for (const std::string& dim : SplitOutside(text.substr(1, text.size() - 2), ",")) {
    if (dim == "?") {
      dims.push_back(PartialShape::kUnknownDim);
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(dims.emplace_back(), ParseScalar<int64_t>(attr, dim, DType::kInt64));
    }
  }
  return PartialShape(std::move(dims));
}

Result<ArgType> ParseType(const AttrDef& attr, const std::string& text) {
  const auto dtype = DTypeFromName(text);
  return dtype.has_value() ? Result<ArgType>(ArgType{*dtype, false}) : WrongAttr(attr, text);
}

Result<std::string> ParseString(const AttrDef& attr, const std::string& text) {
  return ParseScalar<std::string>(attr, text, DType::kString);
}

// Appends each element of "[a, b]" to the list that `parse` makes elements of.
template <typename Elements, typename Parse>
Status ParseList(const AttrDef& attr, const std::string& text, Elements& list, const Parse& parse) {
  if (text.size() < 2 || text.front() != '[') return WrongAttr(attr, text);
  for (const std::string& element : SplitOutside(text.substr(1, text.size() - 2), ",")) {
    TAGFLOW_ASSIGN_OR_RETURN(auto value, parse(element));
    list.push_back(std::move(value));
  }
  return Status();
}

Result<AttrValue> ParseListAttr(const AttrDef& attr, const std::string& text) {
  AttrList list;
  Status status;
  switch (attr.kind) {
    case AttrKind::kListInt:
      status = ParseList(attr, text, list.ints, [&](const std::string& element) {
        return ParseScalar<int64_t>(attr, element, DType::kInt64);
      });
      break;
    case AttrKind::kListFloat:
      status = ParseList(attr, text, list.floats, [&](const std::string& element) {
        return ParseScalar<float>(attr, element, DType::kFloat);
      });
      break;
    case AttrKind::kListString:
      status = ParseList(attr, text, list.strings,
                         [&](const std::string& element) { return ParseString(attr, element); });
      break;
    case AttrKind::kListType:
      status = ParseList(attr, text, list.types,
                         [&](const std::string& element) { return ParseType(attr, element); });
      break;
    case AttrKind::kListShape:
      status = ParseList(attr, text, list.shapes,
                         [&](const std::string& element) { return ParseShape(attr, element); });
      break;
    default:
      return WrongAttr(attr, text);
  }
  TAGFLOW_RETURN_IF_ERROR(status);
  return AttrValue(std::move(list));
}

Result<AttrValue> ParseAttr(const AttrDef& attr, const std::string& text) {
  const auto as_attr = [](auto result) -> Result<AttrValue> {
    if (!result.ok()) return result.status();
    return AttrValue(*std::move(result));
  };
  switch (attr.kind) {
    case AttrKind::kInt:
      return as_attr(ParseScalar<int64_t>(attr, text, DType::kInt64));
    case AttrKind::kFloat:
      return as_attr(ParseScalar<float>(attr, text, DType::kFloat));
    case AttrKind::kBool:
      return as_attr(ParseScalar<bool>(attr, text, DType::kBool));
    case AttrKind::kString:
      return as_attr(ParseString(attr, text));
    case AttrKind::kType:
      return as_attr(ParseType(attr, text));
    case AttrKind::kShape:
      return as_attr(ParseShape(attr, text));
    case AttrKind::kTensor:
      return as_attr(ParseLiteral(text, std::nullopt));
    default:
      return ParseListAttr(attr, text);
  }
}

const std::map<std::string, std::vector<std::string>>& DTypeSets() {
  static const auto* const sets = new std::map<std::string, std::vector<std::string>>{
      {"signed", {"int8", "int16", "int32", "int64"}},
      {"unsigned", {"uint8", "uint16", "uint32", "uint64"}},
      {"integers", {"signed", "unsigned"}},
      {"floats", {"half", "bfloat16", "float", "double"}},
      {"reals", {"integers", "floats"}},
      {"complexes", {"complex64", "complex128"}},
      {"numbers", {"reals", "complexes"}},
  };
  return *sets;
}

Status AppendDTypes(const std::string& name, std::vector<std::string>& dtypes) {
  if (const auto set = DTypeSets().find(name); set != DTypeSets().end()) {
    for (const std::string& member : set->second) {
      TAGFLOW_RETURN_IF_ERROR(AppendDTypes(member, dtypes));
    }
    return Status();
  }
  if (!DTypeFromName(name).has_value()) {
    return InvalidArgument(name + " is neither a dtype nor a set of them");
  }
  dtypes.push_back(name);
  return Status();
}

}  // namespace

std::vector<std::string> SplitOutside(std::string_view text, std::string_view separator) {
  std::vector<std::string> pieces;
  if (Trimmed(text).empty()) return pieces;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = FindOutside(text, separator, begin);
    pieces.push_back(Trimmed(text.substr(begin, end - begin)));
    begin = end + separator.size();
  }
  return pieces;
}

Result<std::optional<CallText>> ParseCall(std::string_view line) {
  static const std::regex begin(R"(^(?:(\w+) = )?(\w+)\()");
  CallText call;
  const size_t arrow = FindOutside(line, " -> ");
  if (arrow < line.size()) call.expected = Trimmed(line.substr(arrow + 4));
  const std::string text(line.substr(0, arrow));
  std::smatch match;
  if (!std::regex_search(text, match, begin)) return std::optional<CallText>();
  call.name = match[1];
  call.op = match[2];
  const size_t open = match[0].str().size();
  const size_t close = FindOutside(text, ")", open);
  if (close == text.size()) return InvalidArgument("there is no ')' after the arguments");
  call.arguments = SplitOutside(text.substr(open, close - open), ",");
  call.attrs = SplitOutside(Trimmed(text.substr(close + 1)), " ");
  return std::optional(std::move(call));
}

Result<AttrMap> ParseAttrs(const OpDef& op, const std::vector<std::string>& attrs) {
  AttrMap map;
  for (const std::string& text : attrs) {
    const size_t equals = std::min(text.find('='), text.size() - 1);
    const std::string name = text.substr(0, equals);
    const AttrDef* def = op.FindAttr(name);
    if (def == nullptr) return InvalidArgument(op.name + " has no attr " + name);
    TAGFLOW_ASSIGN_OR_RETURN(AttrValue value, ParseAttr(*def, text.substr(equals + 1)));
    map.emplace_back(name, std::move(value));
  }
  return map;
}

bool MatchesPattern(std::string_view text, std::string_view pattern) {
  constexpr std::string_view kAny = "...";
  const size_t any = pattern.find(kAny);
  if (any == pattern.npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, any))) return false;
  const std::string_view rest = pattern.substr(any + kAny.size());
  for (size_t begin = any; begin <= text.size(); ++begin) {
    if (MatchesPattern(text.substr(begin), rest)) return true;
  }
  return false;
}

Result<std::vector<std::string>> LinesOfDTypes(const std::string& line) {
  static const std::regex head(R"(^T in ([\w ]+): )"), name(R"(\bT\b(?!=))");
  std::smatch match;
  if (!std::regex_search(line, match, head)) return std::vector<std::string>{line};
  std::vector<std::string> dtypes, lines;
  for (const std::string& word : SplitOutside(match[1].str(), " ")) {
    TAGFLOW_RETURN_IF_ERROR(AppendDTypes(word, dtypes));
  }
  const std::string rest = match.suffix();
  for (const std::string& dtype : dtypes) lines.push_back(std::regex_replace(rest, name, dtype));
  return lines;
}

}  // namespace tagflow::conformance
