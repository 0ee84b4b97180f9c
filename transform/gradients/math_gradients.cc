// Gradients of arithmetic and of functions applied element by element.
//
// The functions are analytic with real coefficients, so the conjugate of f'(x) is f' of the
// conjugate: that is how complex numbers are served.
//
// Where a function has a corner, TensorFlow chose a side, and so do we: Abs is flat at 0.

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// dy times f'(x), where y = f(x); `value` is the conjugate of x, or of y.
using Rule = Output (*)(const Scope& scope, const Output& dy, const Output& value);

struct UnaryRule {
  const char* op;
  Rule rule;
};

// By x.
const UnaryRule kOfInput[] = {
    {"Square", [](const Scope& scope, const Output& dy,
                  const Output& x) { return Mul(scope, dy, Mul(scope, x, 2)); }},
    {"Expm1", [](const Scope& scope, const Output& dy,
                 const Output& x) { return Mul(scope, dy, Exp(scope, x)); }},
    {"Log",
     [](const Scope& scope, const Output& dy, const Output& x) { return RealDiv(scope, dy, x); }},
    {"Log1p", [](const Scope& scope, const Output& dy,
                 const Output& x) { return RealDiv(scope, dy, Add(scope, x, 1)); }},
    {"Sin", [](const Scope& scope, const Output& dy,
               const Output& x) { return Mul(scope, dy, Cos(scope, x)); }},
    {"Cos", [](const Scope& scope, const Output& dy,
               const Output& x) { return Neg(scope, Mul(scope, dy, Sin(scope, x))); }},
    {"Sinh",
     [](const Scope& scope, const Output& dy, const Output& x) -> Output {
       return Mul(scope, dy, Op(scope, "Cosh", {x}));
     }},
    {"Cosh",
     [](const Scope& scope, const Output& dy, const Output& x) -> Output {
       return Mul(scope, dy, Op(scope, "Sinh", {x}));
     }},
    {"Atan", [](const Scope& scope, const Output& dy,
                const Output& x) { return RealDiv(scope, dy, Add(scope, Square(scope, x), 1)); }},
    {"Atanh", [](const Scope& scope, const Output& dy,
                 const Output& x) { return RealDiv(scope, dy, Sub(scope, 1, Square(scope, x))); }},
    {"Asin",
     [](const Scope& scope, const Output& dy, const Output& x) {
       return RealDiv(scope, dy, Sqrt(scope, Sub(scope, 1, Square(scope, x))));
     }},
    {"Acos",
     [](const Scope& scope, const Output& dy, const Output& x) {
       return Neg(scope, RealDiv(scope, dy, Sqrt(scope, Sub(scope, 1, Square(scope, x)))));
     }},
};

// By y.
const UnaryRule kOfOutput[] = {
    {"Exp",
     [](const Scope& scope, const Output& dy, const Output& y) { return Mul(scope, dy, y); }},
    {"Tan", [](const Scope& scope, const Output& dy,
               const Output& y) { return Mul(scope, dy, Add(scope, Square(scope, y), 1)); }},
    {"Asinh", [](const Scope& scope, const Output& dy,
                 const Output& y) { return RealDiv(scope, dy, Op(scope, "Cosh", {y})); }},
    {"Acosh", [](const Scope& scope, const Output& dy,
                 const Output& y) { return RealDiv(scope, dy, Op(scope, "Sinh", {y})); }},
    {"Tanh",
     [](const Scope& scope, const Output& dy, const Output& y) -> Output {
       return Op(scope, "TanhGrad", {y, dy});
     }},
    {"Sigmoid",
     [](const Scope& scope, const Output& dy, const Output& y) -> Output {
       return Op(scope, "SigmoidGrad", {y, dy});
     }},
    // These ops take the conjugate themselves.
    {"Sqrt",
     [](const Scope& scope, const Output& dy, const Output& y) -> Output {
       return Op(scope, "SqrtGrad", {Conjugate(scope, y), dy});
     }},
    {"Rsqrt",
     [](const Scope& scope, const Output& dy, const Output& y) -> Output {
       return Op(scope, "RsqrtGrad", {Conjugate(scope, y), dy});
     }},
    {"Reciprocal",
     [](const Scope& scope, const Output& dy, const Output& y) -> Output {
       return Op(scope, "ReciprocalGrad", {Conjugate(scope, y), dy});
     }},
    {"Inv",
     [](const Scope& scope, const Output& dy, const Output& y) -> Output {
       return Op(scope, "ReciprocalGrad", {Conjugate(scope, y), dy});
     }},
};

