#include "reference/kernels/array_kernels.h"

#include "reference/kernels/families.h"

namespace tagflow::reference {

Status RegisterArrayKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterArrayBlockKernels(registry));
  TAGFLOW_RETURN_IF_ERROR(RegisterArrayFillKernels(registry));
  TAGFLOW_RETURN_IF_ERROR(RegisterArrayJoinKernels(registry));
  TAGFLOW_RETURN_IF_ERROR(RegisterArrayPadKernels(registry));
  TAGFLOW_RETURN_IF_ERROR(RegisterArrayRepeatKernels(registry));
  TAGFLOW_RETURN_IF_ERROR(RegisterArraySearchKernels(registry));
  return RegisterArrayTurnKernels(registry);
}

}  // namespace tagflow::reference
