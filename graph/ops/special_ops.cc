// The special functions of mathematics, element by element.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr char kFloats[] = "T: {bfloat16, half, float, double}";
constexpr char kWideFloats[] = "T: {float, double}";

// x: T -> y: T
struct SpecialOp {
  const char* name;
  const char* summary;
  bool has_zeros = false;  // near which only the distance to a zero is exact
};
constexpr SpecialOp kSpecialOps[] = {
    {"Lgamma", "The logarithm of |gamma(x)|."},
    {"Digamma", "The derivative of log(gamma(x))."},
    {"Erf", "The error function of x."},
    {"Erfc", "1 - erf(x), exact for large x."},
    {"Erfinv", "The number whose error function is x."},
    {"Ndtri", "The number below which a normal variable lies with probability x."},
    {"BesselI0", "The modified Bessel function of the first kind, of order 0."},
    {"BesselI0e", "BesselI0 times exp(-|x|)."},
    {"BesselI1", "The modified Bessel function of the first kind, of order 1."},
    {"BesselI1e", "BesselI1 times exp(-|x|)."},
    {"BesselK0", "The modified Bessel function of the second kind, of order 0."},
    {"BesselK0e", "BesselK0 times exp(x)."},
    {"BesselK1", "The modified Bessel function of the second kind, of order 1."},
    {"BesselK1e", "BesselK1 times exp(x)."},
    {"BesselJ0", "The Bessel function of the first kind, of order 0.", true},
    {"BesselJ1", "The Bessel function of the first kind, of order 1.", true},
    {"BesselY0", "The Bessel function of the second kind, of order 0.", true},
    {"BesselY1", "The Bessel function of the second kind, of order 1.", true},
    {"Dawsn", "Dawson's integral: exp(-x^2) times the integral of exp(t^2) up to x."},
    {"Expint", "The exponential integral: that of exp(t) / t up to x.", true},
    {"FresnelCos", "The integral of cos(pi t^2 / 2) up to x."},
    {"FresnelSin", "The integral of sin(pi t^2 / 2) up to x."},
    {"Spence", "Spence's function, the dilogarithm of 1 - x."},
};

// Two arguments, as they are named -> z: T
struct BinaryFunction {
  const char* name;
  const char* first;
  const char* second;
  const char* types;
  const char* summary;
};
constexpr BinaryFunction kBinaryFunctions[] = {
    {"Igamma", "a", "x", kFloats, "The lower incomplete gamma function over gamma(a)."},
    {"Igammac", "a", "x", kFloats, "The upper incomplete gamma function over gamma(a)."},
    {"IgammaGradA", "a", "x", kWideFloats, "The derivative of Igamma by a."},
    {"Zeta", "x", "q", kWideFloats, "The sum of (q + k) ** -x over k = 0, 1, 2, ..."},
    {"Polygamma", "a", "x", kWideFloats, "The derivative of order a of Digamma at x."},
};

// Scalars go with any shape; the others have one.
Status BetaincShape(ShapeContext& context) {
  PartialShape shape = PartialShape::Scalar();
  for (int i = 0; i < 3; ++i) {
    const PartialShape& input = context.input(i);
    if (!input.known_rank()) return Status();
    if (input.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = input;
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, input));
    }
  }
  context.set_output(0, std::move(shape));
  return Status();
}

}  // namespace

Status RegisterSpecialOps(OpRegistry& registry) {
  for (const SpecialOp& op : kSpecialOps) {
    OpDefBuilder builder(op.name);
    builder.Input("x: T").Output("y: T").Attr(kFloats).Summary(op.summary);
    if (op.has_zeros) builder.Rounds(Rounding::kOfComplements);
    TAGFLOW_RETURN_IF_ERROR(registry.Register(builder.Shape(shapes::Unchanged)));
  }
  for (const BinaryFunction& op : kBinaryFunctions) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(OpDefBuilder(op.name)
                                                  .Input(std::string(op.first) + ": T")
                                                  .Input(std::string(op.second) + ": T")
                                                  .Output("z: T")
                                                  .Attr(op.types)
                                                  .Summary(op.summary)
                                                  .Shape(shapes::Broadcast)));
  }
  return registry.Register(OpDefBuilder("Betainc")
                               .Input("a: T")
                               .Input("b: T")
                               .Input("x: T")
                               .Output("z: T")
                               .Attr(kWideFloats)
                               .Rounds(Rounding::kOfComplements)
                               .Summary("The incomplete beta function of x over beta(a, b).")
                               .Shape(BetaincShape));
}

}  // namespace tagflow
