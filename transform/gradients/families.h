#ifndef TAGFLOW_TRANSFORM_GRADIENTS_FAMILIES_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_FAMILIES_H_

// The gradients of Tagflow's ops, a file each family.

#include "transform/gradients/gradient_function.h"

namespace tagflow {

Status RegisterActivationGradients(GradientRegistry& registry);
Status RegisterChoiceGradients(GradientRegistry& registry);
Status RegisterComplexGradients(GradientRegistry& registry);
Status RegisterConvolutionGradients(GradientRegistry& registry);
Status RegisterDecompositionGradients(GradientRegistry& registry);
Status RegisterDiagonalGradients(GradientRegistry& registry);
Status RegisterEinsumGradients(GradientRegistry& registry);
Status RegisterImageGradients(GradientRegistry& registry);
Status RegisterLinalgGradients(GradientRegistry& registry);
Status RegisterMapGradients(GradientRegistry& registry);
Status RegisterMathGradients(GradientRegistry& registry);
Status RegisterMatrixGradients(GradientRegistry& registry);
Status RegisterNormalizationGradients(GradientRegistry& registry);
Status RegisterPoolingGradients(GradientRegistry& registry);
Status RegisterQuantizationGradients(GradientRegistry& registry);
Status RegisterRandomGradients(GradientRegistry& registry);
Status RegisterRaggedGradients(GradientRegistry& registry);
Status RegisterReductionGradients(GradientRegistry& registry);
Status RegisterSegmentGradients(GradientRegistry& registry);
Status RegisterSoftmaxGradients(GradientRegistry& registry);
Status RegisterSparseGradients(GradientRegistry& registry);
Status RegisterSequenceGradients(GradientRegistry& registry);
Status RegisterSpecialGradients(GradientRegistry& registry);

Status RegisterArrayGradients(GradientRegistry& registry);
Status RegisterFourierGradients(GradientRegistry& registry);
Status RegisterGatherGradients(GradientRegistry& registry);
Status RegisterListGradients(GradientRegistry& registry);
Status RegisterTensorArrayGradients(GradientRegistry& registry);
Status RegisterSliceGradients(GradientRegistry& registry);
Status RegisterRearrangingGradients(GradientRegistry& registry);
Status RegisterScatterGradients(GradientRegistry& registry);
Status RegisterStateGradients(GradientRegistry& registry);
Status RegisterOptionalGradients(GradientRegistry& registry);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_FAMILIES_H_
