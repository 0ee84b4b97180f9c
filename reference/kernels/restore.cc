// RestoreV2: tensors of a checkpoint.
//
// Tested by conformance/ops/saving.ops.

#include "graph/saved/tensor_bundle.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

//   prefix: scalar; tensor_names, shape_and_slices: [n]; a slice is of the whole tensor
Status RestoreV2(KernelContext& context) {
  const Tensor& prefix = context.inputs[0];
  const Tensor& names = context.inputs[1];
  const Tensor& slices = context.inputs[2];
  const auto count = static_cast<int64_t>(context.outputs.size());
  if (prefix.rank() != 0) return InvalidArgument("prefix must be a scalar");
  if (names.rank() != 1 || names.num_elements() != count || slices.rank() != 1 ||
      slices.num_elements() != count) {
    return InvalidArgument("there must be as many names and slices as tensors: " +
                           std::to_string(count));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto bundle, TensorBundle::Open(*prefix.data<std::string>()));
  for (int64_t i = 0; i < count; ++i) {
    const std::string& name = names.data<std::string>()[i];
    if (!slices.data<std::string>()[i].empty()) {
      return Unimplemented("a part of the tensor '" + name + "' is not restored by itself");
    }
    TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, bundle->Read(name));
    const DType wanted = context.signature.outputs[static_cast<size_t>(i)].dtype;
    if (tensor.dtype() != wanted) {
      return InvalidArgument("tensor '" + name + "' of the checkpoint is " +
                             DTypeName(tensor.dtype()) + ", and is wanted as " + DTypeName(wanted));
    }
    context.outputs[static_cast<size_t>(i)] = std::move(tensor);
  }
  return Status();
}

}  // namespace

Status RegisterRestoreKernels(KernelRegistry& registry) {
  return registry.Register("RestoreV2", RestoreV2);
}

}  // namespace tagflow::reference
