// Gradients of the special functions. Several have parameters by which nobody can differentiate
// with the ops there are (the orders of Polygamma and Zeta, the shape of Betainc, twice the first
// of Igamma): to want such a gradient is an error, where TensorFlow gives none and says nothing.

#include <cmath>
#include <numbers>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

Status NoGradientBy(const NodeGradient& node, std::string_view parameter) {
  return Unimplemented("there is no derivative of " + node.node().op + " by its " +
                       std::string(parameter) + "; put a StopGradient before it");
}

// dy times f'(x), where y = f(x); `value` is x, or y.
using Rule = Output (*)(const Scope& scope, const Output& dy, const Output& value);

GradientFunction ByInput(Rule rule) {
  return [rule](NodeGradient& node) {
    node.Give(0, rule(node.scope(), node.grad(0), node.input(0)));
    return Status();
  };
}
GradientFunction ByOutput(Rule rule) {
  return [rule](NodeGradient& node) {
    node.Give(0, rule(node.scope(), node.grad(0), node.output(0)));
    return Status();
  };
}

// exp(-x^2) times a constant.
Output Bell(const Scope& scope, const Output& dy, const Output& x, double height) {
  return Mul(scope, dy, Mul(scope, Exp(scope, Neg(scope, Square(scope, x))), height));
}
Output ErfRule(const Scope& scope, const Output& dy, const Output& x) {
  return Bell(scope, dy, x, 2 * std::numbers::inv_sqrtpi);
}
Output ErfcRule(const Scope& scope, const Output& dy, const Output& x) {
  return Bell(scope, dy, x, -2 * std::numbers::inv_sqrtpi);
}
Output ErfinvRule(const Scope& scope, const Output& dy, const Output& y) {
  const double height = 0.5 / std::numbers::inv_sqrtpi;
  return Mul(scope, dy, Mul(scope, Exp(scope, Square(scope, y)), height));
}
Output NdtriRule(const Scope& scope, const Output& dy, const Output& y) {
  const double height = std::sqrt(2 * std::numbers::pi);
  return Mul(scope, dy, Mul(scope, Exp(scope, Mul(scope, Square(scope, y), 0.5)), height));
}
Output LgammaRule(const Scope& scope, const Output& dy, const Output& x) {
  return Mul(scope, dy, Op(scope, "Digamma", {x}));
}
Output DigammaRule(const Scope& scope, const Output& dy, const Output& x) {
  const Output trigamma = InWideFloats(scope, {x}, [&](const OutputList& wide) -> Output {
    return Op(scope, "Polygamma", {1, wide[0]});
  });
  return Mul(scope, dy, trigamma);
}

// Functions that are integrals: what they are integrals of.
Output ExpintRule(const Scope& scope, const Output& dy, const Output& x) {
  return Mul(scope, dy, Div(scope, Exp(scope, x), x));
}
Output FresnelPhase(const Scope& scope, const Output& x) {
  return Mul(scope, Square(scope, x), std::numbers::pi / 2);
}
Output FresnelCosRule(const Scope& scope, const Output& dy, const Output& x) {
  return Mul(scope, dy, Op(scope, "Cos", {FresnelPhase(scope, x)}));
}
Output FresnelSinRule(const Scope& scope, const Output& dy, const Output& x) {
  return Mul(scope, dy, Op(scope, "Sin", {FresnelPhase(scope, x)}));
}
// log(x) / (1 - x), at 1 what that tends to.
Output SpenceRule(const Scope& scope, const Output& dy, const Output& x) {
  const Output one = OnesLike(scope, x);
  const Output slope = Op(scope, "DivNoNan", {Log(scope, x), Sub(scope, one, x)});
  return Mul(scope, dy, Op(scope, "SelectV2", {Equal(scope, x, 1), Neg(scope, one), slope}));
}
Status DawsnGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output terms = Mul(scope, Mul(scope, node.input(0), node.output(0)), 2);
  const Output slope = Sub(scope, OnesLike(scope, terms), terms);
  node.Give(0, Mul(scope, node.grad(0), slope));
  return Status();
}

