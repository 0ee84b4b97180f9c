#include "optimized/devices/sim/sim_options.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <string>

namespace tagflow::optimized {
namespace {

using SetField = std::function<void(SimOptions& options, double value)>;

const std::map<std::string, SetField, std::less<>>& Fields() {
  static const auto& fields = *new std::map<std::string, SetField, std::less<>>{
      {"memory_bytes", [](auto& o, double v) { o.memory_bytes = std::llround(v); }},
      {"kernel_ns", [](auto& o, double v) { o.kernel_ns = std::llround(v); }},
      {"kernel_ns_per_byte", [](auto& o, double v) { o.kernel_ns_per_byte = v; }},
      {"transfer_ns", [](auto& o, double v) { o.transfer_ns = std::llround(v); }},
      {"transfer_ns_per_byte", [](auto& o, double v) { o.transfer_ns_per_byte = v; }},
      {"jitter", [](auto& o, double v) { o.jitter = v; }},
      {"swaps", [](auto& o, double v) { o.swaps = v != 0; }},
      {"swap_above", [](auto& o, double v) { o.swap_above = v; }},
  };
  return fields;
}

Status NoSuchField(std::string_view field) {
  std::string names;
  for (const auto& [name, set] : Fields()) names += " " + name;
  return InvalidArgument("devices of kind SIM have no option '" + std::string(field) +
                         "': write NAME=NUMBER, of" + names);
}

Status Set(std::string_view field, SimOptions& options) {
  const size_t equals = field.find('=');
  const auto found = Fields().find(field.substr(0, equals));
  if (equals == std::string_view::npos || found == Fields().end()) return NoSuchField(field);
  const std::string_view text = field.substr(equals + 1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !(std::abs(value) < 1e18)) return NoSuchField(field);
  found->second(options, value);
  return Status();
}

}  // namespace

Result<SimOptions> ParseSimOptions(std::string_view text) {
  SimOptions options;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    TAGFLOW_RETURN_IF_ERROR(Set(text.substr(0, comma), options));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return options;
}

Status CheckSimOptions(const SimOptions& options) {
  const bool makes_sense = options.memory_bytes >= 0 && options.kernel_ns >= 0 &&
                           options.kernel_ns_per_byte >= 0 && options.transfer_ns >= 0 &&
                           options.transfer_ns_per_byte >= 0 && options.jitter >= 0 &&
                           options.swap_above > 0 && options.swap_above <= 1;
  if (makes_sense) return Status();
  return InvalidArgument(
      "a simulated device has no times or bytes below 0, and swap_above is in (0, 1]");
}

}  // namespace tagflow::optimized
