// Activation functions of neural networks, and their gradients.

#include "optimized/formulas/activations.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: the tables below are of nothing else
namespace {

Result<BoundKernel> BindLeakyRelu(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const float alpha, FloatAttr(binding.node, "alpha"));
  return BindMap(binding, kFloats, kMapForms<LeakyRelu>, alpha);
}
Result<BoundKernel> BindLeakyReluGrad(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const float alpha, FloatAttr(binding.node, "alpha"));
  return BindPairs(binding, kFloats, kPairForms<LeakyReluGrad>, PairShapes::kSame, alpha);
}

}  // namespace

Status RegisterActivationKernels(KernelRegistry& registry) {
  constexpr PairShapes kSame = PairShapes::kSame;
  return RegisterAll(registry, {
                                   {"Elu", Map<Elu>(kFloats)},
                                   {"EluGrad", Pairs<EluGrad>(kFloats, kSame)},
                                   {"LeakyRelu", BindLeakyRelu},
                                   {"LeakyReluGrad", BindLeakyReluGrad},
                                   {"Relu", Map<Relu>(kReals)},
                                   {"Relu6", Map<Relu6>(kReals)},
                                   {"Relu6Grad", Pairs<Relu6Grad>(kReals, kSame)},
                                   {"ReluGrad", Pairs<ReluGrad>(kReals, kSame)},
                                   {"Selu", Map<Selu>(kFloats)},
                                   {"SeluGrad", Pairs<SeluGrad>(kFloats, kSame)},
                                   {"Softplus", DoubleMap<Softplus>(kFloats)},
                                   {"SoftplusGrad", Pairs<SoftplusGrad>(kFloats, kSame)},
                                   {"Softsign", Map<Softsign>(kFloats)},
                                   {"SoftsignGrad", Pairs<SoftsignGrad>(kFloats, kSame)},
                               });
}

}  // namespace tagflow::optimized
