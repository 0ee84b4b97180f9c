#include "reference/kernels/families.h"

namespace tagflow::reference {

namespace {

constexpr Status (*kFamilies[])(KernelRegistry&) = {
    RegisterActivationKernels,
    RegisterArrayKernels,
    RegisterBasicKernels,
    RegisterBiasKernels,
    RegisterBitwiseKernels,
    RegisterCastKernels,
    RegisterCompareKernels,
    RegisterComplexKernels,
    RegisterCtcKernels,
    RegisterDiagonalKernels,
    RegisterEinsumKernels,
    RegisterFunctionKernels,
    RegisterGatherKernels,
    RegisterHistogramKernels,
    RegisterIndexKernels,
    RegisterLimitKernels,
    RegisterListKernels,
    RegisterListRowsKernels,
    RegisterLogicKernels,
    RegisterMapKernels,
    RegisterMatMulKernels,
    RegisterMathBinaryKernels,
    RegisterMathGradKernels,
    RegisterMathUnaryKernels,
    RegisterMatrixDecompositionKernels,
    RegisterOptionalKernels,
    RegisterParsingKernels,
    RegisterQrKernels,
    RegisterRandomKernels,
    RegisterRandomTrialKernels,
    RegisterSelfAdjointEigKernels,
    RegisterSvdKernels,
    RegisterReductionKernels,
    RegisterSavingKernels,
    RegisterScanKernels,
    RegisterScatterKernels,
    RegisterScatterRowsKernels,
    RegisterScatterVariableKernels,
    RegisterSegmentKernels,
    RegisterSelectKernels,
    RegisterSetKernels,
    RegisterShapeKernels,
    RegisterSliceKernels,
    RegisterSliceUpdateKernels,
    RegisterSoftmaxKernels,
    RegisterSparseFillKernels,
    RegisterSparseLayoutKernels,
    RegisterSparseMathKernels,
    RegisterSparsePartKernels,
    RegisterSparseReductionKernels,
    RegisterSparseSerializationKernels,
    RegisterSparseSumKernels,
    RegisterSpecialKernels,
    RegisterStackKernels,
    RegisterStringConvertKernels,
    RegisterStringFormatKernels,
    RegisterStringHashKernels,
    RegisterStringJoinKernels,
    RegisterStringPieceKernels,
    RegisterSummaryKernels,
    RegisterTableKernels,
    RegisterTensorArrayKernels,
    RegisterTopKKernels,
    RegisterTrainingKernels,
    RegisterUniqueKernels,
    RegisterVariableKernels,
    RegisterConvolutionKernels,
    RegisterAveragePoolKernels,
    RegisterBatchNormKernels,
    RegisterLocalResponseKernels,
    RegisterColorKernels,
    RegisterDilationKernels,
    RegisterDrawBoxesKernels,
    RegisterMaxPoolKernels,
    RegisterFourierKernels,
    RegisterRaggedDenseKernels,
    RegisterRaggedVariantKernels,
    RegisterRaggedKernels,
    RegisterCropKernels,
    RegisterImagePatchKernels,
    RegisterResizeKernels,
    RegisterNonMaxSuppressionKernels,
    RegisterRegexKernels,
    RegisterStringNGramKernels,
    RegisterUnicodeKernels,
    RegisterCandidateSamplerKernels,
    RegisterGruKernels,
    RegisterLstmKernels,
    RegisterCtcBeamKernels,
    RegisterFakeQuantizationKernels,
    RegisterEditDistanceKernels,
};

}  // namespace

Status RegisterStandardKernels(KernelRegistry& registry) {
  for (const auto& family : kFamilies) TAGFLOW_RETURN_IF_ERROR(family(registry));
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
