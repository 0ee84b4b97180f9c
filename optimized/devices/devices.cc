#include "optimized/devices/devices.h"

#include <algorithm>
#include <utility>

#include "graph/device_name.h"
#include "graph/unknown_ops.h"
#include "optimized/devices/views.h"
#include "transform/placement/kernel_dtype.h"

namespace tagflow::optimized {

namespace {

// Why there is no such device; OK where there is one, or another error.
Status WhyMissing(const std::string& name, const DeviceKinds& kinds) {
  const Result<DeviceName> parsed = ParseDeviceName(name);
  if (!parsed.ok()) return Status();
  for (const auto& kind : kinds) {
    if (parsed->kind != kind->name()) continue;
    const Status opened = kind->Open({{0, name}}).status();
    if (opened.code() == Code::kFailedPrecondition) return opened;
  }
  return Status();
}

}  // namespace

Result<std::unique_ptr<Devices>> Devices::Create(const std::vector<std::string>& names,
                                                 const DeviceKinds& kinds, bool does_without) {
  auto all = CreateAll(names, kinds);
  const bool are_there = all.ok() || all.status().code() != Code::kFailedPrecondition;
  if (are_there || !does_without) return all;
  std::vector<std::string> present;
  std::vector<Missing> missing;
  for (const std::string& name : names) {
    const Status why = WhyMissing(name, kinds);
    if (why.ok()) present.push_back(name);
    if (!why.ok()) missing.push_back({name, why});
  }
  if (present.empty()) present.emplace_back("/device:CPU:0");
  TAGFLOW_ASSIGN_OR_RETURN(auto devices, CreateAll(present, kinds));
  devices->missing_ = std::move(missing);
  return devices;
}

Result<std::unique_ptr<Devices>> Devices::CreateAll(const std::vector<std::string>& names,
                                                    const DeviceKinds& kinds) {
  auto devices = std::unique_ptr<Devices>(new Devices());
  for (const std::string& name : names) {
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceName parsed, ParseDeviceName(name));
    if (devices->Find(name) >= 0) {
      return InvalidArgument("the device '" + name + "' is named twice");
    }
    devices->names_.push_back(name);
    devices->all_.emplace_back().kind = parsed.kind;
  }
  for (const auto& kind : kinds) TAGFLOW_RETURN_IF_ERROR(devices->Open(*kind));
  return devices;
}

Status Devices::Open(const DeviceKind& kind) {
  std::vector<DeviceSite> sites;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (all_[i].kind == kind.name()) sites.push_back({static_cast<int>(i), names_[i]});
  }
  if (sites.empty()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<DeviceGroup> group, kind.Open(sites));
  for (const DeviceSite& site : sites) {
    Opened& opened = all_[static_cast<size_t>(site.index)];
    opened.kernels = kind.kernels();
    opened.runs_host_kernels = kind.runs_host_kernels();
    opened.group = groups_.size();
    opened.memory = group->memory(site.index);
  }
  groups_.push_back(std::move(group));
  return Status();
}

int Devices::Find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

bool Devices::AllAreHost() const {
  return std::ranges::all_of(all_, [](const Opened& each) { return each.memory == nullptr; });
}

std::string Devices::WhyNotInOrder() const {
  for (size_t i = 0; i < all_.size(); ++i) {
    const Opened& each = all_[i];
    if (each.memory == nullptr) continue;
    if (!groups_[each.group]->has_streams()) return "'" + names_[i] + "' has no streams";
    if (each.runs_host_kernels) return "'" + names_[i] + "' runs kernels of the host's";
  }
  return "";
}

bool Devices::RunAllKernels() const {
  return std::ranges::all_of(all_, &Opened::runs_host_kernels);
}

Devices::Found Devices::FindKernel(int device, const Node& node,
                                   const KernelRegistry& kernels) const {
  if (IsHost(device)) return {kernels.Find(node.op), false};
  const Opened& there = all_[static_cast<size_t>(device)];
  const KernelTarget target = {node.op, *there.kind, KernelDType(node)};
  for (const KernelRegistry* const registry : {&kernels, there.kernels}) {
    const KernelEntry* const own = registry == nullptr ? nullptr : registry->FindFor(target);
    if (own != nullptr) return {own, true};
  }
  if (there.runs_host_kernels) return {kernels.Find(node.op), false};
  // A constant is on the host, wherever it was placed, until somebody reads it on a device.
  return {node.op == "Const" ? kernels.Find(node.op) : nullptr, true};
}

Devices::Found FindKernel(const Devices* devices, const Node& node, const KernelRegistry& kernels) {
  if (IsRefused(node)) return {};
  if (devices == nullptr) return {kernels.Find(node.op), false};
  return devices->FindKernel(devices->Find(node.device), node, kernels);
}

Result<DeviceCatalog> Devices::Catalog(const KernelRegistry& kernels) const {
  DeviceCatalog catalog;
  for (size_t i = 0; i < all_.size(); ++i) {
    const Opened& each = all_[i];
    if (!each.kind.has_value()) {
      return InvalidArgument("device '" + names_[i] + "' has no kind: write it as /device:CPU:0");
    }
    catalog.AddDevice({names_[i], *each.kind,
                       each.memory == nullptr ? MemoryKind::kHost : MemoryKind::kDevice,
                       each.memory == nullptr ? 0 : each.memory->stats().bytes_limit});
    if (each.kernels != nullptr) {
      for (const KernelTarget& target : each.kernels->Targets()) {
        catalog.AddKernel(target.op, target.kind, target.dtype);
      }
    }
    if (!each.runs_host_kernels) continue;
    for (const std::string& op : kernels.Ops()) {
      catalog.AddKernel(op, *each.kind, DType::kInvalid);
    }
  }
  for (const KernelTarget& target : kernels.Targets()) {
    catalog.AddKernel(target.op, target.kind, target.dtype);
  }
  return catalog;
}

Status Devices::CheckAlive() const {
  for (const auto& group : groups_) TAGFLOW_RETURN_IF_ERROR(group->CheckAlive());
  return Status();
}

Result<Tensor> Devices::CopyIn(int device, const Tensor& value) const {
  if (IsHost(device) || !IsPlainDType(value.dtype())) return value;
  Result<Tensor> copy = DeviceCopyOf(value, *memory(device));
  if (copy.ok() || copy.status().code() != Code::kResourceExhausted) return copy;
  return ResourceExhausted(copy.status().message() + " on '" + names_[static_cast<size_t>(device)] +
                           "'");
}

Result<Tensor> Devices::CopyOut(const Tensor& value) const {
  return WithTensors(value, [](const Tensor& tensor) -> Result<Tensor> {
    if (tensor.memory_kind() == MemoryKind::kDevice) return tensor.OnHost();
    // State of a device, which a reference leads to, is the device's as long as it lives.
    return tensor.memory_kind() == MemoryKind::kHost ? tensor : tensor.Clone();
  });
}

}  // namespace tagflow::optimized