// Bessel functions, by their recurrences: each derivative is made of the functions of order 0
// and 1. Those of order 1 that are near x / 2 where x is near 0 have y / x for a term, which there
// is 1 / 2. (TensorFlow takes it for 0 in BesselI1's.)
Output AtZeroAHalf(const Scope& scope, const Output& x, const Output& slope) {
  const Output half = Mul(scope, OnesLike(scope, x), 0.5);
  return Op(scope, "SelectV2", {Equal(scope, x, 0), half, slope});
}
using BesselSlope = Output (*)(const Scope& scope, const Output& x, const Output& y);
struct BesselRule {
  const char* op;
  BesselSlope slope;
};
const BesselRule kBesselRules[] = {
    {"BesselI0",
     [](const Scope& scope, const Output& x, const Output&) -> Output {
       return Op(scope, "BesselI1", {x});
     }},
    {"BesselI0e",
     [](const Scope& scope, const Output& x, const Output& y) -> Output {
       return Sub(scope, Op(scope, "BesselI1e", {x}), Mul(scope, Sign(scope, x), y));
     }},
    {"BesselI1",
     [](const Scope& scope, const Output& x, const Output& y) -> Output {
       const Output ratio = Op(scope, "DivNoNan", {y, x});
       return AtZeroAHalf(scope, x, Sub(scope, Op(scope, "BesselI0", {x}), ratio));
     }},
    {"BesselI1e",
     [](const Scope& scope, const Output& x, const Output& y) -> Output {
       const Output terms =
           Add(scope, Mul(scope, Sign(scope, x), y), Op(scope, "DivNoNan", {y, x}));
       return AtZeroAHalf(scope, x, Sub(scope, Op(scope, "BesselI0e", {x}), terms));
     }},
    {"BesselK0",
     [](const Scope& scope, const Output& x, const Output&) -> Output {
       return Neg(scope, Op(scope, "BesselK1", {x}));
     }},
    {"BesselK0e",
     [](const Scope& scope, const Output& x, const Output& y) -> Output {
       return Sub(scope, y, Op(scope, "BesselK1e", {x}));
     }},
    {"BesselK1",
     [](const Scope& scope, const Output& x, const Output& y) -> Output {
       return Neg(scope, Add(scope, Op(scope, "BesselK0", {x}), Div(scope, y, x)));
     }},
    {"BesselK1e",
     [](const Scope& scope, const Output& x, const Output& y) -> Output {
       return Sub(scope, Sub(scope, y, Div(scope, y, x)), Op(scope, "BesselK0e", {x}));
     }},
    {"BesselJ0",
     [](const Scope& scope, const Output& x, const Output&) -> Output {
       return Neg(scope, Op(scope, "BesselJ1", {x}));
     }},
    {"BesselJ1",
     [](const Scope& scope, const Output& x, const Output& y) -> Output {
       const Output ratio = Op(scope, "DivNoNan", {y, x});
       return AtZeroAHalf(scope, x, Sub(scope, Op(scope, "BesselJ0", {x}), ratio));
     }},
    {"BesselY0",
     [](const Scope& scope, const Output& x, const Output&) -> Output {
       return Neg(scope, Op(scope, "BesselY1", {x}));
     }},
    {"BesselY1",
     [](const Scope& scope, const Output& x, const Output& y) -> Output {
       return Sub(scope, Op(scope, "BesselY0", {x}), Div(scope, y, x));
     }},
};

// x^(a-1) exp(-x) / gamma(a): the density of gamma distributed numbers, by logarithms, since the
// factors may be large.
Output GammaDensity(const Scope& scope, const Output& a, const Output& x) {
  const Output power = Op(scope, "Xlogy", {Sub(scope, a, 1), x});
  return Exp(scope, Sub(scope, Sub(scope, power, x), Op(scope, "Lgamma", {a})));
}

