#include "graph/io/wire_scan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/limits.h"
#include "graph/utf8.h"

namespace tagflow {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

enum WireType {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

class Scanner {
 public:
  explicit Scanner(std::string_view bytes) : bytes_(bytes) {}

  // Reads the message that fills [place_, end).
  bool Message(const Descriptor* type, size_t end) {
    if (++depth_ > kMostNestedMessages)
      return Fail("messages are nested more than " + std::to_string(kMostNestedMessages) + " deep");
    std::map<int, int> counts;
    while (place_ < end) {
      field_start_ = place_;
      uint64_t tag;
      if (!Varint(end, tag)) return false;
      const int number = static_cast<int>(tag >> 3);
      if (number <= 0 || tag > UINT32_MAX) return Fail("this is not a field's number");
      const FieldDescriptor* field = type == nullptr ? nullptr : type->FindFieldByNumber(number);
      path_.push_back(Segment(field, number, counts[number]++));
      if (!Value(field, static_cast<WireType>(tag & 7), end)) return false;
      path_.pop_back();
    }
    --depth_;
    return true;
  }

  const std::string& error() const { return error_; }

 private:
  static std::string Segment(const FieldDescriptor* field, int number, int index) {
    if (field == nullptr) return "field " + std::to_string(number);
    return field->is_repeated() ? field->name() + "[" + std::to_string(index) + "]" : field->name();
  }

  bool Value(const FieldDescriptor* field, WireType wire, size_t end) {
    uint64_t ignored;
    switch (wire) {
      case kVarint:
        return Varint(end, ignored);
      case kFixed64:
        return Skip(8, end);
      case kFixed32:
        return Skip(4, end);
      case kBytes:
        return Delimited(field, end);
      default:
        return Fail("wire type " + std::to_string(wire) + " is not used in this format");
    }
  }

  bool Delimited(const FieldDescriptor* field, size_t end) {
    uint64_t length;
    if (!Varint(end, length)) return false;
    if (length > end - place_) {
      return Fail("the field says that it has " + std::to_string(length) + " bytes, and " +
                  std::to_string(end - place_) + " are left");
    }
    const size_t field_end = place_ + static_cast<size_t>(length);
    if (field != nullptr && field->message_type() != nullptr) {
      return Message(field->message_type(), field_end);
    }
    if (field != nullptr && field->type() == FieldDescriptor::TYPE_STRING &&
        !IsUtf8(bytes_.substr(place_, field_end - place_))) {
      return Fail("the text is not UTF-8");
    }
    if (field != nullptr && field->is_packable() && !Packed(field, field_end)) return false;
    place_ = field_end;
    return true;
  }

  bool Packed(const FieldDescriptor* field, size_t end) {
    const FieldDescriptor::CppType type = field->cpp_type();
    if (type == FieldDescriptor::CPPTYPE_FLOAT || type == FieldDescriptor::CPPTYPE_DOUBLE ||
        field->type() == FieldDescriptor::TYPE_FIXED64) {
      const size_t width = type == FieldDescriptor::CPPTYPE_FLOAT ? 4 : 8;
      return (end - place_) % width == 0 ||
             Fail("the numbers do not fill the field's " + std::to_string(end - place_) + " bytes");
    }
    uint64_t ignored;
    while (place_ < end) {
      if (!Varint(end, ignored)) return false;
    }
    return true;
  }

  bool Varint(size_t end, uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (place_ == end) return Fail("a number breaks off");
      const auto byte = static_cast<unsigned char>(bytes_[place_++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << (shift < 64 ? shift : 63);
      if (byte < 0x80) return true;
    }
    return Fail("a number has more than 10 bytes");
  }

  bool Skip(size_t count, size_t end) {
    if (end - place_ < count) return Fail("a number breaks off");
    place_ += count;
    return true;
  }

  bool Fail(const std::string& why) {
    error_ = "byte " + std::to_string(field_start_);
    for (size_t i = 0; i < path_.size(); ++i) error_ += (i == 0 ? ", in " : ".") + path_[i];
    error_ += ": " + why;
    return false;
  }

  std::string_view bytes_;
  size_t place_ = 0;
  size_t field_start_ = 0;
  int depth_ = 0;
  std::vector<std::string> path_;
  std::string error_;
};

}  // namespace

std::string DescribeBadWire(std::string_view bytes, const Descriptor* type) {
  Scanner scanner(bytes);
  scanner.Message(type, bytes.size());
  return scanner.error();
}

}  // namespace tagflow
