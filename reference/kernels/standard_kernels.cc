#include "reference/kernels/families.h"

namespace tagflow::reference {

Status RegisterStandardKernels(KernelRegistry& registry) {
  for (auto register_family : {RegisterActivationKernels,    RegisterArrayKernels,
                               RegisterBasicKernels,         RegisterBiasKernels,
                               RegisterBitwiseKernels,       RegisterCastKernels,
                               RegisterCompareKernels,       RegisterComplexKernels,
                               RegisterConvolutionKernels,   RegisterDiagonalKernels,
                               RegisterEinsumKernels,        RegisterGatherKernels,
                               RegisterFunctionKernels,      RegisterHistogramKernels,
                               RegisterIndexKernels,         RegisterLimitKernels,
                               RegisterListKernels,          RegisterListRowsKernels,
                               RegisterLogicKernels,         RegisterMatMulKernels,
                               RegisterMathBinaryKernels,    RegisterMathGradKernels,
                               RegisterMathUnaryKernels,     RegisterMatrixDecompositionKernels,
                               RegisterOptionalKernels,      RegisterParsingKernels,
                               RegisterRandomKernels,        RegisterRandomTrialKernels,
                               RegisterReductionKernels,     RegisterSavingKernels,
                               RegisterScanKernels,          RegisterScatterKernels,
                               RegisterScatterRowsKernels,   RegisterScatterVariableKernels,
                               RegisterSegmentKernels,       RegisterSelectKernels,
                               RegisterShapeKernels,         RegisterSliceKernels,
                               RegisterSliceUpdateKernels,   RegisterSoftmaxKernels,
                               RegisterSpecialKernels,       RegisterStackKernels,
                               RegisterStringConvertKernels, RegisterStringFormatKernels,
                               RegisterStringHashKernels,    RegisterStringJoinKernels,
                               RegisterStringPieceKernels,   RegisterSummaryKernels,
                               RegisterTableKernels,         RegisterTensorArrayKernels,
                               RegisterTopKKernels,          RegisterTrainingKernels,
                               RegisterUniqueKernels,        RegisterVariableKernels,
                               RegisterAveragePoolKernels,   RegisterBatchNormKernels,
                               RegisterLocalResponseKernels, RegisterMaxPoolKernels}) {
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
