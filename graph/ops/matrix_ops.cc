// Matrices, and sums of many tensors.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {

Status RegisterMatrixOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("MatMul")
          .Input("a: T")
          .Input("b: T")
          .Output("product: T")
          .Attr("transpose_a: bool = false")
          .Attr("transpose_b: bool = false")
          .Attr("T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, "
                "complex64, complex128}")
          .Attr("grad_a: bool = false")
          .Attr("grad_b: bool = false")
          .Summary("The matrix product of a and b, each transposed first if asked.")
          .Shape(shapes::Unknown),
      OpDefBuilder("BatchMatMulV2")
          .Input("x: T")
          .Input("y: T")
          .Output("output: T")
          .Attr("T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, "
                "uint64, complex64, complex128}")
          .Attr("adj_x: bool = false")
          .Attr("adj_y: bool = false")
          .Attr("grad_x: bool = false")
          .Attr("grad_y: bool = false")
          .Summary("Matrix products of batches that are broadcast, each adjoined first if asked.")
          .Shape(shapes::Unknown),
      OpDefBuilder("BiasAdd")
          .Input("value: T")
          .Input("bias: T")
          .Output("output: T")
          .Attr("T: numbertype")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Summary("value plus a vector along its dimension of channels.")
          .Shape(shapes::Unknown),
      OpDefBuilder("AddN")
          .Input("inputs: N * T")
          .Output("sum: T")
          .Attr("N: int >= 1")
          .Attr("T: {numbertype, variant}")
          .Commutative()
          .Summary("The sum of tensors of one shape.")
          .Shape(shapes::Unknown),
  };
  return RegisterAll(registry, ops);
}

}  // namespace tagflow
