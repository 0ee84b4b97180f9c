// Arithmetic, element by element.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// Sets of types that several ops allow.
constexpr char kFloats[] = "{bfloat16, half, float, double}";
constexpr char kFloatsAndComplex[] = "{bfloat16, half, float, double, complex64, complex128}";
constexpr char kSigned[] = "{bfloat16, half, float, double, int8, int16, int32, int64}";
constexpr char kSignedAndComplex[] =
    "{bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}";
constexpr char kAllNumbers[] = "{realnumbertype, complex64, complex128}";
constexpr char kReals[] = "{realnumbertype}";

struct UnaryOp {
  const char* name;
  const char* types;
  const char* summary;
};

struct BinaryOp {
  const char* name;
  const char* types;
  bool is_commutative;
  const char* summary;
};

// x: T -> y: T
constexpr UnaryOp kUnary[] = {
    {"Neg", kSignedAndComplex, "-x."},
    {"Abs", kSigned, "The magnitude of x."},
    {"Sign", kSignedAndComplex, "-1, 0 or 1 as x is below, at or above 0; x / |x| when complex."},
    {"Square", kAllNumbers, "x * x."},
    {"Sqrt", kFloatsAndComplex, "The square root of x."},
    {"Rsqrt", kFloatsAndComplex, "1 over the square root of x."},
    {"Reciprocal", kSignedAndComplex, "1 / x."},
    {"Inv", kSignedAndComplex, "1 / x."},
    {"Exp", kFloatsAndComplex, "e to the power of x."},
    {"Expm1", kFloatsAndComplex, "e to the power of x, less 1, exact near 0."},
    {"Log", kFloatsAndComplex, "The natural logarithm of x."},
    {"Log1p", kFloatsAndComplex, "The natural logarithm of 1 + x, exact near 0."},
    {"Sin", kFloatsAndComplex, "The sine of x."},
    {"Cos", kFloatsAndComplex, "The cosine of x."},
    {"Tan", kFloatsAndComplex, "The tangent of x."},
    {"Asin", kFloatsAndComplex, "The angle whose sine is x, from -pi/2 to pi/2."},
    {"Acos", kFloatsAndComplex, "The angle whose cosine is x, from 0 to pi."},
    {"Atan", kFloatsAndComplex, "The angle whose tangent is x, from -pi/2 to pi/2."},
    {"Sinh", kFloatsAndComplex, "The hyperbolic sine of x."},
    {"Cosh", kFloatsAndComplex, "The hyperbolic cosine of x."},
    {"Tanh", kFloatsAndComplex, "The hyperbolic tangent of x."},
    {"Asinh", kFloatsAndComplex, "The number whose hyperbolic sine is x."},
    {"Acosh", kFloatsAndComplex, "The number, not below 0, whose hyperbolic cosine is x."},
    {"Atanh", kFloatsAndComplex, "The number whose hyperbolic tangent is x."},
    {"Sigmoid", kFloatsAndComplex, "1 / (1 + exp(-x))."},
    {"Floor", kFloats, "x rounded down."},
    {"Ceil", kFloats, "x rounded up."},
    {"Round", kSignedAndComplex, "x rounded to the nearest integer, halves to the even one."},
    {"Rint", kFloats, "x rounded to the nearest integer, halves to the even one."},
};

