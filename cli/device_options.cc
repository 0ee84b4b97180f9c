#include "cli/device_options.h"

#include <algorithm>

#include "cli/stats_table.h"

namespace tagflow::cli {
namespace {

std::string Counted(int64_t count, const std::string& what) {
  return CountText(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string KindsText(const optimized::DeviceKinds& kinds) {
  std::string text = "\nKinds of devices:\n";
  for (const auto& kind : kinds) {
    const std::string help = kind->help();
    for (size_t begin = 0; begin < help.size();) {
      const size_t end = std::min(help.find('\n', begin), help.size());
      text += "  " + help.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
  }
  return text;
}

std::string DeviceText(const optimized::DeviceReport& report) {
  std::string text;
  for (const std::string& missing : report.missing) text += missing + "\n";
  if (report.devices.empty()) return text;
  const bool is_virtual = report.virtual_ns != optimized::DeviceReport::kRealTime;
  if (is_virtual) text += TimeText(static_cast<double>(report.virtual_ns)) + " of virtual time\n";
  for (const optimized::DeviceStats& device : report.devices) {
    text += device.device + ": " + Counted(device.kernels, "kernel");
    if (is_virtual) text += " in " + TimeText(static_cast<double>(device.busy_ns));
    text += ", at most " + Counted(device.memory.bytes_resident_max, "byte");
    if (device.swapped_out > 0) {
      text += ", " + CountText(device.swapped_out) + " tensors swapped out and " +
              CountText(device.swapped_in) + " back";
    }
    text += "\n";
  }
  for (const std::string& note : report.notes) text += note + "\n";
  return text;
}

}  // namespace tagflow::cli
