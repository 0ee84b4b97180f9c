#include "reference/kernels/families.h"

namespace tagflow::reference {

Status RegisterStandardKernels(KernelRegistry& registry) {
  for (auto register_family :
       {RegisterArrayKernels, RegisterBasicKernels, RegisterCastKernels, RegisterCompareKernels,
        RegisterGatherKernels, RegisterLogicKernels, RegisterMathBinaryKernels,
        RegisterMathGradKernels, RegisterMathUnaryKernels, RegisterMatMulKernels,
        RegisterReductionKernels, RegisterSelectKernels, RegisterShapeKernels, RegisterSliceKernels,
        RegisterStackKernels, RegisterTensorArrayKernels, RegisterVariableKernels}) {
    TAGFLOW_RETURN_IF_ERROR(register_family(registry));
  }
  return Status();
}

}  // namespace tagflow::reference
