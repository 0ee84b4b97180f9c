#ifndef TAGFLOW_REFERENCE_KERNELS_FAMILIES_H_
#define TAGFLOW_REFERENCE_KERNELS_FAMILIES_H_

// One function per family of kernels; each registers its ops and fails only with ALREADY_EXISTS.
// A new family is a file of its own, a line here and a line in standard_kernels.cc.

#include "graph/status.h"
#include "reference/kernel.h"

namespace tagflow::reference {

Status RegisterActivationKernels(KernelRegistry& registry);
Status RegisterArrayKernels(KernelRegistry& registry);
Status RegisterAveragePoolKernels(KernelRegistry& registry);
Status RegisterBasicKernels(KernelRegistry& registry);
Status RegisterBatchNormKernels(KernelRegistry& registry);
Status RegisterBiasKernels(KernelRegistry& registry);
Status RegisterCandidateSamplerKernels(KernelRegistry& registry);
Status RegisterCastKernels(KernelRegistry& registry);
Status RegisterCompareKernels(KernelRegistry& registry);
Status RegisterEditDistanceKernels(KernelRegistry& registry);
Status RegisterEinsumKernels(KernelRegistry& registry);
Status RegisterDiagonalKernels(KernelRegistry& registry);
Status RegisterGatherKernels(KernelRegistry& registry);
Status RegisterFakeQuantizationKernels(KernelRegistry& registry);
Status RegisterFourierKernels(KernelRegistry& registry);
Status RegisterFunctionKernels(KernelRegistry& registry);
Status RegisterGruKernels(KernelRegistry& registry);
Status RegisterHistogramKernels(KernelRegistry& registry);
Status RegisterImagePatchKernels(KernelRegistry& registry);
Status RegisterIndexKernels(KernelRegistry& registry);
Status RegisterBitwiseKernels(KernelRegistry& registry);
Status RegisterCastKernels(KernelRegistry& registry);
Status RegisterCompareKernels(KernelRegistry& registry);
Status RegisterComplexKernels(KernelRegistry& registry);
Status RegisterConvolutionKernels(KernelRegistry& registry);
Status RegisterGatherKernels(KernelRegistry& registry);
Status RegisterHistogramKernels(KernelRegistry& registry);
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
Status RegisterParsingKernels(KernelRegistry& registry);
Status RegisterQrKernels(KernelRegistry& registry);
Status RegisterRandomKernels(KernelRegistry& registry);
Status RegisterRandomTrialKernels(KernelRegistry& registry);
Status RegisterNonMaxSuppressionKernels(KernelRegistry& registry);
Status RegisterOptionalKernels(KernelRegistry& registry);
Status RegisterRaggedDenseKernels(KernelRegistry& registry);
Status RegisterRaggedVariantKernels(KernelRegistry& registry);
Status RegisterRaggedKernels(KernelRegistry& registry);
Status RegisterReductionKernels(KernelRegistry& registry);
Status RegisterScatterKernels(KernelRegistry& registry);
Status RegisterScatterRowsKernels(KernelRegistry& registry);
Status RegisterScatterVariableKernels(KernelRegistry& registry);
Status RegisterSegmentKernels(KernelRegistry& registry);
Status RegisterResizeKernels(KernelRegistry& registry);
Status RegisterSavingKernels(KernelRegistry& registry);
Status RegisterScanKernels(KernelRegistry& registry);
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
Status RegisterDilationKernels(KernelRegistry& registry);
Status RegisterDrawBoxesKernels(KernelRegistry& registry);
Status RegisterCropKernels(KernelRegistry& registry);
Status RegisterCtcBeamKernels(KernelRegistry& registry);
Status RegisterCtcKernels(KernelRegistry& registry);
Status RegisterShapeKernels(KernelRegistry& registry);
Status RegisterSliceKernels(KernelRegistry& registry);
Status RegisterSoftmaxKernels(KernelRegistry& registry);
Status RegisterSliceUpdateKernels(KernelRegistry& registry);
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
Status RegisterTrainingKernels(KernelRegistry& registry);
Status RegisterTopKKernels(KernelRegistry& registry);
Status RegisterUnicodeKernels(KernelRegistry& registry);
Status RegisterUniqueKernels(KernelRegistry& registry);
Status RegisterVariableKernels(KernelRegistry& registry);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_FAMILIES_H_