GradientFunction ByInput(Rule rule) {
  return [rule](NodeGradient& node) {
    node.Give(0, rule(node.scope(), node.grad(0), Conjugate(node.scope(), node.input(0))));
    return Status();
  };
}

GradientFunction ByOutput(Rule rule) {
  return [rule](NodeGradient& node) {
    node.Give(0, rule(node.scope(), node.grad(0), Conjugate(node.scope(), node.output(0))));
    return Status();
  };
}

Status NegGradient(NodeGradient& node) {
  node.Give(0, Neg(node.scope(), node.grad(0)));
  return Status();
}

Status AbsGradient(NodeGradient& node) {
  node.Give(0, Mul(node.scope(), node.grad(0), Sign(node.scope(), node.input(0))));
  return Status();
}

// Of real numbers, 0. A complex s = x / |x| turns with x and keeps its size: what is left of the
// gradient is the part at right angles to s, over |x|.
Status SignGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output dy = node.grad(0);
  if (!IsComplex(dy.dtype())) {
    node.Give(0, ZerosLike(scope, dy));
    return Status();
  }
  const Output s = node.output(0);
  const Output x = node.input(0);
  const Output along = Mul(scope, s, RealPart(scope, Mul(scope, Conjugate(scope, s), dy)));
  // x conj(s) is |x|.
  const Output size = Mul(scope, x, Conjugate(scope, s));
  node.Give(0, Op(scope, "DivNoNan", {Sub(scope, dy, along), size}));
  return Status();
}

// Numbers of which nothing changes when x does a little.
Status CastGradient(NodeGradient& node) {
  const DType from = node.input_dtype(0);
  if (!IsFloating(from) && !IsComplex(from)) return Status();
  node.Give(0, Cast(node.scope(), node.grad(0), from));
  return Status();
}

Status AddGradient(NodeGradient& node) {
  node.GiveReduced(0, node.grad(0));
  node.GiveReduced(1, node.grad(0));
  return Status();
}

Status SubGradient(NodeGradient& node) {
  node.GiveReduced(0, node.grad(0));
  if (node.wants(1)) node.GiveReduced(1, Neg(node.scope(), node.grad(0)));
  return Status();
}

Status MulGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const auto factor = [&](size_t slot) { return Conjugate(scope, node.input(slot)); };
  if (node.wants(0)) node.GiveReduced(0, Mul(scope, node.grad(0), factor(1)));
  if (node.wants(1)) node.GiveReduced(1, Mul(scope, factor(0), node.grad(0)));
  return Status();
}

// 0 where y is 0, whatever x is.
Status MulNoNanGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const auto factor = [&](size_t slot) { return Conjugate(scope, node.input(slot)); };
  if (node.wants(0)) node.GiveReduced(0, Op(scope, "MulNoNan", {node.grad(0), factor(1)}));
  if (node.wants(1)) node.GiveReduced(1, Op(scope, "MulNoNan", {factor(0), node.grad(0)}));
  return Status();
}

// z = x / y by `divide`, which may be RealDiv or DivNoNan: the gradient by y is -z times that by x.
GradientFunction Quotient(const char* divide) {
  return [divide](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Output by_x = Op(scope, divide, {node.grad(0), Conjugate(scope, node.input(1))});
    if (node.wants(0)) node.GiveReduced(0, by_x);
    if (node.wants(1)) {
      const Output z = Conjugate(scope, node.output(0));
      node.GiveReduced(1, Neg(scope, Mul(scope, by_x, z)));
    }
    return Status();
  };
}

// x - y times the quotient, a whole number.
GradientFunction Remainder(const char* divide) {
  return [divide](NodeGradient& node) {
    const Scope& scope = node.scope();
    node.GiveReduced(0, node.grad(0));
    if (!node.wants(1)) return Status();
    const Output quotient = Op(scope, divide, {node.input(0), node.input(1)});
    node.GiveReduced(1, Mul(scope, node.grad(0), Neg(scope, quotient)));
    return Status();
  };
}

