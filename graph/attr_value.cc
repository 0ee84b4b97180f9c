#include "graph/attr_value.h"

#include <algorithm>
#include <charconv>

namespace tagflow {
namespace {

std::string Quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\x";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string FloatText(float value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

std::string FunctionText(const NameAttrList& function) {
  std::string text = function.name + "{";
  for (size_t i = 0; i < function.attrs.size(); ++i) {
    if (i > 0) text += ", ";
    text += function.attrs[i].first + "=" + function.attrs[i].second.ToString();
  }
  return text + "}";
}

template <typename List, typename ToText>
std::string Joined(const char* kind, const List& list, const ToText& to_text) {
  std::string text = std::string("list(") + kind + ")[";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ", ";
    text += to_text(list[i]);
  }
  return text + "]";
}

std::string ListText(const AttrList& list) {
  auto to_string = [](const auto& element) { return element.ToString(); };
  if (!list.strings.empty()) return Joined("string", list.strings, Quoted);
  if (!list.ints.empty()) {
    return Joined("int", list.ints, [](int64_t value) { return std::to_string(value); });
  }
  if (!list.floats.empty()) return Joined("float", list.floats, FloatText);
  if (!list.bools.empty()) {
    return Joined("bool", list.bools, [](bool value) { return value ? "true" : "false"; });
  }
  if (!list.types.empty()) return Joined("type", list.types, ArgTypeName);
  if (!list.shapes.empty()) return Joined("shape", list.shapes, to_string);
  if (!list.tensors.empty()) {
    return Joined("tensor", list.tensors, [](const Tensor& t) { return t.DebugString(); });
  }
  if (!list.functions.empty()) {
    return Joined("func", list.functions, [](const auto& f) { return FunctionText(*f); });
  }
  return "[]";
}

struct ToText {
  std::string operator()(std::monostate) const { return "<nothing>"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(float value) const { return FloatText(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const ArgType& type) const { return ArgTypeName(type); }
  std::string operator()(const std::string& value) const { return Quoted(value); }
  std::string operator()(const PartialShape& shape) const { return shape.ToString(); }
  std::string operator()(const Tensor& tensor) const { return tensor.DebugString(); }
  std::string operator()(const std::shared_ptr<const AttrList>& list) const {
    return ListText(*list);
  }
  std::string operator()(const std::shared_ptr<const NameAttrList>& function) const {
    return FunctionText(*function);
  }
  std::string operator()(const AttrPlaceholder& placeholder) const {
    return "$" + placeholder.name;
  }
  std::string operator()(const OpaqueAttr& opaque) const {
    return "<" + std::to_string(opaque.bytes.size()) + " bytes not understood>";
  }
};

bool SameFloat(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

bool Same(const NameAttrList& a, const NameAttrList& b) {
  return a.name == b.name && a.attrs == b.attrs;
}

bool Same(const AttrList& a, const AttrList& b) {
  return a.strings == b.strings && a.ints == b.ints && a.bools == b.bools && a.types == b.types &&
         a.shapes == b.shapes && std::ranges::equal(a.floats, b.floats, SameFloat) &&
         std::ranges::equal(a.tensors, b.tensors, BitwiseEqual) &&
         std::ranges::equal(a.functions, b.functions,
                            [](const auto& f, const auto& g) { return Same(*f, *g); });
}

struct SameAlternative {
  template <typename A, typename B>
  bool operator()(const A&, const B&) const {
    return false;
  }
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
  bool operator()(float a, float b) const { return SameFloat(a, b); }
  bool operator()(const Tensor& a, const Tensor& b) const { return BitwiseEqual(a, b); }
  bool operator()(const std::shared_ptr<const AttrList>& a,
                  const std::shared_ptr<const AttrList>& b) const {
    return Same(*a, *b);
  }
  bool operator()(const std::shared_ptr<const NameAttrList>& a,
                  const std::shared_ptr<const NameAttrList>& b) const {
    return Same(*a, *b);
  }
  bool operator()(const AttrPlaceholder& a, const AttrPlaceholder& b) const {
    return a.name == b.name;
  }
  bool operator()(const OpaqueAttr& a, const OpaqueAttr& b) const { return a.bytes == b.bytes; }
};

}  // namespace

std::string AttrValue::ToString() const { return std::visit(ToText(), value_); }

bool operator==(const AttrValue& a, const AttrValue& b) {
  if (a.value().index() != b.value().index()) return false;
  return std::visit(SameAlternative(), a.value(), b.value());
}

}  // namespace tagflow
