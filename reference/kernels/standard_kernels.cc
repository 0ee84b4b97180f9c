#include "reference/kernels/families.h"

namespace tagflow::reference {

Status RegisterStandardKernels(KernelRegistry& registry) {
  for (auto register_family : {RegisterArrayKernels,
                               RegisterBasicKernels,
                               RegisterBiasKernels,
                               RegisterCastKernels,
                               RegisterCompareKernels,
                               RegisterDiagonalKernels,
                               RegisterEinsumKernels,
                               RegisterGatherKernels,
                               RegisterHistogramKernels,
                               RegisterIndexKernels,
                               RegisterListKernels,
                               RegisterListRowsKernels,
                               RegisterLogicKernels,
                               RegisterOptionalKernels,
                               RegisterTrainingKernels,
                               RegisterScatterRowsKernels,
                               RegisterScatterVariableKernels,
                               RegisterMatMulKernels,
                               RegisterMathBinaryKernels,
                               RegisterMathGradKernels,
                               RegisterMathUnaryKernels,
                               RegisterMatrixDecompositionKernels,
                               RegisterRandomKernels,
                               RegisterReductionKernels,
                               RegisterScatterKernels,
                               RegisterSegmentKernels,
                               RegisterSelectKernels,
                               RegisterShapeKernels,
                               RegisterSliceKernels,
                               RegisterSliceUpdateKernels,
                               RegisterSoftmaxKernels,
                               RegisterStackKernels,
                               RegisterStringConvertKernels,
                               RegisterStringFormatKernels,
                               RegisterStringJoinKernels,
                               RegisterStringPieceKernels,
                               RegisterTensorArrayKernels,
                               RegisterTopKKernels,
                               RegisterUniqueKernels,
                               RegisterVariableKernels}) {
    TAGFLOW_RETURN_IF_ERROR(register_family(registry));
  }
  return Status();
}

const KernelRegistry& KernelRegistry::Standard() {
  static const KernelRegistry& registry = *[] {
    auto* made = new KernelRegistry;
    TAGFLOW_CHECK(RegisterStandardKernels(*made).ok());  // fails only where an op has two kernels
    return made;
  }();
  return registry;
}

}  // namespace tagflow::reference
