// Shapes of tensors, and tensors made of shapes.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {

Status RegisterArrayOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("Shape")
          .Input("input: T")
          .Output("output: out_type")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .Summary("The dimensions of a tensor.")
          .Shape(shapes::Unknown),
      OpDefBuilder("ShapeN")
          .Input("input: N * T")
          .Output("output: N * out_type")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .Summary("The dimensions of each of several tensors.")
          .Shape(shapes::Unknown),
      OpDefBuilder("Size")
          .Input("input: T")
          .Output("output: out_type")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .Summary("The number of elements of a tensor.")
          .Shape(shapes::Scalar),
      OpDefBuilder("Rank")
          .Input("input: T")
          .Output("output: int32")
          .Attr("T: type")
          .Summary("The number of dimensions of a tensor.")
          .Shape(shapes::Scalar),
      OpDefBuilder("Reshape")
          .Input("tensor: T")
          .Input("shape: Tshape")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tshape: {int32, int64} = DT_INT32")
          .Summary(
              "The elements of a tensor under another shape, in which one dimension may be -1.")
          .Shape(shapes::Unknown),
      OpDefBuilder("ExpandDims")
          .Input("input: T")
          .Input("dim: Tdim")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tdim: {int32, int64} = DT_INT32")
          .Summary("A tensor with a dimension of size 1 inserted.")
          .Shape(shapes::Unknown),
      OpDefBuilder("Squeeze")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("squeeze_dims: list(int) >= 0 = []")
          .Summary("A tensor without its dimensions of size 1, or without the ones listed.")
          .Shape(shapes::Unknown),
      OpDefBuilder("EnsureShape")
          .Input("input: T")
          .Output("output: T")
          .Attr("shape: shape")
          .Attr("T: type")
          .Summary("Its input; fails unless that has the given shape.")
          .Shape(shapes::Unknown),
      OpDefBuilder("Fill")
          .Input("dims: index_type")
          .Input("value: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("index_type: {int32, int64} = DT_INT32")
          .Summary("A tensor of the given dimensions, all of one value.")
          .Shape(shapes::Unknown),
      OpDefBuilder("ZerosLike")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: type")
          .Summary("Zeros of the shape of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("OnesLike")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {realnumbertype, complex64, complex128, bool}")
          .Summary("Ones of the shape of x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Range")
          .Input("start: Tidx")
          .Input("limit: Tidx")
          .Input("delta: Tidx")
          .Output("output: Tidx")
          .Attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, "
                "uint64} = DT_INT32")
          .Summary("start, start + delta, and so on up to limit, which is left out.")
          .Shape(shapes::Unknown),
      OpDefBuilder("BroadcastTo")
          .Input("input: T")
          .Input("shape: Tidx")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("A tensor broadcast to the given shape.")
          .Shape(shapes::Unknown),
      OpDefBuilder("BroadcastGradientArgs")
          .Input("s0: T")
          .Input("s1: T")
          .Output("r0: T")
          .Output("r1: T")
          .Attr("T: {int32, int64} = DT_INT32")
          .Summary("The dimensions that broadcasting two shapes repeats in each.")
          .Shape(shapes::Unknown),
      OpDefBuilder("InvertPermutation")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {int32, int64} = DT_INT32")
          .Summary("y with y[x[i]] = i.")
          .Shape(shapes::Unknown),
      OpDefBuilder("Where")
          .Input("input: T")
          .Output("index: int64")
          .Attr("T: {numbertype, bool} = DT_BOOL")
          .Summary("The coordinates of the elements that are not zero, row by row.")
          .Shape(shapes::Unknown),
      OpDefBuilder("OneHot")
          .Input("indices: TI")
          .Input("depth: int32")
          .Input("on_value: T")
          .Input("off_value: T")
          .Output("output: T")
          .Attr("axis: int = -1")
          .Attr("T: type")
          .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
          .Summary("on_value at each index along a new dimension, off_value elsewhere.")
          .Shape(shapes::Unknown),
  };
  return RegisterAll(registry, ops);
}

}  // namespace tagflow
