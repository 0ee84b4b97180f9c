#include "optimized/devices/gpu/gpu_options.h"

#include <charconv>
#include <string>

namespace tagflow::optimized {

Result<GpuOptions> ParseGpuOptions(std::string_view text) {
  constexpr std::string_view kName = "memory_bytes=";
  GpuOptions options;
  if (text.starts_with(kName)) {
    const std::string_view number = text.substr(kName.size());
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), options.memory_bytes);
    const bool is_number = error == std::errc() && end == number.data() + number.size();
    if (is_number && options.memory_bytes >= 0) return options;
  }
  return InvalidArgument("'" + std::string(text) +
                         "' is no option of devices of kind GPU: write memory_bytes=NUMBER");
}

}  // namespace tagflow::optimized
