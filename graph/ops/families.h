#ifndef TAGFLOW_GRAPH_OPS_FAMILIES_H_
#define TAGFLOW_GRAPH_OPS_FAMILIES_H_

// The families of op definitions, one per file <family>_ops.cc. RegisterStandardOps calls them all.

#include <vector>

#include "graph/op_def.h"

namespace tagflow {

Status RegisterControlFlowOps(OpRegistry& registry);
Status RegisterBasicOps(OpRegistry& registry);
Status RegisterMathOps(OpRegistry& registry);
Status RegisterSpecialOps(OpRegistry& registry);
Status RegisterActivationOps(OpRegistry& registry);
Status RegisterBitwiseOps(OpRegistry& registry);
Status RegisterComplexOps(OpRegistry& registry);
Status RegisterCompareOps(OpRegistry& registry);
Status RegisterReductionOps(OpRegistry& registry);
Status RegisterArrayOps(OpRegistry& registry);
Status RegisterSlicingOps(OpRegistry& registry);
Status RegisterTensorArrayOps(OpRegistry& registry);
Status RegisterStackOps(OpRegistry& registry);
Status RegisterListOps(OpRegistry& registry);
Status RegisterMapOps(OpRegistry& registry);
Status RegisterOptionalOps(OpRegistry& registry);
Status RegisterScatterVariableOps(OpRegistry& registry);
Status RegisterTrainingOps(OpRegistry& registry);
Status RegisterVariableOps(OpRegistry& registry);
Status RegisterMatrixOps(OpRegistry& registry);
Status RegisterScatterOps(OpRegistry& registry);
Status RegisterSegmentOps(OpRegistry& registry);
Status RegisterSearchOps(OpRegistry& registry);
Status RegisterRandomOps(OpRegistry& registry);
Status RegisterProductOps(OpRegistry& registry);
Status RegisterSoftmaxOps(OpRegistry& registry);
Status RegisterConvolutionOps(OpRegistry& registry);
Status RegisterNormalizationOps(OpRegistry& registry);
Status RegisterPoolingOps(OpRegistry& registry);
Status RegisterStringOps(OpRegistry& registry);
Status RegisterRegexOps(OpRegistry& registry);
Status RegisterUnicodeOps(OpRegistry& registry);
Status RegisterRearrangingOps(OpRegistry& registry);
Status RegisterBlockOps(OpRegistry& registry);
Status RegisterDiagonalOps(OpRegistry& registry);
Status RegisterSliceUpdateOps(OpRegistry& registry);
Status RegisterIndexOps(OpRegistry& registry);
Status RegisterFunctionalOps(OpRegistry& registry);
Status RegisterSavingOps(OpRegistry& registry);
Status RegisterTableOps(OpRegistry& registry);
Status RegisterParsingOps(OpRegistry& registry);
Status RegisterSummaryOps(OpRegistry& registry);
Status RegisterSetOps(OpRegistry& registry);
Status RegisterSparseOps(OpRegistry& registry);
Status RegisterSparseMathOps(OpRegistry& registry);
Status RegisterCtcOps(OpRegistry& registry);
Status RegisterColorOps(OpRegistry& registry);
Status RegisterDilationOps(OpRegistry& registry);
Status RegisterFourierOps(OpRegistry& registry);
Status RegisterRaggedOps(OpRegistry& registry);
Status RegisterImageOps(OpRegistry& registry);
Status RegisterRecurrentOps(OpRegistry& registry);
Status RegisterQuantizationOps(OpRegistry& registry);
Status RegisterRandomStateOps(OpRegistry& registry);

// Registers each; stops at the first error.
Status RegisterAll(OpRegistry& registry, const std::vector<OpDefBuilder>& builders);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OPS_FAMILIES_H_
