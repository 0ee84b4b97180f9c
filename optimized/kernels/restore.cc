// RestoreV2, which reads tensors of a checkpoint.
//
// Tested by conformance/ops/saving.ops.

#include <string>
#include <utility>
#include <vector>

#include "graph/saved/tensor_bundle.h"
#include "optimized/kernels/families.h"

namespace tagflow::optimized {
namespace {

bool IsVector(const Tensor& tensor, size_t size) {
  return tensor.rank() == 1 && static_cast<size_t>(tensor.num_elements()) == size;
}

Status Restore(const std::vector<DType>& dtypes, KernelContext& context) {
  const Tensor& prefix = context.input(0);
  const Tensor& names = context.input(1);
  const Tensor& slices = context.input(2);
  if (prefix.rank() > 0) return InvalidArgument("prefix must be a scalar");
  if (!IsVector(names, dtypes.size()) || !IsVector(slices, dtypes.size())) {
    return InvalidArgument("there must be as many names and slices as tensors: " +
                           std::to_string(dtypes.size()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto bundle, TensorBundle::Open(*prefix.data<std::string>()));
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const std::string& name = names.data<std::string>()[i];
    if (!slices.data<std::string>()[i].empty()) {
      return Unimplemented("a part of the tensor '" + name + "' is not restored by itself");
    }
    TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, bundle->Read(name));
    if (tensor.dtype() != dtypes[i]) {
      return InvalidArgument("tensor '" + name + "' of the checkpoint is " +
                             DTypeName(tensor.dtype()) + ", and is wanted as " +
                             DTypeName(dtypes[i]));
    }
    context.output(static_cast<int>(i)) = std::move(tensor);
  }
  return Status();
}

Result<BoundKernel> BindRestore(const Binding& binding) {
  std::vector<DType> dtypes;
  for (const ArgType& type : binding.signature.outputs) dtypes.push_back(type.dtype);
  return BoundKernel(
      [dtypes = std::move(dtypes)](KernelContext& context) { return Restore(dtypes, context); });
}

}  // namespace

Status RegisterRestoreKernels(KernelRegistry& registry) {
  return registry.Register("RestoreV2", BindRestore);
}

}  // namespace tagflow::optimized
