// Arithmetic, element by element.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {

Status RegisterMathOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("Add")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
                "complex128, string}")
          .Summary("x + y, by broadcasting; strings are concatenated.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("AddV2")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype, complex64, complex128}")
          .Commutative()
          .Summary("x + y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Sub")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype, complex64, complex128}")
          .Summary("x - y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Mul")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype, complex64, complex128}")
          .Commutative()
          .Summary("x * y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Div")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype, complex64, complex128}")
          .Summary("x / y, by broadcasting; of integers the quotient truncated toward zero.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("RealDiv")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype, complex64, complex128}")
          .Summary("x / y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("FloorDiv")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype, complex64, complex128}")
          .Summary("The quotient x / y rounded down, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("FloorMod")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype}")
          .Summary("The remainder of FloorDiv, which has the sign of y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Mod")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {int32, int64, half, bfloat16, float, double}")
          .Summary("The remainder of TruncateDiv, which has the sign of x, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("TruncateDiv")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype, complex64, complex128}")
          .Summary("The quotient x / y rounded toward zero, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("TruncateMod")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {int32, int64, bfloat16, half, float, double}")
          .Summary("The remainder of TruncateDiv, which has the sign of x, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("DivNoNan")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {half, float, bfloat16, double, complex64, complex128}")
          .Summary("x / y, and 0 where y is 0, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("SquaredDifference")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
          .Commutative()
          .Summary("The square of x - y (of its modulus when complex), by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Pow")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, "
                "complex128}")
          .Summary("x to the power of y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Maximum")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype}")
          .Summary("The larger of x and y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Minimum")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {realnumbertype}")
          .Summary("The smaller of x and y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Neg")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
                "complex128}")
          .Summary("-x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Abs")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64}")
          .Summary("The magnitude of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Sign")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
                "complex128}")
          .Summary("-1, 0 or 1 as x is below, at or above 0; x / |x| when complex.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Square")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {realnumbertype, complex64, complex128}")
          .Summary("x * x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Sqrt")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("The square root of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Rsqrt")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("1 over the square root of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Reciprocal")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
                "complex128}")
          .Summary("1 / x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Inv")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
                "complex128}")
          .Summary("1 / x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Exp")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("e to the power of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Expm1")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("e to the power of x, less 1, exact near 0.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Log")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("The natural logarithm of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Log1p")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("The natural logarithm of 1 + x, exact near 0.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Sin")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("The sine of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Cos")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("The cosine of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Tanh")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("The hyperbolic tangent of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Sigmoid")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("1 / (1 + exp(-x)).")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Erf")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double}")
          .Summary("The error function of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Floor")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double}")
          .Summary("x rounded down.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Ceil")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double}")
          .Summary("x rounded up.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Round")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
                "complex128}")
          .Summary("x rounded to the nearest integer, halves to the even one.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Rint")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double}")
          .Summary("x rounded to the nearest integer, halves to the even one.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Relu")
          .Input("features: T")
          .Output("activations: T")
          .Attr("T: {realnumbertype, qint8}")
          .Summary("x where it is above 0, else 0.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Softplus")
          .Input("features: T")
          .Output("activations: T")
          .Attr("T: {half, bfloat16, float, double}")
          .Summary("log(1 + exp(x)).")
          .Shape(shapes::Unchanged),
      OpDefBuilder("TanhGrad")
          .Input("y: T")
          .Input("dy: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("dy * (1 - y * y): the gradient of Tanh by its output y.")
          .Shape(shapes::Merged),
      OpDefBuilder("SigmoidGrad")
          .Input("y: T")
          .Input("dy: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("dy * y * (1 - y): the gradient of Sigmoid by its output y.")
          .Shape(shapes::Merged),
      OpDefBuilder("SqrtGrad")
          .Input("y: T")
          .Input("dy: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("dy / 2 / y: the gradient of Sqrt by its output y.")
          .Shape(shapes::Merged),
      OpDefBuilder("RsqrtGrad")
          .Input("y: T")
          .Input("dy: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("-dy / 2 * y ** 3: the gradient of Rsqrt by its output y.")
          .Shape(shapes::Merged),
      OpDefBuilder("ReciprocalGrad")
          .Input("y: T")
          .Input("dy: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("-dy * y * y: the gradient of Reciprocal by its output y.")
          .Shape(shapes::Merged),
      OpDefBuilder("InvGrad")
          .Input("y: T")
          .Input("dy: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
          .Summary("-dy * y * y: the gradient of Inv by its output y.")
          .Shape(shapes::Merged),
      OpDefBuilder("ReluGrad")
          .Input("gradients: T")
          .Input("features: T")
          .Output("backprops: T")
          .Attr("T: realnumbertype")
          .Summary("The gradients where features is above 0, else 0.")
          .Shape(shapes::Merged),
  };
  return RegisterAll(registry, ops);
}

}  // namespace tagflow
