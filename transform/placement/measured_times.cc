#include "transform/placement/measured_times.h"

#include <charconv>
#include <cmath>
#include <vector>

namespace tagflow {
namespace {

std::vector<std::string_view> WordsOf(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  while (true) {
    const size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

bool ParseAmount(std::string_view word, double& amount) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), amount);
  return error == std::errc() && end == word.data() + word.size() && std::isfinite(amount) &&
         amount >= 0;
}

std::string AmountText(double amount) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), amount);
  return std::string(text, end);
}

}  // namespace

Result<MeasuredTimes> ParseMeasuredTimes(std::string_view text) {
  MeasuredTimes times;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = WordsOf(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    const std::string where = "line " + std::to_string(number) + " of the measured times ";
    MeasuredTime time;
    if (words.size() != 3 || !ParseAmount(words[1], time.mean_ns) ||
        !ParseAmount(words[2], time.firings)) {
      return InvalidArgument(where +
                             "is not a node's name, mean nanoseconds and firings of a step");
    }
    if (!times.emplace(words[0], time).second) {
      return InvalidArgument(where + "names node '" + std::string(words[0]) + "' again");
    }
  }
  return times;
}

std::string MeasuredTimesText(const MeasuredTimes& times) {
  std::string text = "# node, mean ns, firings of a step\n";
  for (const auto& [node, time] : times) {
    text += node + " " + AmountText(time.mean_ns) + " " + AmountText(time.firings) + "\n";
  }
  return text;
}

}  // namespace tagflow
