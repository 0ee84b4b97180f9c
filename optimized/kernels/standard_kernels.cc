// Tested by conformance/ops/ops_test.cc.
#include "optimized/kernels/families.h"

namespace tagflow::optimized {
namespace {

constexpr Status (*kFamilies[])(KernelRegistry&) = {
    RegisterActivationKernels,
    RegisterAddNKernels,
    RegisterArrayBlockKernels,
    RegisterArrayFillKernels,
    RegisterArrayJoinKernels,
    RegisterArrayPadKernels,
    RegisterArrayRepeatKernels,
    RegisterArraySearchKernels,
    RegisterArrayTurnKernels,
    RegisterAveragePoolKernels,
    RegisterBasicKernels,
    RegisterBatchNormKernels,
    RegisterBiasKernels,
    RegisterBitwiseKernels,
    RegisterBoxSelectionKernels,
    RegisterCallKernels,
    RegisterCandidateSamplerKernels,
    RegisterCastKernels,
    RegisterCheckKernels,
    RegisterColorKernels,
    RegisterCompareKernels,
    RegisterComplexKernels,
    RegisterConvolutionKernels,
    RegisterCropKernels,
    RegisterCtcBeamKernels,
    RegisterCtcKernels,
    RegisterDiagonalKernels,
    RegisterDilationKernels,
    RegisterDrawBoxesKernels,
    RegisterEditDistanceKernels,
    RegisterEinsumKernels,
    RegisterFakeQuantizationKernels,
    RegisterFourierKernels,
    RegisterFunctionKernels,
    RegisterGatherKernels,
    RegisterGruKernels,
    RegisterHistogramKernels,
    RegisterImagePatchKernels,
    RegisterIndexKernels,
    RegisterLimitKernels,
    RegisterListKernels,
    RegisterListRowsKernels,
    RegisterLocalResponseKernels,
    RegisterLogicKernels,
    RegisterLstmKernels,
    RegisterMapKernels,
    RegisterMatMulKernels,
    RegisterMathBinaryKernels,
    RegisterMathGradKernels,
    RegisterMathUnaryKernels,
    RegisterMatrixDecompositionKernels,
    RegisterMaxPoolKernels,
    RegisterNonMaxSuppressionKernels,
    RegisterOptionalKernels,
    RegisterParsingKernels,
    RegisterPartitionKernels,
    RegisterPrintKernels,
    RegisterQrKernels,
    RegisterRandomKernels,
    RegisterRandomTrialKernels,
    RegisterRaggedDenseKernels,
    RegisterRaggedVariantKernels,
    RegisterRaggedKernels,
    RegisterRawKernels,
    RegisterReductionKernels,
    RegisterRegexKernels,
    RegisterReferenceVariableKernels,
    RegisterResizeKernels,
    RegisterResizeNearestKernels,
    RegisterResourceVariableKernels,
    RegisterRowJoinKernels,
    RegisterSavingKernels,
    RegisterScanKernels,
    RegisterScatterKernels,
    RegisterSegmentKernels,
    RegisterSelectKernels,
    RegisterSelfAdjointEigKernels,
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
    RegisterStringNGramKernels,
    RegisterStringPieceKernels,
    RegisterSummaryKernels,
    RegisterSvdKernels,
    RegisterTableKernels,
    RegisterTensorArrayKernels,
    RegisterTensorArrayRowsKernels,
    RegisterTopKKernels,
    RegisterTrainingKernels,
    RegisterUnicodeKernels,
    RegisterUniqueKernels,
    RegisterVariableRowKernels,
    RegisterVariableSliceKernels,
};

}  // namespace

Status RegisterStandardKernels(KernelRegistry& registry) {
  for (auto family : kFamilies) TAGFLOW_RETURN_IF_ERROR(family(registry));
  return Status();
}

const KernelRegistry& KernelRegistry::Standard() {
  static const KernelRegistry& standard = *[] {
    auto* registry = new KernelRegistry;
    TAGFLOW_CHECK(RegisterStandardKernels(*registry).ok());
    return registry;
  }();
  return standard;
}

}  // namespace tagflow::optimized