// |x - y|^2, of which the imaginary part is 0 whatever x and y are.
Status SquaredDifferenceGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output twice = Mul(scope, RealPart(scope, node.grad(0)), 2);
  const Output dx = Mul(scope, twice, Sub(scope, node.input(0), node.input(1)));
  node.GiveReduced(0, dx);
  if (node.wants(1)) node.GiveReduced(1, Neg(scope, dx));
  return Status();
}

// log(x) where it is a number, else 0: x to a power that cannot move.
Output LogOfBase(const Scope& scope, const Output& x) {
  const Output safe = IsComplex(x.dtype()) ? NotEqual(scope, x, 0) : Greater(scope, x, 0);
  const Output log = Log(scope, Select(scope, safe, x, 1));
  return Select(scope, safe, log, 0);
}

Status PowGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output x = Conjugate(scope, node.input(0));
  if (node.wants(0)) {
    const Output y = Conjugate(scope, node.input(1));
    const Output slope = Mul(scope, y, Pow(scope, x, Sub(scope, y, 1)));
    node.GiveReduced(0, Mul(scope, node.grad(0), slope));
  }
  if (node.wants(1)) {
    const Output z = Conjugate(scope, node.output(0));
    node.GiveReduced(1, Mul(scope, node.grad(0), Mul(scope, z, LogOfBase(scope, x))));
  }
  return Status();
}

// 1 where x is not 0, else 0.
Output IsNotZero(const Scope& scope, const Output& x) {
  return Cast(scope, NotEqual(scope, x, 0), x.dtype());
}

// f(x, y) = x g(y), and 0 where x is 0 even if g(y) is no number. `product` is f's op; dy(x, y) is
// x g'(y) in the same sense.
GradientFunction ProductWith(const char* product, Rule dy) {
  return [product, dy](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Output x = Conjugate(scope, node.input(0));
    const Output y = Conjugate(scope, node.input(1));
    if (node.wants(0)) {
      const Output g = Op(scope, product, {IsNotZero(scope, x), y});
      node.GiveReduced(0, Mul(scope, node.grad(0), g));
    }
    if (node.wants(1)) node.GiveReduced(1, Mul(scope, node.grad(0), dy(scope, x, y)));
    return Status();
  };
}

Output XlogySlope(const Scope& scope, const Output& x, const Output& y) {
  return Op(scope, "Xdivy", {x, y});
}
Output Xlog1pySlope(const Scope& scope, const Output& x, const Output& y) {
  return Op(scope, "Xdivy", {x, Add(scope, y, 1)});
}
Output XdivySlope(const Scope& scope, const Output& x, const Output& y) {
  return Op(scope, "Xdivy", {Neg(scope, x), Square(scope, y)});
}

// The angle of (x, y): its gradient is the radius turned by a right angle, over its square.
Status Atan2Gradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output y = node.input(0);
  const Output x = node.input(1);
  const Output share = RealDiv(scope, node.grad(0), Add(scope, Square(scope, y), Square(scope, x)));
  if (node.wants(0)) node.GiveReduced(0, Mul(scope, x, share));
  if (node.wants(1)) node.GiveReduced(1, Neg(scope, Mul(scope, y, share)));
  return Status();
}

// The neighbour of x1 moves as x1 does.
Status NextAfterGradient(NodeGradient& node) {
  node.GiveReduced(0, node.grad(0));
  if (node.wants(1)) node.GiveReduced(1, ZerosLike(node.scope(), node.grad(0)));
  return Status();
}

Status SumOfAllGradient(NodeGradient& node) {
  for (size_t slot = 0; slot < node.num_inputs(); ++slot) node.Give(slot, node.grad(0));
  return Status();
}

// The gradients of Tanh, Sigmoid and roots as ops of their own: inputs y and dy. As to dy they are
// linear, so the gradient by it is the op again, by the conjugate of the factor.
struct GradRule {
  const char* op;
  bool conjugates_y;  // the op does it itself: its factor is a function of the conjugate of y
  // The gradient by y, from g, the gradient of the output, and y, dy and the output z as they are.
  Output (*by_y)(const Scope& scope, const Output& g, const Output& y, const Output& dy);
};

