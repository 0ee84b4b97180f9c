#ifndef TAGFLOW_OPTIMIZED_KERNELS_FAMILIES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_FAMILIES_H_

// One function per family of kernels; each registers its ops and fails only with ALREADY_EXISTS.
// A new family is a file of its own, a line here and a line in standard_kernels.cc.

#include "graph/status.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

Status RegisterActivationKernels(KernelRegistry& registry);
Status RegisterAddNKernels(KernelRegistry& registry);
Status RegisterArrayBlockKernels(KernelRegistry& registry);
Status RegisterArrayFillKernels(KernelRegistry& registry);
Status RegisterArrayJoinKernels(KernelRegistry& registry);
Status RegisterArrayPadKernels(KernelRegistry& registry);
Status RegisterArrayRepeatKernels(KernelRegistry& registry);
Status RegisterArraySearchKernels(KernelRegistry& registry);
Status RegisterArrayTurnKernels(KernelRegistry& registry);
Status RegisterAveragePoolKernels(KernelRegistry& registry);
Status RegisterBasicKernels(KernelRegistry& registry);
Status RegisterBatchNormKernels(KernelRegistry& registry);
Status RegisterBiasKernels(KernelRegistry& registry);
Status RegisterBitwiseKernels(KernelRegistry& registry);
Status RegisterCallKernels(KernelRegistry& registry);
Status RegisterCandidateSamplerKernels(KernelRegistry& registry);
Status RegisterCastKernels(KernelRegistry& registry);
Status RegisterCheckKernels(KernelRegistry& registry);
Status RegisterCompareKernels(KernelRegistry& registry);
Status RegisterComplexKernels(KernelRegistry& registry);
Status RegisterConvolutionKernels(KernelRegistry& registry);
Status RegisterDiagonalKernels(KernelRegistry& registry);
Status RegisterEditDistanceKernels(KernelRegistry& registry);
Status RegisterEinsumKernels(KernelRegistry& registry);
Status RegisterGatherKernels(KernelRegistry& registry);
Status RegisterFakeQuantizationKernels(KernelRegistry& registry);
Status RegisterFourierKernels(KernelRegistry& registry);
Status RegisterFunctionKernels(KernelRegistry& registry);
Status RegisterGruKernels(KernelRegistry& registry);
Status RegisterHistogramKernels(KernelRegistry& registry);
Status RegisterImagePatchKernels(KernelRegistry& registry);
Status RegisterIndexKernels(KernelRegistry& registry);
Status RegisterLimitKernels(KernelRegistry& registry);
Status RegisterListKernels(KernelRegistry& registry);
Status RegisterListRowsKernels(KernelRegistry& registry);
Status RegisterLocalResponseKernels(KernelRegistry& registry);
Status RegisterLogicKernels(KernelRegistry& registry);
Status RegisterLstmKernels(KernelRegistry& registry);
Status RegisterMatMulKernels(KernelRegistry& registry);
Status RegisterMapKernels(KernelRegistry& registry);
Status RegisterMathBinaryKernels(KernelRegistry& registry);
Status RegisterMathGradKernels(KernelRegistry& registry);
Status RegisterMathUnaryKernels(KernelRegistry& registry);
Status RegisterMatrixDecompositionKernels(KernelRegistry& registry);
Status RegisterMaxPoolKernels(KernelRegistry& registry);
Status RegisterNonMaxSuppressionKernels(KernelRegistry& registry);
Status RegisterOptionalKernels(KernelRegistry& registry);
Status RegisterPartitionKernels(KernelRegistry& registry);
Status RegisterPrintKernels(KernelRegistry& registry);
Status RegisterParsingKernels(KernelRegistry& registry);
Status RegisterQrKernels(KernelRegistry& registry);
Status RegisterRandomKernels(KernelRegistry& registry);
Status RegisterRandomTrialKernels(KernelRegistry& registry);
Status RegisterRawKernels(KernelRegistry& registry);
Status RegisterRaggedDenseKernels(KernelRegistry& registry);
Status RegisterRaggedVariantKernels(KernelRegistry& registry);
Status RegisterRaggedKernels(KernelRegistry& registry);
Status RegisterReductionKernels(KernelRegistry& registry);
Status RegisterReferenceVariableKernels(KernelRegistry& registry);
Status RegisterResizeKernels(KernelRegistry& registry);
Status RegisterResizeNearestKernels(KernelRegistry& registry);
Status RegisterResourceVariableKernels(KernelRegistry& registry);
Status RegisterRowJoinKernels(KernelRegistry& registry);
Status RegisterSavingKernels(KernelRegistry& registry);
Status RegisterScanKernels(KernelRegistry& registry);
Status RegisterScatterKernels(KernelRegistry& registry);
Status RegisterSegmentKernels(KernelRegistry& registry);
Status RegisterSelectKernels(KernelRegistry& registry);
Status RegisterSelfAdjointEigKernels(KernelRegistry& registry);
Status RegisterSetKernels(KernelRegistry& registry);
Status RegisterSparseFillKernels(KernelRegistry& registry);
Status RegisterSparseLayoutKernels(KernelRegistry& registry);
Status RegisterSparseMathKernels(KernelRegistry& registry);
Status RegisterSparsePartKernels(KernelRegistry& registry);
Status RegisterSparseReductionKernels(KernelRegistry& registry);
Status RegisterSparseSerializationKernels(KernelRegistry& registry);
Status RegisterSparseSumKernels(KernelRegistry& registry);
Status RegisterColorKernels(KernelRegistry& registry);
Status RegisterBoxSelectionKernels(KernelRegistry& registry);
Status RegisterDilationKernels(KernelRegistry& registry);
Status RegisterDrawBoxesKernels(KernelRegistry& registry);
Status RegisterCropKernels(KernelRegistry& registry);
Status RegisterCtcBeamKernels(KernelRegistry& registry);
Status RegisterCtcKernels(KernelRegistry& registry);
Status RegisterShapeKernels(KernelRegistry& registry);
Status RegisterSliceKernels(KernelRegistry& registry);
Status RegisterSliceUpdateKernels(KernelRegistry& registry);
Status RegisterSoftmaxKernels(KernelRegistry& registry);
Status RegisterSpecialKernels(KernelRegistry& registry);
Status RegisterStackKernels(KernelRegistry& registry);
Status RegisterRegexKernels(KernelRegistry& registry);
Status RegisterStringConvertKernels(KernelRegistry& registry);
Status RegisterStringFormatKernels(KernelRegistry& registry);
Status RegisterStringHashKernels(KernelRegistry& registry);
Status RegisterStringJoinKernels(KernelRegistry& registry);
Status RegisterStringNGramKernels(KernelRegistry& registry);
Status RegisterStringPieceKernels(KernelRegistry& registry);
Status RegisterSummaryKernels(KernelRegistry& registry);
Status RegisterSvdKernels(KernelRegistry& registry);
Status RegisterTableKernels(KernelRegistry& registry);
Status RegisterTensorArrayKernels(KernelRegistry& registry);
Status RegisterTensorArrayRowsKernels(KernelRegistry& registry);
Status RegisterTopKKernels(KernelRegistry& registry);
Status RegisterTrainingKernels(KernelRegistry& registry);
Status RegisterUnicodeKernels(KernelRegistry& registry);
Status RegisterUniqueKernels(KernelRegistry& registry);
Status RegisterVariableRowKernels(KernelRegistry& registry);
Status RegisterVariableSliceKernels(KernelRegistry& registry);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_FAMILIES_H_
