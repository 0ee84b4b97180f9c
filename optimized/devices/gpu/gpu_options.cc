#include "optimized/devices/gpu/gpu_options.h"

#include <charconv>
#include <string>

namespace tagflow::optimized {
namespace {

template <typename Number>
bool Read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Whether there is such a field, and it may be this.
bool Set(std::string_view field, GpuOptions& options) {
  const size_t equals = field.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = field.substr(0, equals), value = field.substr(equals + 1);
  if (name == "memory_bytes") return Read(value, options.memory_bytes) && options.memory_bytes >= 0;
  if (name == "swap_above") {
    return Read(value, options.swap_above) && options.swap_above > 0 && options.swap_above <= 1;
  }
  options.swaps = value == "1";
  return name == "swaps" && (value == "0" || value == "1");
}

}  // namespace

Result<GpuOptions> ParseGpuOptions(std::string_view text) {
  GpuOptions options;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    if (!Set(rest.substr(0, comma), options)) {
      return InvalidArgument("'" + std::string(text) +
                             "' are no options of devices of kind GPU: write memory_bytes=NUMBER, "
                             "swaps=0 or 1, swap_above=SHARE of (0, 1], with commas between");
    }
    if (comma == std::string_view::npos) return options;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace tagflow::optimized