// sign: 1 for Igamma, -1 for Igammac, its complement to 1.
GradientFunction IncompleteGamma(int sign) {
  return [sign](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Output a = node.input(0);
    const Output x = node.input(1);
    const Output dz = sign > 0 ? node.grad(0) : Neg(scope, node.grad(0));
    if (node.wants(0)) {
      const Output slope = InWideFloats(scope, {a, x}, [&](const OutputList& wide) -> Output {
        return Op(scope, "IgammaGradA", {wide[0], wide[1]});
      });
      node.GiveReduced(0, Mul(scope, dz, slope));
    }
    if (node.wants(1)) node.GiveReduced(1, Mul(scope, dz, GammaDensity(scope, a, x)));
    return Status();
  };
}

// The density's derivative by a.
Status IgammaGradAGradient(NodeGradient& node) {
  if (node.wants(0)) return NoGradientBy(node, "first input");
  const Scope& scope = node.scope();
  const Output a = node.input(0);
  const Output x = node.input(1);
  const Output growth = Sub(scope, Log(scope, x), Op(scope, "Digamma", {a}));
  const Output slope = Mul(scope, GammaDensity(scope, a, x), growth);
  node.GiveReduced(1, Mul(scope, node.grad(0), slope));
  return Status();
}

// x^(a-1) (1-x)^(b-1) / beta(a, b)
Status BetaincGradient(NodeGradient& node) {
  if (node.wants(0)) return NoGradientBy(node, "first input");
  if (node.wants(1)) return NoGradientBy(node, "second input");
  const Scope& scope = node.scope();
  const Output a = node.input(0);
  const Output b = node.input(1);
  const Output x = node.input(2);
  const auto lgamma = [&](const Output& of) -> Output { return Op(scope, "Lgamma", {of}); };
  const Output beta = Sub(scope, Add(scope, lgamma(a), lgamma(b)), lgamma(Add(scope, a, b)));
  const Output power = Op(scope, "Xlogy", {Sub(scope, a, 1), x});
  const Output rest = Op(scope, "Xlog1py", {Sub(scope, b, 1), Neg(scope, x)});
  const Output density = Exp(scope, Sub(scope, Add(scope, power, rest), beta));
  node.GiveReduced(2, Mul(scope, node.grad(0), density));
  return Status();
}

Status ZetaGradient(NodeGradient& node) {
  if (node.wants(0)) return NoGradientBy(node, "first input");
  const Scope& scope = node.scope();
  const Output x = node.input(0);
  const Output next = Op(scope, "Zeta", {Add(scope, x, 1), node.input(1)});
  node.GiveReduced(1, Mul(scope, node.grad(0), Neg(scope, Mul(scope, x, next))));
  return Status();
}

Status PolygammaGradient(NodeGradient& node) {
  if (node.wants(0)) return NoGradientBy(node, "order");
  const Scope& scope = node.scope();
  const Output next = Op(scope, "Polygamma", {Add(scope, node.input(0), 1), node.input(1)});
  node.GiveReduced(1, Mul(scope, node.grad(0), next));
  return Status();
}

const GradientEntry kEntries[] = {
    {"Erf", ByInput(ErfRule)},
    {"Erfc", ByInput(ErfcRule)},
    {"Erfinv", ByOutput(ErfinvRule)},
    {"Ndtri", ByOutput(NdtriRule)},
    {"Lgamma", ByInput(LgammaRule)},
    {"Digamma", ByInput(DigammaRule)},
    {"Dawsn", DawsnGradient},
    {"Expint", ByInput(ExpintRule)},
    {"FresnelCos", ByInput(FresnelCosRule)},
    {"FresnelSin", ByInput(FresnelSinRule)},
    {"Spence", ByInput(SpenceRule)},
    {"Igamma", IncompleteGamma(1)},
    {"Igammac", IncompleteGamma(-1)},
    {"IgammaGradA", IgammaGradAGradient},
    {"Betainc", BetaincGradient},
    {"Zeta", ZetaGradient},
    {"Polygamma", PolygammaGradient},
};

}  // namespace

Status RegisterSpecialGradients(GradientRegistry& registry) {
  for (const auto& [op, slope] : kBesselRules) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, [slope = slope](NodeGradient& node) {
      const Output by_x = slope(node.scope(), node.input(0), node.output(0));
      node.Give(0, Mul(node.scope(), node.grad(0), by_x));
      return Status();
    }));
  }
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
