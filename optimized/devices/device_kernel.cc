#include "optimized/devices/device_kernel.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace tagflow::optimized {
namespace {

// Ops that hand tensors on, from or to a list, stack or array, or join what is there: which input
// is carried; and whether what is carried is a history, which may be swapped.
struct Carrier {
  int carried_input = -1;
  bool is_history = false;
  // Only where the kernel is the device's own. One of the host's finds what arrays hold beside the
  // device's memory (state.h), and joins what it is shown.
  bool is_own = false;
  bool joins = false;
};

void AddArrays(std::unordered_map<std::string, Carrier>& carriers) {
  for (const char* op :
       {"TensorArrayCloseV3", "TensorArrayGradV3", "TensorArrayGradWithShape", "TensorArrayReadV3",
        "TensorArrayScatterV3", "TensorArraySizeV3", "TensorArraySplitV3", "TensorArrayV3",
        "TensorListFromTensor", "TensorListScatter", "TensorListScatterIntoExistingList",
        "TensorListScatterV2", "TensorListSplit"}) {
    carriers[op] = {.is_own = true};
  }
  carriers["TensorArrayWriteV3"] = {.carried_input = 2, .is_own = true};
  for (const char* op : {"TensorArrayConcatV3", "TensorArrayGatherV3", "TensorListConcat",
                         "TensorListConcatV2", "TensorListGather", "TensorListStack"}) {
    carriers[op] = {.is_own = true, .joins = true};
  }
}

const Carrier* FindCarrier(const std::string& op) {
  static const auto& carriers = *[] {
    auto* const made = new std::unordered_map<std::string, Carrier>{
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
    AddArrays(*made);
    return made;
  }();
  const auto found = carriers.find(op);
  return found == carriers.end() ? nullptr : &found->second;
}

// A stack says whether it may be swapped.
bool MaySwap(const Node& node) {
  if (node.op != "StackPushV2") return true;
  const Result<bool> swaps = BoolAttr(node, "swap_memory");
  return swaps.ok() && *swaps;
}

// How many inputs an argument of the op's definition has.
size_t NumInputs(const Node& node, const ArgDef& arg) {
  if (!arg.number_attr.empty()) {
    const Result<int64_t> number = IntAttr(node, arg.number_attr);
    return number.ok() ? static_cast<size_t>(*number) : 0;
  }
  if (arg.type_list_attr.empty()) return 1;
  const AttrValue* const types = FindAttr(node, arg.type_list_attr);
  const AttrList* const list = types == nullptr ? nullptr : types->list();
  return list == nullptr ? 0 : list->types.size();
}

}  // namespace

bool HasEffects(const OpDef& op) {
  const auto is_handle = [](const ArgDef& arg) {
    return arg.is_ref || arg.dtype == DType::kResource;
  };
  return op.is_stateful || std::ranges::any_of(op.inputs, is_handle) ||
         std::ranges::any_of(op.outputs, is_handle);
}

std::vector<bool> ReadsOnHost(const Node& node, const Signature& signature,
                              const KernelEntry& entry) {
  std::vector<bool> on_host;
  if (entry.is_for_host != nullptr && entry.is_for_host({node, signature})) {
    on_host.assign(signature.inputs.size(), true);
    return on_host;
  }
  for (const ArgDef& arg : node.def->inputs) {
    const bool is_host = std::ranges::find(entry.host_inputs, arg.name) != entry.host_inputs.end();
    on_host.insert(on_host.end(), NumInputs(node, arg), is_host);
  }
  on_host.resize(signature.inputs.size());
  return on_host;
}

DeviceKernel MakeDeviceKernel(int device, const Node& node, const Signature& signature,
                              const KernelEntry& entry, BoundKernel bound, bool is_own) {
  DeviceKernel made;
  made.device = device;
  made.kernel = std::move(bound);
  made.is_own = is_own;
  made.num_outputs = signature.outputs.size();
  if (is_own) made.reads_on_host = ReadsOnHost(node, signature, entry);
  const Carrier* const carrier = FindCarrier(node.op);
  if (carrier != nullptr && (is_own || !carrier->is_own)) {
    made.is_carrier = !carrier->joins;
    made.joins = carrier->joins;
    made.carried_input = carrier->carried_input;
    made.is_history = carrier->is_history && MaySwap(node);
  } else {
    made.keeps_state = HasEffects(*node.def);
    made.is_seen = made.keeps_state && !node.def->only_looks;
  }
  return made;
}

}  // namespace tagflow::optimized
