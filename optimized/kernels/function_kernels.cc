// Ops that occur in the bodies of functions only: FakeParam, DeviceIndex.
//
// Tested by conformance/ops/function.ops.

#include <algorithm>

#include "optimized/kernels/families.h"

namespace tagflow::optimized {
namespace {

BoundKernel Gives(Tensor value) {
  return BoundKernel([value = std::move(value)](KernelContext& context) {
    context.output(0) = value;
    return Status();
  });
}

// Zeros of the attr shape; what is unknown of it counts as 0, and an unknown rank as a scalar.
Result<BoundKernel> BindFakeParam(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(binding.node, "shape"));
  Dims dims;
  if (shape.known_rank()) {
    for (const int64_t dim : shape.dims()) dims.push_back(dim < 0 ? 0 : dim);
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Allocate(binding.output_dtype(0), dims));
  return Gives(std::move(zeros));
}

// Where this kind of device stands in the list; behind it, where it does not.
Result<BoundKernel> BindDeviceIndex(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList names, ListAttr(binding.node, "device_names"));
  const auto place = std::ranges::find(names.strings, "CPU") - names.strings.begin();
  return Gives(Tensor::Scalar(static_cast<int32_t>(place)));
}

}  // namespace

Status RegisterFunctionKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("FakeParam", BindFakeParam));
  return registry.Register("DeviceIndex", BindDeviceIndex);
}

}  // namespace tagflow::optimized
