#ifndef TAGFLOW_CONFORMANCE_COMMAND_JSON_H_
#define TAGFLOW_CONFORMANCE_COMMAND_JSON_H_

// JSON as the commands write it.   Tested by json_test.cc.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tagflow {

// A JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

// Elements in brackets, each JSON already.
std::string JsonArray(const std::vector<std::string>& elements);

// "key":value pairs in braces.
class JsonObject {
 public:
  // value: JSON already
  JsonObject& Raw(std::string_view key, std::string_view value);
  JsonObject& Text(std::string_view key, std::string_view value) {
    return Raw(key, JsonString(value));
  }
  JsonObject& Count(std::string_view key, uint64_t value) {
    return Raw(key, std::to_string(value));
  }
  std::string End() const { return (text_.empty() ? "{" : text_) + "}"; }

 private:
  std::string text_;
};

}  // namespace tagflow

#endif  // TAGFLOW_CONFORMANCE_COMMAND_JSON_H_
