// Gradients of random numbers and of training steps.
//
// A number x drawn from the gamma distribution of shape a is, for one seed, a function of a that
// keeps P(a, x), the share of numbers below x, as it is: dx/da = - (dP/da) / (dP/dx). (Figurnov,
// Mohamed, Mnih, "Implicit Reparameterization Gradients", 2018.)

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// dx/da; the density dP/dx is x^(a-1) exp(-x) / gamma(a).
Output GammaSlope(const Scope& scope, const Output& a, const Output& x) {
  const Output power = Op(scope, "Xlogy", {Sub(scope, a, 1), x});
  const Output density = Exp(scope, Sub(scope, Sub(scope, power, x), Op(scope, "Lgamma", {a})));
  const Output by_a = Op(scope, "IgammaGradA", {a, x});
  return Neg(scope, RealDiv(scope, by_a, density));
}

// The shape of alpha, input `slot`, is the end of the output's.
GradientFunction GammaBy(size_t slot) {
  return [slot](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Output slope =
        InWideFloats(scope, {node.input(slot), node.output(0)},
                     [&](const OutputList& wide) { return GammaSlope(scope, wide[0], wide[1]); });
    node.GiveReduced(slot, Mul(scope, node.grad(0), slope));
    return Status();
  };
}

const GradientEntry kEntries[] = {
    {"RandomGamma", GammaBy(1)},
    {"StatelessRandomGammaV2", GammaBy(2)},
    {"StatelessRandomGammaV3", GammaBy(4)},
};

const char* const kStops[] = {
    // Whole numbers, which jump.
    "StatefulRandomBinomial",
    "StatefulUniformInt",
    "StatelessRandomBinomial",
    "StatelessRandomPoisson",
    "RandomPoissonV2",
    "StatelessMultinomial",
    "Multinomial",
    "FixedUnigramCandidateSampler",
    "LearnedUnigramCandidateSampler",
    "LogUniformCandidateSampler",
    "ThreadUnsafeUnigramCandidateSampler",
    "UniformCandidateSampler",
    // Numbers that depend on nothing but seeds and shapes.
    "NonDeterministicInts",
    "StatefulStandardNormalV2",
    "StatefulTruncatedNormal",
    "StatefulUniform",
    "StatefulUniformFullInt",
    "RandomStandardNormal",
    "RandomUniform",
    "RandomUniformInt",
    "TruncatedNormal",
    "StatelessRandomNormal",
    "StatelessRandomNormalV2",
    "StatelessRandomUniform",
    "StatelessRandomUniformV2",
    "StatelessRandomUniformInt",
    "StatelessRandomUniformIntV2",
    "StatelessRandomUniformFullInt",
    "StatelessRandomUniformFullIntV2",
    "StatelessTruncatedNormal",
    "StatelessTruncatedNormalV2",
    // A variable is a constant to whoever differentiates, and steps of training change it.
    "RefSelect",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdam",
    "ApplyAdaMax",
    "ApplyAddSign",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyFtrlV2",
    "ApplyGradientDescent",
    "ApplyMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradDA",
    "SparseApplyAdagradV2",
    "SparseApplyCenteredRMSProp",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyMomentum",
    "SparseApplyProximalAdagrad",
    "SparseApplyProximalGradientDescent",
    "SparseApplyRMSProp",
    "ResourceApplyAdaMax",
    "ResourceApplyAdadelta",
    "ResourceApplyAdagrad",
    "ResourceApplyAdagradDA",
    "ResourceApplyAdagradV2",
    "ResourceApplyAdam",
    "ResourceApplyAdamWithAmsgrad",
    "ResourceApplyAddSign",
    "ResourceApplyCenteredRMSProp",
    "ResourceApplyFtrl",
    "ResourceApplyFtrlV2",
    "ResourceApplyGradientDescent",
    "ResourceApplyKerasMomentum",
    "ResourceApplyMomentum",
    "ResourceApplyPowerSign",
    "ResourceApplyProximalAdagrad",
    "ResourceApplyProximalGradientDescent",
    "ResourceApplyRMSProp",
    "ResourceSparseApplyAdadelta",
    "ResourceSparseApplyAdagrad",
    "ResourceSparseApplyAdagradDA",
    "ResourceSparseApplyAdagradV2",
    "ResourceSparseApplyCenteredRMSProp",
    "ResourceSparseApplyFtrl",
    "ResourceSparseApplyFtrlV2",
    "ResourceSparseApplyKerasMomentum",
    "ResourceSparseApplyMomentum",
    "ResourceSparseApplyProximalAdagrad",
    "ResourceSparseApplyProximalGradientDescent",
    "ResourceSparseApplyRMSProp",
};

}  // namespace

Status RegisterRandomGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, kEntries));
  return RegisterStops(registry, kStops);
}

}  // namespace tagflow
