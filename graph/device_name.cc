#include "graph/device_name.h"

#include <algorithm>
#include <charconv>

namespace tagflow {
namespace {

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

Status BadPart(std::string_view part, std::string_view text) {
  return InvalidArgument("'" + std::string(part) + "' in device '" + std::string(text) +
                         "' is no part of a device name: write it as "
                         "/job:NAME/replica:N/task:N/device:KIND:N, or some of that");
}

// A number, or nothing for "*".
bool ParseNumber(std::string_view text, std::optional<int>& number) {
  if (text == "*") return true;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return false;
  number = value;
  return true;
}

// "KIND", "KIND:N" or "KIND:*".
bool ParseKind(std::string_view text, DeviceName& name) {
  const size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (kind.empty()) return false;
  if (kind != "*") name.kind = Upper(kind);
  return colon == std::string_view::npos || ParseNumber(text.substr(colon + 1), name.index);
}

bool ParsePart(std::string_view part, DeviceName& name) {
  const size_t colon = part.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view key = part.substr(0, colon);
  const std::string_view value = part.substr(colon + 1);
  if (key == "job") {
    if (value.empty()) return false;
    if (value != "*") name.job = std::string(value);
    return true;
  }
  if (key == "replica") return ParseNumber(value, name.replica);
  if (key == "task") return ParseNumber(value, name.task);
  if (key == "device") return ParseKind(value, name);
  const std::string kind = Upper(key);
  return (kind == "CPU" || kind == "GPU") && ParseKind(part, name);
}

// What a device leaves out, and what it is then.
template <typename T>
bool Fits(const std::optional<T>& there, const T& otherwise, const std::optional<T>& asked) {
  return !asked.has_value() || there.value_or(otherwise) == *asked;
}

}  // namespace

Result<DeviceName> ParseDeviceName(std::string_view text) {
  DeviceName name;
  size_t at = 0;
  while (at < text.size()) {
    const size_t begin = text[at] == '/' ? at + 1 : at;
    if (begin == at && at != 0) return BadPart(text.substr(at), text);
    const size_t end = std::min(text.find('/', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (!ParsePart(part, name)) return BadPart(part, text);
    at = end;
  }
  return name;
}

bool Satisfies(const DeviceName& there, const DeviceName& asked) {
  return Fits(there.job, std::string("localhost"), asked.job) &&
         Fits(there.replica, 0, asked.replica) && Fits(there.task, 0, asked.task) &&
         Fits(there.kind, std::string("CPU"), asked.kind) && Fits(there.index, 0, asked.index);
}

Status CheckDeviceIsThere(std::string_view asked, const std::vector<std::string>& there) {
  TAGFLOW_ASSIGN_OR_RETURN(const DeviceName wanted, ParseDeviceName(asked));
  std::string list;
  for (const std::string& device : there) {
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceName name, ParseDeviceName(device));
    if (Satisfies(name, wanted)) return Status();
    list += (list.empty() ? "" : ", ") + device;
  }
  return InvalidArgument(
      "device '" + std::string(asked) + "' is not there: there are " + list +
      "; place the node on one of these, or on none in particular, or allow soft "
      "placement");
}

}  // namespace tagflow
