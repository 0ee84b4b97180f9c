#ifndef TAGFLOW_GRAPH_SAVED_SPLIT_TEXT_H_
#define TAGFLOW_GRAPH_SAVED_SPLIT_TEXT_H_

// Texts in parts, and parts as whole numbers: lines of vocabularies, slices of checkpoints.

#include <charconv>
#include <concepts>
#include <string_view>
#include <vector>

namespace tagflow {

// Splits a text at each mark: n marks give n + 1 parts, of which some may be empty.
inline std::vector<std::string_view> SplitText(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = text.find(mark, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  return parts;
}

// "-12" or "+12". False where the text is no number, or none that T holds.
template <std::integral T>
bool ParseInteger(std::string_view text, T& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_SPLIT_TEXT_H_
