#include "optimized/devices/devices.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "graph/device_name.h"
#include "optimized/devices/sim_step.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

// Ops that hand tensors on, from or to a list or stack: which input is carried; and whether what is
// carried is a history, which may be swapped.
struct Carrier {
  int carried_input = -1;
  bool is_history = false;
};

const Carrier* FindCarrier(const std::string& op) {
  static const auto& carriers = *new std::unordered_map<std::string, Carrier>{
      {"TensorListPushBack", {1, true}},
      {"TensorListSetItem", {2, true}},
      {"TensorListPopBack", {-1, true}},
      {"TensorListGetItem", {-1, true}},
      {"TensorListReserve", {}},
      {"EmptyTensorList", {}},
      {"TensorListLength", {}},
      {"TensorListElementShape", {}},
      {"TensorListResize", {}},
      {"StackV2", {}},
      {"StackPushV2", {1, true}},
      {"StackPopV2", {-1, true}},
      {"StackCloseV2", {}},
  };
  const auto found = carriers.find(op);
  return found == carriers.end() ? nullptr : &found->second;
}

bool KeepsState(const Node& node, const Signature& signature) {
  if (node.def != nullptr && node.def->is_stateful) return true;
  auto is_handle = [](const ArgType& type) {
    return type.is_ref || type.dtype == DType::kResource;
  };
  return std::ranges::any_of(signature.inputs, is_handle) ||
         std::ranges::any_of(signature.outputs, is_handle);
}

// A stack says whether it may be swapped.
bool MaySwap(const Node& node) {
  if (node.op != "StackPushV2") return true;
  const Result<bool> swaps = BoolAttr(node, "swap_memory");
  return swaps.ok() && *swaps;
}

Status CheckOptions(const SimOptions& options) {
  const bool makes_sense = options.memory_bytes >= 0 && options.kernel_ns >= 0 &&
                           options.kernel_ns_per_byte >= 0 && options.transfer_ns >= 0 &&
                           options.transfer_ns_per_byte >= 0 && options.jitter >= 0 &&
                           options.swap_above > 0 && options.swap_above <= 1;
  if (makes_sense) return Status();
  return InvalidArgument(
      "a simulated device has no times or bytes below 0, and swap_above is in (0, 1]");
}

}  // namespace

Result<std::unique_ptr<Devices>> Devices::Create(const std::vector<std::string>& names,
                                                 const SimOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(CheckOptions(options));
  auto devices = std::unique_ptr<Devices>(new Devices(options));
  for (const std::string& name : names) {
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceName parsed, ParseDeviceName(name));
    if (devices->Find(name) >= 0) {
      return InvalidArgument("the device '" + name + "' is named twice");
    }
    devices->names_.push_back(name);
    devices->memories_.push_back(nullptr);
    if (parsed.kind != "SIM") continue;
    const int index = static_cast<int>(devices->names_.size()) - 1;
    TAGFLOW_ASSIGN_OR_RETURN(devices->memories_.back(),
                             SimMemory::Create(index, options.memory_bytes));
  }
  return devices;
}

int Devices::Find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

bool Devices::AllAreHost() const {
  return std::ranges::all_of(memories_, [](const auto& memory) { return memory == nullptr; });
}

Result<DeviceCatalog> Devices::Catalog(const KernelRegistry& kernels) const {
  DeviceCatalog catalog;
  for (const std::string& name : names_) {
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceName parsed, ParseDeviceName(name));
    if (!parsed.kind.has_value()) {
      return InvalidArgument("device '" + name + "' has no kind: write it as /device:CPU:0");
    }
    const SimMemory* const memory = this->memory(Find(name));
    catalog.AddDevice({name, *parsed.kind,
                       memory == nullptr ? MemoryKind::kHost : MemoryKind::kDevice,
                       memory == nullptr ? 0 : options_.memory_bytes});
    for (const std::string& op : kernels.Ops()) {
      catalog.AddKernel(op, *parsed.kind, DType::kInvalid);
    }
  }
  return catalog;
}

DeviceKernel Devices::KernelOf(int device, const Node& node, const Signature& signature,
                               BoundKernel kernel) {
  DeviceKernel made;
  made.device = device;
  made.kernel = std::move(kernel);
  made.num_outputs = signature.outputs.size();
  if (const Carrier* const carrier = FindCarrier(node.op)) {
    made.is_carrier = true;
    made.carried_input = carrier->carried_input;
    made.is_history = carrier->is_history && MaySwap(node);
  } else {
    made.keeps_state = KeepsState(node, signature);
  }
  return made;
}

std::unique_ptr<DeviceStep> Devices::NewStep(uint64_t seed, DeviceReport* report) const {
  return std::make_unique<SimStep>(*this, seed, report);
}

Result<Tensor> Devices::CopyIn(int device, const Tensor& value) const {
  if (IsHost(device) || !IsPlainDType(value.dtype())) return value;
  Result<Tensor> copy = DeviceCopyOf(value, *memory(device));
  if (copy.ok()) return copy;
  return ResourceExhausted(copy.status().message() + " on '" + names_[static_cast<size_t>(device)] +
                           "'");
}

Result<Tensor> Devices::CopyOut(const Tensor& value) const {
  return WithTensors(value, [this](const Tensor& tensor) -> Result<Tensor> {
    for (const auto& memory : memories_) {
      if (memory == nullptr) continue;
      if (memory->BlockOf(tensor) != nullptr) return HostCopyOf(tensor, *memory);
    }
    // State of a device, which a reference leads to, is the device's as long as it lives.
    return tensor.memory_kind() == MemoryKind::kHost ? tensor : tensor.Clone();
  });
}

}  // namespace tagflow::optimized
