// Ops that occur in the bodies of functions only: FakeParam, DeviceIndex.
//
// Tested by conformance/ops/function.ops.

#include <algorithm>

#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// Zeros of the attr shape; what is unknown of it counts as 0, and an unknown rank as a scalar.
Status FakeParam(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node, "shape"));
  Dims dims = shape.known_rank() ? shape.dims() : Dims{};
  for (int64_t& dim : dims) dim = std::max<int64_t>(dim, 0);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           Tensor::Allocate(context.signature.outputs[0].dtype, dims));
  return Status();
}

// Where this kind of device stands in the list; behind it, where it does not.
Status DeviceIndex(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList names, ListAttr(context.node, "device_names"));
  const auto found = std::find(names.strings.begin(), names.strings.end(), "CPU");
  context.outputs[0] = Tensor::Scalar(static_cast<int32_t>(found - names.strings.begin()));
  return Status();
}

}  // namespace

Status RegisterFunctionKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("FakeParam", FakeParam));
  return registry.Register("DeviceIndex", DeviceIndex);
}

}  // namespace tagflow::reference
