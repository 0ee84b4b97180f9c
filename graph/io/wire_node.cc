#include "graph/io/wire_node.h"

#include <cstdint>
#include <cstring>

#include "graph/dtype.h"

namespace tagflow {
namespace {

// Tags of the fields read here: a number, and how its value is written (0 varint, 2 length and
// bytes, 5 four bytes).
constexpr uint8_t Tag(int field, int wire_type) {
  return static_cast<uint8_t>(field << 3 | wire_type);
}

bool IsAscii(std::string_view text) {
  unsigned char all = 0;
  for (char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

class Cursor {
 public:
  explicit Cursor(std::string_view bytes)
      : place_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool done() const { return place_ == end_; }
  const char* place() const { return place_; }

  // A tag below 128, that is of field 15 or less; 0 when there is none.
  uint8_t Tag() {
    if (place_ == end_ || static_cast<unsigned char>(*place_) >= 0x80) return 0;
    return static_cast<uint8_t>(*place_++);
  }

  bool Varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && place_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*place_++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  bool Bytes(std::string_view& bytes) {
    uint64_t length;
    if (!Varint(length) || length > static_cast<uint64_t>(end_ - place_)) return false;
    bytes = std::string_view(place_, static_cast<size_t>(length));
    place_ += length;
    return true;
  }

  bool Text(std::string_view& text) { return Bytes(text) && IsAscii(text); }

  bool Float(float& value) {
    if (end_ - place_ < 4) return false;
    std::memcpy(&value, place_, 4);
    place_ += 4;
    return true;
  }

 private:
  const char* place_;
  const char* end_;
};

bool ReadAttrEntry(std::string_view bytes, WireNode& node) {
  Cursor cursor(bytes);
  std::string_view name, value;
  if (cursor.Tag() != Tag(1, 2) || !cursor.Text(name)) return false;
  if (cursor.Tag() != Tag(2, 2) || !cursor.Bytes(value) || !cursor.done()) return false;
  node.attrs.emplace_back(name, value);
  return true;
}

bool ReadType(uint64_t number, AttrValue& attr) {
  constexpr uint64_t kRefOffset = 100;
  const bool is_ref = number > kRefOffset;
  const uint64_t base = is_ref ? number - kRefOffset : number;
  if (base > 0xff || !IsKnownDType(static_cast<int>(base))) return false;
  attr = AttrValue(ArgType{static_cast<DType>(base), is_ref});
  return true;
}

}  // namespace

bool SplitGraph(std::string_view bytes, WireGraph& graph) {
  Cursor cursor(bytes);
  while (!cursor.done()) {
    const char* begin = cursor.place();
    const uint8_t tag = cursor.Tag();
    std::string_view field;
    uint64_t number;
    switch (tag & 7) {
      case 2:
        if (!cursor.Bytes(field)) return false;
        break;
      case 0:
        if (tag == 0 || !cursor.Varint(number)) return false;
        break;
      default:
        return false;
    }
    if (tag == Tag(1, 2)) {
      graph.nodes.push_back(field);
    } else {
      graph.rest.append(begin, cursor.place());
    }
  }
  return true;
}

bool ReadNode(std::string_view bytes, WireNode& node) {
  node.name = node.op = node.device = {};
  node.inputs.clear();
  node.attrs.clear();
  std::string_view field;
  for (Cursor cursor(bytes); !cursor.done();) {
    bool read = false;
    switch (cursor.Tag()) {
      case Tag(1, 2):
        read = cursor.Text(node.name);
        break;
      case Tag(2, 2):
        read = cursor.Text(node.op);
        break;
      case Tag(3, 2):
        read = cursor.Text(node.inputs.emplace_back());
        break;
      case Tag(4, 2):
        read = cursor.Text(node.device);
        break;
      case Tag(5, 2):
        read = cursor.Bytes(field) && ReadAttrEntry(field, node);
        break;
      default:
        break;
    }
    if (!read) return false;
  }
  return true;
}

bool ReadSimpleAttr(std::string_view bytes, AttrValue& attr) {
  Cursor cursor(bytes);
  uint64_t number;
  float real;
  std::string_view text;
  switch (cursor.Tag()) {
    case Tag(2, 2):
      if (!cursor.Bytes(text)) return false;
      attr = AttrValue(std::string(text));
      break;
    case Tag(3, 0):
      if (!cursor.Varint(number)) return false;
      attr = AttrValue(static_cast<int64_t>(number));
      break;
    case Tag(4, 5):
      if (!cursor.Float(real)) return false;
      attr = AttrValue(real);
      break;
    case Tag(5, 0):
      if (!cursor.Varint(number)) return false;
      attr = AttrValue(number != 0);
      break;
    case Tag(6, 0):
      if (!cursor.Varint(number) || !ReadType(number, attr)) return false;
      break;
    default:
      return false;
  }
  return cursor.done();
}

}  // namespace tagflow
