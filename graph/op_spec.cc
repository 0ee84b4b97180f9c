#include "graph/op_spec.h"

#include <charconv>
#include <span>

namespace tagflow {
namespace {

using enum DType;

constexpr DType kRealNumberTypes[] = {kFloat, kDouble,   kInt32,  kUInt8, kInt16,  kInt8,
                                      kInt64, kBFloat16, kUInt16, kHalf,  kUInt32, kUInt64};
constexpr DType kNumberTypes[] = {kFloat,      kDouble,    kInt32,  kUInt8,   kInt16,
                                  kInt8,       kComplex64, kInt64,  kQInt8,   kQUInt8,
                                  kQInt32,     kBFloat16,  kQInt16, kQUInt16, kUInt16,
                                  kComplex128, kHalf,      kUInt32, kUInt64};
constexpr DType kQuantizedTypes[] = {kQInt8, kQUInt8, kQInt16, kQUInt16, kQInt32};

std::span<const DType> TypeGroup(std::string_view name) {
  if (name == "realnumbertype") return kRealNumberTypes;
  if (name == "numbertype") return kNumberTypes;
  if (name == "quantizedtype") return kQuantizedTypes;
  return {};
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}

// Reads a spec from left to right. Every Take skips spaces first and takes nothing on failure.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text), all_(text) {}

