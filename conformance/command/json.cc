#include "conformance/command/json.h"

#include <cstdio>

#include "graph/utf8.h"

namespace tagflow {

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const char c = text[0];
    if (length == 0) {
      json += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (c >= 0 && c < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
      json += escaped;
    } else {
      json += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return json + "\"";
}

std::string JsonArray(const std::vector<std::string>& elements) {
  std::string text = "[";
  for (const std::string& element : elements) text += (text.size() > 1 ? "," : "") + element;
  return text + "]";
}

JsonObject& JsonObject::Raw(std::string_view key, std::string_view value) {
  text_ += text_.empty() ? "{" : ",";
  text_ += JsonString(key) + ":";
  text_ += value;
  return *this;
}

}  // namespace tagflow
