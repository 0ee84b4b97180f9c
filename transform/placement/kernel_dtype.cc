#include "transform/placement/kernel_dtype.h"

#include "graph/control_ops.h"

namespace tagflow {

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
  const bool is_control = ControlOpOf(node.op) != ControlOp::kNone;
  const DType dtype = KernelDType(node);
  std::vector<bool> can;
  for (const DeviceInfo& device : catalog.devices()) {
    can.push_back(is_control || catalog.HasKernel(node.op, device.kind, dtype));
  }
  return can;
}

}  // namespace tagflow
