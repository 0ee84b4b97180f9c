#include "transform/gradients/gradient_function.h"

#include <algorithm>

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"

namespace tagflow {
namespace {

// The dimensions along which an operand of shape `from` is repeated in shape `to`.
// REQUIRES: both are fully known, and `from` broadcasts to `to`.
std::vector<int32_t> RepeatedAlong(const PartialShape& from, const PartialShape& to) {
  std::vector<int32_t> axes;
  const int missing = to.rank() - from.rank();
  for (int i = 0; i < to.rank(); ++i) {
    if (i < missing || (from.dim(i - missing) == 1 && to.dim(i) != 1)) axes.push_back(i);
  }
  return axes;
}

}  // namespace

void NodeGradient::GiveReduced(size_t slot, const Output& gradient) {
  if (!wants(slot) || !gradient.valid()) return;
  const PartialShape from = input_shape(slot);
  const PartialShape to = gradient.shape();
  if (from.fully_known() && from == to) return Give(slot, gradient);
  if (from.fully_known() && to.fully_known()) {
    const Output sum = Sum(scope(), gradient, Const(scope(), RepeatedAlong(from, to)));
    return Give(slot, sum.shape() == from ? sum : Reshape(scope(), sum, shape_of_input(slot)));
  }
  const Output dims = shape_of_input(slot);
  const Operation axes = Op(scope(), "BroadcastGradientArgs", {dims, Shape(scope(), gradient)});
  Give(slot, Reshape(scope(), Sum(scope(), gradient, axes[0]), dims));
}

Status GradientRegistry::Register(std::string_view op, GradientFunction function) {
  if (functions_.emplace(op, std::move(function)).second) return Status();
  return AlreadyExists("the op " + std::string(op) + " has a gradient function already");
}

const GradientFunction* GradientRegistry::Find(std::string_view op) const {
  const auto found = functions_.find(std::string(op));
  return found == functions_.end() ? nullptr : &found->second;
}

const GradientRegistry& GradientRegistry::Standard() {
  static const GradientRegistry* const kRegistry = [] {
    auto* registry = new GradientRegistry();
    TAGFLOW_CHECK(RegisterStandardGradients(*registry).ok());
    return registry;
  }();
  return *kRegistry;
}

Status RegisterStandardGradients(GradientRegistry& registry) {
  for (
      const auto family :
      {RegisterActivationGradients,    RegisterArrayGradients,       RegisterChoiceGradients,
       RegisterComplexGradients,       RegisterConvolutionGradients, RegisterDecompositionGradients,
       RegisterDiagonalGradients,      RegisterEinsumGradients,      RegisterGatherGradients,
       RegisterLinalgGradients,        RegisterListGradients,        RegisterMathGradients,
       RegisterMatrixGradients,        RegisterOptionalGradients,    RegisterRandomGradients,
       RegisterRearrangingGradients,   RegisterReductionGradients,   RegisterScatterGradients,
       RegisterSegmentGradients,       RegisterSliceGradients,       RegisterSoftmaxGradients,
       RegisterSpecialGradients,       RegisterStateGradients,       RegisterTensorArrayGradients,
       RegisterNormalizationGradients, RegisterPoolingGradients,     RegisterSequenceGradients,
       RegisterSparseGradients,        RegisterImageGradients,       RegisterQuantizationGradients,
       RegisterFourierGradients,       RegisterRaggedGradients,      RegisterMapGradients}) {
    TAGFLOW_RETURN_IF_ERROR(family(registry));
  }
  return Status();
}

}  // namespace tagflow