  bool AtEnd() {
    SkipSpaces();
    return rest_.empty();
  }
  bool Take(std::string_view token) {
    SkipSpaces();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  // A word of letters, digits and '_'; empty when there is none.
  std::string_view TakeWord() {
    SkipSpaces();
    return TakeWhile(IsWord);
  }
  template <typename Number>
  bool TakeNumber(Number* number) {
    SkipSpaces();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *number);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  // 'text' or "text"; the quote itself cannot be in it.
  bool TakeQuoted(std::string* text) {
    SkipSpaces();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    *text = std::string(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return true;
  }
  Status Expected(std::string_view what) const {
    return InvalidArgument("'" + std::string(all_) + "': expected " + std::string(what) +
                           " before '" + std::string(rest_) + "'");
  }

 private:
  template <typename Predicate>
  std::string_view TakeWhile(const Predicate& predicate) {
    size_t length = 0;
    while (length < rest_.size() && predicate(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  void SkipSpaces() { TakeWhile(IsSpace); }

  std::string_view rest_;
  std::string_view all_;
};

Result<std::string> TakeName(Reader& reader) {
  const std::string_view name = reader.TakeWord();
  if (name.empty() || IsDigit(name[0])) return reader.Expected("a name");
  if (!reader.Take(":")) return reader.Expected("':'");
  return std::string(name);
}

// After "{": types and groups of types, or quoted strings, up to "}".
Status TakeChoices(Reader& reader, AttrDef* attr) {
  std::string text;
  if (reader.TakeQuoted(&text)) {
    attr->kind = AttrKind::kString;
    do {
      attr->allowed_strings.push_back(text);
    } while (reader.Take(",") && reader.TakeQuoted(&text));
  } else {
    attr->kind = AttrKind::kType;
    do {
      const std::string_view word = reader.TakeWord();
      const std::span<const DType> group = TypeGroup(word);
      attr->allowed_types.insert(attr->allowed_types.end(), group.begin(), group.end());
      if (!group.empty()) continue;
      const std::optional<DType> dtype = DTypeFromName(word);
      if (!dtype.has_value()) return reader.Expected("a dtype or a quoted string");
      attr->allowed_types.push_back(*dtype);
    } while (reader.Take(","));
  }
  return reader.Take("}") ? Status() : reader.Expected("'}'");
}

struct KindName {
  std::string_view name;
  AttrKind kind;
};
constexpr KindName kKinds[] = {
    {"string", AttrKind::kString}, {"int", AttrKind::kInt},       {"float", AttrKind::kFloat},
    {"bool", AttrKind::kBool},     {"type", AttrKind::kType},     {"shape", AttrKind::kShape},
    {"tensor", AttrKind::kTensor}, {"func", AttrKind::kFunction},
};

Status TakeElementKind(Reader& reader, AttrDef* attr) {
  if (reader.Take("{")) return TakeChoices(reader, attr);
  const std::string_view word = reader.TakeWord();
  const std::span<const DType> group = TypeGroup(word);
  if (!group.empty()) {
    attr->kind = AttrKind::kType;
    attr->allowed_types.assign(group.begin(), group.end());
    return Status();
  }
  for (const KindName& known : kKinds) {
    if (known.name != word) continue;
    attr->kind = known.kind;
    return Status();
  }
  return reader.Expected("the kind of an attr");
}

AttrKind ListOf(AttrKind element) {
  return static_cast<AttrKind>(static_cast<int>(element) - static_cast<int>(AttrKind::kString) +
                               static_cast<int>(AttrKind::kListString));
}

AttrKind ElementOf(AttrKind list) {
  return static_cast<AttrKind>(static_cast<int>(list) - static_cast<int>(AttrKind::kListString) +
                               static_cast<int>(AttrKind::kString));
}

bool IsList(AttrKind kind) { return kind >= AttrKind::kListString; }

Status TakeKind(Reader& reader, AttrDef* attr) {
  if (!reader.Take("list(")) return TakeElementKind(reader, attr);
  TAGFLOW_RETURN_IF_ERROR(TakeElementKind(reader, attr));
  attr->kind = ListOf(attr->kind);
  return reader.Take(")") ? Status() : reader.Expected("')'");
}

Result<PartialShape> TakeShape(Reader& reader) {
  if (!reader.Take("{")) return reader.Expected("a shape");
  const bool unknown = reader.Take("unknown_rank") && reader.Take(":") && reader.Take("true");
  if (!reader.Take("}")) return reader.Expected("'}'");
  return unknown ? PartialShape() : PartialShape::Scalar();
}

Result<AttrValue> TakeElement(Reader& reader, AttrKind kind) {
  std::string text;
  int64_t integer = 0;
  float real = 0;
  switch (kind) {
    case AttrKind::kString:
      if (!reader.TakeQuoted(&text)) return reader.Expected("a quoted string");
      return AttrValue(std::move(text));
    case AttrKind::kInt:
      if (!reader.TakeNumber(&integer)) return reader.Expected("an int");
      return AttrValue(integer);
    case AttrKind::kFloat:
      if (!reader.TakeNumber(&real)) return reader.Expected("a float");
      return AttrValue(real);
    case AttrKind::kBool:
      if (reader.Take("true")) return AttrValue(true);
      if (reader.Take("false")) return AttrValue(false);
      return reader.Expected("true or false");
    case AttrKind::kType: {
      const std::optional<DType> dtype = DTypeFromName(reader.TakeWord());
      if (!dtype.has_value()) return reader.Expected("a dtype");
      return AttrValue(*dtype);
    }
    case AttrKind::kShape: {
      TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, TakeShape(reader));
      return AttrValue(std::move(shape));
    }
    default:
      return reader.Expected("no default for this kind");
  }
}

void Append(const AttrValue& element, AttrList* list) {
  if (const auto* text = element.Get<std::string>()) list->strings.push_back(*text);
  if (const auto* integer = element.Get<int64_t>()) list->ints.push_back(*integer);
  if (const auto* real = element.Get<float>()) list->floats.push_back(*real);
  if (const auto* truth = element.Get<bool>()) list->bools.push_back(*truth);
  if (const auto* type = element.Get<ArgType>()) list->types.push_back(*type);
  if (const auto* shape = element.Get<PartialShape>()) list->shapes.push_back(*shape);
}

Result<AttrValue> TakeDefault(Reader& reader, AttrKind kind) {
  if (!IsList(kind)) return TakeElement(reader, kind);
  AttrList list;
  if (!reader.Take("[")) return reader.Expected("'['");
  if (reader.Take("]")) return AttrValue(std::move(list));
  do {
    TAGFLOW_ASSIGN_OR_RETURN(const AttrValue element, TakeElement(reader, ElementOf(kind)));
    Append(element, &list);
  } while (reader.Take(","));
  if (!reader.Take("]")) return reader.Expected("']'");
  return AttrValue(std::move(list));
}

// The type part of an argument: a dtype or the name of an attr.
Status TakeArgType(Reader& reader, const std::vector<AttrDef>& attrs, ArgDef* arg) {
  auto attr_kind = [&](std::string_view name) -> std::optional<AttrKind> {
    for (const AttrDef& attr : attrs) {
      if (attr.name == name) return attr.kind;
    }
    return std::nullopt;
  };
  std::string_view word = reader.TakeWord();
  if (reader.Take("*")) {
    if (attr_kind(word) != AttrKind::kInt) {
      return reader.Expected("an int attr before '*', not '" + std::string(word) + "',");
    }
    arg->number_attr = word;
    word = reader.TakeWord();
  }
  // Attrs first: an attr may be named as a dtype is.
  if (const std::optional<AttrKind> kind = attr_kind(word); kind == AttrKind::kType) {
    arg->type_attr = word;
  } else if (kind == AttrKind::kListType && arg->number_attr.empty()) {
    arg->type_list_attr = word;
  } else if (const std::optional<DType> dtype = DTypeFromName(word);
             dtype.has_value() && !kind.has_value()) {
    arg->dtype = *dtype;
  } else {
    return reader.Expected("a dtype or a type attr, not '" + std::string(word) + "',");
  }
  return Status();
}

}  // namespace

Result<AttrDef> ParseAttrSpec(std::string_view spec) {
  Reader reader(spec);
  AttrDef attr;
  TAGFLOW_ASSIGN_OR_RETURN(attr.name, TakeName(reader));
  TAGFLOW_RETURN_IF_ERROR(TakeKind(reader, &attr));
  if (reader.Take(">=")) {
    int64_t minimum = 0;
    if (attr.kind != AttrKind::kInt && !IsList(attr.kind)) {
      return reader.Expected("no minimum for this kind");
    }
    if (!reader.TakeNumber(&minimum)) return reader.Expected("an int");
    attr.minimum = minimum;
  }
  if (reader.Take("=")) {
    TAGFLOW_ASSIGN_OR_RETURN(attr.default_value, TakeDefault(reader, attr.kind));
  }
  if (!reader.AtEnd()) return reader.Expected("the end");
  return attr;
}

Result<ArgDef> ParseArgSpec(std::string_view spec, const std::vector<AttrDef>& attrs) {
  Reader reader(spec);
  ArgDef arg;
  TAGFLOW_ASSIGN_OR_RETURN(arg.name, TakeName(reader));
  arg.is_ref = reader.Take("Ref(");
  TAGFLOW_RETURN_IF_ERROR(TakeArgType(reader, attrs, &arg));
  if (arg.is_ref && !reader.Take(")")) return reader.Expected("')'");
  if (!reader.AtEnd()) return reader.Expected("the end");
  return arg;
}

}  // namespace tagflow
