#include "cli/placing.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "graph/device_name.h"

namespace tagflow::cli {

namespace {

// "CPU", "CPU:1" and "device:CPU:1" as "/device:CPU:0" and "/device:CPU:1"; other names as they
// are.
std::string WholeName(const std::string& name) {
  const size_t colon = std::min(name.find(':'), name.size());
  const auto is_kind = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (name.starts_with("device:")) return "/" + name;
  std::string kind = name.substr(0, colon);
  if (kind.empty() || !std::ranges::all_of(kind, is_kind)) return name;
  const std::string index = colon == name.size() ? "0" : name.substr(colon + 1);
  if (index.empty() || !std::ranges::all_of(index, is_digit)) return name;
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::toupper(c); });
  return "/device:" + kind + ":" + index;
}

// A kind that the library does not know is as CPU.
bool RunsHostKernels(const std::string& kind, const OpLibrary& library) {
  return std::ranges::none_of(*library.device_kinds, [&](const auto& known) {
    return known->name() == kind && !known->runs_host_kernels();
  });
}

}  // namespace

Result<std::vector<std::string>> DevicesOf(const std::string& list) {
  std::vector<std::string> devices;
  size_t begin = 0;
  while (begin <= list.size()) {
    const size_t end = std::min(list.find(',', begin), list.size());
    std::string device = WholeName(list.substr(begin, end - begin));
    if (device.empty()) return InvalidArgument("--devices has an empty name: '" + list + "'");
    if (std::ranges::find(devices, device) != devices.end()) {
      return InvalidArgument("--devices names '" + device + "' twice");
    }
    devices.push_back(std::move(device));
    begin = end + 1;
  }
  return devices;
}

Result<CallSpec> CallOf(const Graph& graph, const Args& args) {
  TAGFLOW_ASSIGN_OR_RETURN(CallSpec call, ResolveCall(graph, args.All("--feed"),
                                                      args.All("--fetch"), args.All("--target")));
  if (call.fetches.empty() && call.targets.empty()) call.targets = graph.NodeIds();
  return call;
}

Result<DeviceCatalog> CatalogOf(const std::vector<std::string>& devices,
                                const std::vector<std::string>& without, const OpLibrary& library) {
  std::set<std::pair<std::string, std::string>> lacking;
  for (const std::string& pair : without) {
    const size_t colon = pair.find(':');
    if (colon == std::string::npos || library.ops->Find(pair.substr(colon + 1)) == nullptr) {
      return InvalidArgument("--without " + pair + ": write it as KIND:OP, such as CUDA:Unique");
    }
    lacking.emplace(pair.substr(0, colon), pair.substr(colon + 1));
  }
  DeviceCatalog catalog;
  std::set<std::string> kinds;  // that run the host's kernels
  for (const std::string& device : devices) {
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceName name, ParseDeviceName(device));
    if (!name.kind.has_value()) {
      return InvalidArgument("device '" + device + "' has no kind: write it as /device:CPU:0");
    }
    catalog.AddDevice({device, *name.kind});
    if (RunsHostKernels(*name.kind, library)) kinds.insert(*name.kind);
  }
  std::vector<const optimized::KernelRegistry*> registries = {library.kernels};
  for (const auto& kind : *library.device_kinds) registries.push_back(kind->kernels());
  for (const optimized::KernelRegistry* const registry : registries) {
    if (registry == nullptr) continue;
    for (const optimized::KernelTarget& own : registry->Targets()) {
      if (!lacking.contains({own.kind, own.op})) catalog.AddKernel(own.op, own.kind, own.dtype);
    }
  }
  for (const std::string& op : library.kernels->Ops()) {
    for (const std::string& kind : kinds) {
      if (!lacking.contains({kind, op})) catalog.AddKernel(op, kind, DType::kInvalid);
    }
  }
  return catalog;
}

Result<RecvStart> RecvStartOf(const Args& args) {
  const std::string when = args.Has("--recvs") ? args.Last("--recvs") : "late";
  if (when == "late") return RecvStart::kLate;
  if (when == "at-once") return RecvStart::kAtOnce;
  return InvalidArgument("--recvs is late or at-once, not '" + when + "'");
}

}  // namespace tagflow::cli
