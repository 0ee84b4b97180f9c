#include "graph/op_def.h"
#include "graph/ops/families.h"

namespace tagflow {

Status RegisterAll(OpRegistry& registry, const std::vector<OpDefBuilder>& builders) {
  for (const OpDefBuilder& builder : builders) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(builder));
  }
  return Status();
}

Status RegisterStandardOps(OpRegistry& registry) {
  constexpr Status (*kFamilies[])(OpRegistry&) = {
      RegisterControlFlowOps, RegisterBasicOps,
      RegisterMathOps,        RegisterCompareOps,
      RegisterReductionOps,   RegisterArrayOps,
      RegisterSlicingOps,     RegisterTensorArrayOps,
      RegisterStackOps,       RegisterVariableOps,
      RegisterMatrixOps,      RegisterScatterOps,
      RegisterSegmentOps,     RegisterSearchOps,
      RegisterRandomOps,      RegisterProductOps,
      RegisterSoftmaxOps,     RegisterConvolutionOps,
      RegisterStringOps,      RegisterRearrangingOps,
      RegisterBlockOps,       RegisterDiagonalOps,
      RegisterSliceUpdateOps, RegisterIndexOps,
      RegisterListOps,        RegisterOptionalOps,
      RegisterTrainingOps,    RegisterScatterVariableOps,
      RegisterSpecialOps,     RegisterActivationOps,
      RegisterBitwiseOps,     RegisterComplexOps,
      RegisterFunctionalOps,  RegisterSavingOps,
      RegisterTableOps,       RegisterParsingOps,
      RegisterSummaryOps,     RegisterNormalizationOps,
      RegisterPoolingOps,     RegisterSetOps,
      RegisterSparseOps,      RegisterSparseMathOps,
      RegisterCtcOps,         RegisterImageOps,
      RegisterRegexOps,       RegisterUnicodeOps,
      RegisterRecurrentOps,   RegisterQuantizationOps,
      RegisterRandomStateOps, RegisterColorOps,
      RegisterDilationOps,    RegisterFourierOps,
      RegisterRaggedOps,      RegisterMapOps,
  };
  for (const auto& family : kFamilies) TAGFLOW_RETURN_IF_ERROR(family(registry));
  return Status();
}

}  // namespace tagflow
