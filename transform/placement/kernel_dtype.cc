#include "transform/placement/kernel_dtype.h"

#include "graph/control_ops.h"

namespace tagflow {
namespace {

// Tokens are moved, and messages sent, by the executor itself; and what is fed comes by itself.
bool NeedsKernel(std::string_view op) {
  return ControlOpOf(op) == ControlOp::kNone && op != "_SwitchN" && op != "ControlTrigger" &&
         op != "_Send" && op != "_Recv" && op != "_HostSend" && op != "_HostRecv" &&
         op != "Placeholder" && op != "PlaceholderV2";
}

}  // namespace

DType KernelDType(const Node& node) {
  if (node.def == nullptr) return DType::kInvalid;
  for (const AttrDef& attr : node.def->attrs) {
    if (attr.kind != AttrKind::kType) continue;
    const Result<DType> dtype = TypeAttr(node, attr.name);
    return dtype.ok() ? *dtype : DType::kInvalid;
  }
  return DType::kInvalid;
}

std::string OpAndDType(const Node& node) {
  const DType dtype = KernelDType(node);
  return dtype == DType::kInvalid ? node.op : node.op + " of " + DTypeName(dtype);
}

std::vector<bool> DevicesFor(const Node& node, const DeviceCatalog& catalog) {
  const bool needs_kernel = NeedsKernel(node.op);
  const DType dtype = KernelDType(node);
  std::vector<bool> can;
  for (const DeviceInfo& device : catalog.devices()) {
    can.push_back(!needs_kernel || catalog.HasKernel(node.op, device.kind, dtype));
  }
  return can;
}

}  // namespace tagflow
