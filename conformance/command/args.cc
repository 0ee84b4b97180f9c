#include "conformance/command/args.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace tagflow {
namespace {

const OptionSpec* FindSpec(const std::vector<OptionSpec>& specs, std::string_view name) {
  for (const OptionSpec& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

template <typename T>
Result<T> Number(std::string_view option, const std::string& text, T least, T most,
                 std::string_view wanted) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  // Written so that NaN is refused.
  if (whole && value >= least && value <= most) return value;
  return InvalidArgument(std::string(option) + " takes " + std::string(wanted) + ", not '" + text +
                         "'");
}

}  // namespace

Result<Args> Args::Parse(const std::vector<std::string>& words,
                         const std::vector<OptionSpec>& specs) {
  Args args;
  bool operands_only = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_option = word.starts_with("--") || FindSpec(specs, word) != nullptr;
    if (operands_only || !is_option) {
      args.operands_.push_back(word);
      continue;
    }
    if (word == "--") {
      operands_only = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const OptionSpec* const spec = FindSpec(specs, name);
    if (spec == nullptr) return InvalidArgument("there is no option " + name);
    if (!spec->takes_value && equals != word.npos) {
      return InvalidArgument(name + " takes no value");
    }
    if (spec->takes_value && equals == word.npos && i + 1 == words.size()) {
      return InvalidArgument(name + " needs a value");
    }
    std::string value;
    if (spec->takes_value) value = equals != word.npos ? word.substr(equals + 1) : words[++i];
    args.options_.push_back({name, std::move(value), spec->takes_value});
  }
  return args;
}

bool Args::Has(std::string_view option) const {
  return std::ranges::any_of(options_, [&](const Given& given) { return given.name == option; });
}

std::vector<std::string> Args::All(std::string_view option) const {
  std::vector<std::string> values;
  for (const Given& given : options_) {
    if (given.name == option) values.push_back(given.value);
  }
  return values;
}

std::string Args::Last(std::string_view option, std::string_view otherwise) const {
  const std::vector<std::string> values = All(option);
  return values.empty() ? std::string(otherwise) : values.back();
}

Result<int64_t> Args::Int(std::string_view option, int64_t otherwise, int64_t least,
                          int64_t most) const {
  if (!Has(option)) return otherwise;
  std::string wanted = "a whole number of at least " + std::to_string(least);
  if (most < std::numeric_limits<int64_t>::max()) wanted += " and at most " + std::to_string(most);
  return Number<int64_t>(option, Last(option), least, most, wanted);
}

Result<double> Args::Seconds(std::string_view option, double otherwise) const {
  constexpr double kWeek = 7 * 86400;
  if (!Has(option)) return otherwise;
  return Number<double>(option, Last(option), 0.0, kWeek, "a number of seconds, a week at most");
}

Result<double> Args::Fraction(std::string_view option, double otherwise) const {
  if (!Has(option)) return otherwise;
  return Number<double>(option, Last(option), 0.0, 1.0, "a number from 0 to 1");
}

Status Args::RefuseEmpty() const {
  for (const Given& given : options_) {
    if (given.takes_value && given.value.empty()) {
      return InvalidArgument(given.name + " is given nothing");
    }
  }
  return Status();
}

}  // namespace tagflow
