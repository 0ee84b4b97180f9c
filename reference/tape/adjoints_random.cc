// Derivatives of random numbers: a number x of the gamma distribution with shape a moves with a so
// that P(a, x), the share of numbers below it, stays. What is drawn in whole numbers jumps.

#include <cmath>
#include <string>

#include "reference/kernels/special_functions.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// The shape of alpha, input `slot`, is the end of the output's.
AdjointFunction Gamma(size_t slot) {
  return [slot](FiringPartials& firing) {
    const std::vector<double> alpha = ToDoubles(firing.input(slot));
    const std::vector<double> x = ToDoubles(firing.output(0));
    const auto alpha_at = BroadcastWalk(firing.input(slot).dims(), firing.output(0).dims());
    for (size_t o = 0; o < x.size(); ++o) {
      const double a = alpha[alpha_at[o]];
      const double log_density = (a - 1) * std::log(x[o]) - x[o] - std::lgamma(a);
      const double slope = -LowerGammaSlope(a, x[o]) / std::exp(log_density);
      // P's own derivative is a sum of terms of the order of P.
      const double terms = (1 + std::fabs(log_density)) * std::fabs(slope);
      firing.Add(0, o, slot, alpha_at[o], slope, terms + 1 / std::exp(log_density));
    }
    return Status();
  };
}

}  // namespace

void AddRandomAdjoints(AdjointTable& table) {
  table.Set("RandomGamma", Gamma(1));
  table.Set("StatelessRandomGammaV2", Gamma(2));
  table.Set("StatelessRandomGammaV3", Gamma(4));
  for (const char* op : {"NonDeterministicInts", "StatefulRandomBinomial",
                         "StatefulStandardNormalV2", "StatefulTruncatedNormal", "StatefulUniform",
                         "StatefulUniformFullInt", "StatefulUniformInt", "StatelessRandomBinomial",
                         "StatelessRandomPoisson", "RandomPoissonV2"}) {
    table.Stop(op);
  }
  // Training: a variable is a constant, whoever set it.
  for (const std::string op :
       {"Adadelta", "Adagrad", "AdagradDA", "AdagradV2", "AdaMax", "Adam", "AddSign",
        "CenteredRMSProp", "Ftrl", "FtrlV2", "GradientDescent", "Momentum", "PowerSign",
        "ProximalAdagrad", "ProximalGradientDescent", "RMSProp"}) {
    table.Stop("Apply" + op);
  }
  for (const std::string op :
       {"Adadelta", "Adagrad", "AdagradDA", "AdagradV2", "CenteredRMSProp", "Ftrl", "FtrlV2",
        "Momentum", "ProximalAdagrad", "ProximalGradientDescent", "RMSProp"}) {
    table.Stop("SparseApply" + op);
  }
}

}  // namespace tagflow::reference