// x: T, y: T -> z: T, by broadcasting
constexpr BinaryOp kBinary[] = {
    {"Add",
     "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, "
     "string}",
     false, "x + y, by broadcasting; strings are concatenated."},
    {"AddV2", kAllNumbers, true, "x + y, by broadcasting."},
    {"Sub", kAllNumbers, false, "x - y, by broadcasting."},
    {"Mul", kAllNumbers, true, "x * y, by broadcasting."},
    {"Div", kAllNumbers, false,
     "x / y, by broadcasting; of integers the quotient truncated toward zero."},
    {"RealDiv", kAllNumbers, false, "x / y, by broadcasting."},
    {"FloorDiv", kAllNumbers, false, "The quotient x / y rounded down, by broadcasting."},
    {"FloorMod", kReals, false,
     "The remainder of FloorDiv, which has the sign of y, by broadcasting."},
    {"Mod", "{int32, int64, half, bfloat16, float, double}", false,
     "The remainder of TruncateDiv, which has the sign of x, by broadcasting."},
    {"TruncateDiv", kAllNumbers, false, "The quotient x / y rounded toward zero, by broadcasting."},
    {"TruncateMod", "{int32, int64, bfloat16, half, float, double}", false,
     "The remainder of TruncateDiv, which has the sign of x, by broadcasting."},
    {"DivNoNan", kFloatsAndComplex, false, "x / y, and 0 where y is 0, by broadcasting."},
    {"MulNoNan", kFloatsAndComplex, false, "x * y, and 0 where y is 0, by broadcasting."},
    {"SquaredDifference", "{bfloat16, half, float, double, int32, int64, complex64, complex128}",
     true, "The square of x - y (of its modulus when complex), by broadcasting."},
    {"Xlogy", kFloatsAndComplex, false, "x * log(y), and 0 where x is 0, by broadcasting."},
    {"Xlog1py", kFloatsAndComplex, false, "x * log(1 + y), and 0 where x is 0, by broadcasting."},
    {"Xdivy", kFloatsAndComplex, false, "x / y, and 0 where x is 0, by broadcasting."},
    {"Pow", kSignedAndComplex, false, "x to the power of y, by broadcasting."},
    {"Maximum", kReals, false, "The larger of x and y, by broadcasting."},
    {"Minimum", kReals, false, "The smaller of x and y, by broadcasting."},
};

// y: T, dy: T -> z: T, where y is the output of the op whose gradient this is
constexpr UnaryOp kGradients[] = {
    {"TanhGrad", kFloatsAndComplex, "dy * (1 - y * y): the gradient of Tanh by its output y."},
    {"SigmoidGrad", kFloatsAndComplex,
     "dy * y * (1 - y): the gradient of Sigmoid by its output y."},
    {"SqrtGrad", kFloatsAndComplex, "dy / 2 / y: the gradient of Sqrt by its output y."},
    {"RsqrtGrad", kFloatsAndComplex, "-dy / 2 * y ** 3: the gradient of Rsqrt by its output y."},
    {"ReciprocalGrad", kFloatsAndComplex,
     "-dy * y * y: the gradient of Reciprocal by its output y."},
    {"InvGrad", kFloatsAndComplex, "-dy * y * y: the gradient of Inv by its output y."},
};

OpDefBuilder Definition(const char* name, const char* types, const char* summary) {
  return OpDefBuilder(name).Attr(std::string("T: ") + types).Summary(summary);
}

std::vector<OpDefBuilder> OtherOps() {
  return {
      OpDefBuilder("Atan2")
          .Input("y: T")
          .Input("x: T")
          .Output("z: T")
          .Attr(std::string("T: ") + kFloats)
          .Summary("The angle of the point (x, y), from -pi to pi, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("NextAfter")
          .Input("x1: T")
          .Input("x2: T")
          .Output("output: T")
          .Attr("T: {double, float} = DT_FLOAT")
          .Summary("The number next to x1 on the way to x2, by broadcasting.")
          .Shape(shapes::Broadcast),
  };
}

}  // namespace

Status RegisterMathOps(OpRegistry& registry) {
  for (const UnaryOp& op : kUnary) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(Definition(op.name, op.types, op.summary)
                                                  .Input("x: T")
                                                  .Output("y: T")
                                                  .Shape(shapes::Unchanged)));
  }
  for (const BinaryOp& op : kBinary) {
    OpDefBuilder builder = Definition(op.name, op.types, op.summary);
    builder.Input("x: T").Input("y: T").Output("z: T").Shape(shapes::Broadcast);
    if (op.is_commutative) builder.Commutative();
    TAGFLOW_RETURN_IF_ERROR(registry.Register(builder));
  }
  for (const UnaryOp& op : kGradients) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(Definition(op.name, op.types, op.summary)
                                                  .Input("y: T")
                                                  .Input("dy: T")
                                                  .Output("z: T")
                                                  .Shape(shapes::Merged)));
  }
  return RegisterAll(registry, OtherOps());
}

}  // namespace tagflow