Output TanhGradByY(const Scope& scope, const Output& g, const Output& y, const Output& dy) {
  return Mul(scope, g, Mul(scope, Conjugate(scope, Mul(scope, y, dy)), -2));
}
// dy (1 - 2 y)
Output SigmoidGradByY(const Scope& scope, const Output& g, const Output& y, const Output& dy) {
  const Output slope = Mul(scope, dy, Sub(scope, 1, Mul(scope, y, 2)));
  return Mul(scope, g, Conjugate(scope, slope));
}
// z = dy / 2 / y' where y' is the conjugate: it turns against y, so g is conjugated instead.
Output SqrtGradByY(const Scope& scope, const Output& g, const Output& y, const Output& dy) {
  const Output square = Square(scope, Conjugate(scope, y));
  return Mul(scope, Conjugate(scope, g), RealDiv(scope, Mul(scope, dy, -0.5), square));
}
Output RsqrtGradByY(const Scope& scope, const Output& g, const Output& y, const Output& dy) {
  const Output square = Square(scope, Conjugate(scope, y));
  return Mul(scope, Conjugate(scope, g), Mul(scope, Mul(scope, dy, -1.5), square));
}
Output ReciprocalGradByY(const Scope& scope, const Output& g, const Output& y, const Output& dy) {
  return Mul(scope, Conjugate(scope, g), Mul(scope, Mul(scope, dy, -2), Conjugate(scope, y)));
}

const GradRule kGradRules[] = {
    {"TanhGrad", false, TanhGradByY},
    {"SigmoidGrad", false, SigmoidGradByY},
    {"SqrtGrad", true, SqrtGradByY},
    {"RsqrtGrad", true, RsqrtGradByY},
    {"ReciprocalGrad", true, ReciprocalGradByY},
    {"InvGrad", true, ReciprocalGradByY},
};

// Either way the factor of dy is f(y) or f(conj y), its conjugate f(conj y) or f(y): the op of the
// conjugate of y.
GradientFunction OfGradient(const GradRule& rule) {
  return [rule](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Output y = node.input(0);
    if (node.wants(0)) node.Give(0, rule.by_y(scope, node.grad(0), y, node.input(1)));
    if (node.wants(1)) node.Give(1, Op(scope, rule.op, {Conjugate(scope, y), node.grad(0)}));
    return Status();
  };
}

const GradientEntry kOthers[] = {
    {"Neg", NegGradient},
    {"Abs", AbsGradient},
    {"Sign", SignGradient},
    {"Cast", CastGradient},
    {"Add", AddGradient},
    {"AddV2", AddGradient},
    {"Sub", SubGradient},
    {"Mul", MulGradient},
    {"MulNoNan", MulNoNanGradient},
    {"Div", Quotient("RealDiv")},
    {"RealDiv", Quotient("RealDiv")},
    {"DivNoNan", Quotient("DivNoNan")},
    {"FloorMod", Remainder("FloorDiv")},
    {"Mod", Remainder("TruncateDiv")},
    {"TruncateMod", Remainder("TruncateDiv")},
    {"SquaredDifference", SquaredDifferenceGradient},
    {"Pow", PowGradient},
    {"Xlogy", ProductWith("Xlogy", XlogySlope)},
    {"Xlog1py", ProductWith("Xlog1py", Xlog1pySlope)},
    {"Xdivy", ProductWith("Xdivy", XdivySlope)},
    {"Atan2", Atan2Gradient},
    {"NextAfter", NextAfterGradient},
    {"AddN", SumOfAllGradient},
    {"AccumulateNV2", SumOfAllGradient},
};

const char* const kStops[] = {
    // Steps: constant between their jumps.
    "Floor",
    "Ceil",
    "Round",
    "Rint",
    "FloorDiv",
    "TruncateDiv",
    // Truth values.
    "Equal",
    "NotEqual",
    "ApproximateEqual",
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "IsFinite",
    "IsInf",
    "IsNan",
};

}  // namespace

Status RegisterMathGradients(GradientRegistry& registry) {
  for (const UnaryRule& rule : kOfInput) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(rule.op, ByInput(rule.rule)));
  }
  for (const UnaryRule& rule : kOfOutput) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(rule.op, ByOutput(rule.rule)));
  }
  for (const GradRule& rule : kGradRules) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(rule.op, OfGradient(rule)));
  }
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, kOthers));
  return RegisterStops(registry, kStops);
}

}  // namespace tagflow
