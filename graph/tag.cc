#include "graph/tag.h"

#include <charconv>

namespace tagflow {
namespace {

constexpr std::string_view kTagSpecials = "\\/[]";

bool IsSpecial(char c) { return kTagSpecials.find(c) != std::string_view::npos; }

void AppendEscaped(std::string_view text, std::string_view specials, std::string& out) {
  for (char c : text) {
    if (specials.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
}

// Each Consume function takes what it reads off the front of `text`; false when it is not there.

bool ConsumeFrameName(std::string_view& text, std::string& name) {
  while (!text.empty() && text[0] != '[') {
    const bool escaped = text[0] == '\\';
    if (escaped) text.remove_prefix(1);
    // Only specials are escaped, and every one is: so a tag has one text.
    if (text.empty() || IsSpecial(text[0]) != escaped) return false;
    name += text[0];
    text.remove_prefix(1);
  }
  return true;
}

bool ConsumeIteration(std::string_view& text, int64_t& iteration) {
  if (text.size() < 3 || text[0] != '[' || text[1] == '-') return false;
  const char* const begin = text.data() + 1;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), iteration);
  if (error != std::errc() || end == text.data() + text.size() || *end != ']') return false;
  if (*begin == '0' && end != begin + 1) return false;
  text.remove_prefix(static_cast<size_t>(end + 1 - text.data()));
  return true;
}

bool ConsumeStep(std::string_view& text, TagStep& step) {
  return ConsumeFrameName(text, step.frame) && ConsumeIteration(text, step.iteration);
}

}  // namespace

std::string ToString(const Tag& tag) {
  std::string text;
  for (const TagStep& step : tag.path) {
    if (!text.empty()) text += '/';
    AppendEscaped(step.frame, kTagSpecials, text);
    text += '[' + std::to_string(step.iteration) + ']';
  }
  return text;
}

Result<Tag> ParseTag(std::string_view text) {
  Tag tag;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (!tag.path.empty()) {
      if (rest[0] != '/') break;
      rest.remove_prefix(1);
    }
    if (!ConsumeStep(rest, tag.path.emplace_back())) break;
    if (rest.empty()) return tag;
  }
  if (text.empty()) return tag;
  return InvalidArgument("'" + std::string(text) +
                         "' is not a tag: write frame[iteration]/frame[iteration]…, with '\\' "
                         "before each of \\ / [ ] in a frame's name");
}

std::string ToString(const RendezvousKey& key) {
  std::string text;
  for (const std::string* part : {&key.send_device, &key.recv_device, &key.tensor_name}) {
    AppendEscaped(*part, "\\;", text);
    text += ';';
  }
  return text + ToString(key.tag);
}

}  // namespace tagflow
