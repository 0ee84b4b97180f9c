// Matrices, and sums of many tensors.

#include <utility>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;
constexpr char kFactorTypes[] =
    "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}";

// The last two dimensions of input i as (rows, columns) after transposing.
Result<std::pair<int64_t, int64_t>> MatrixDims(const ShapeContext& context, int i,
                                               std::string_view transpose_attr) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool transpose, BoolAttr(context.node(), transpose_attr));
  const PartialShape& shape = context.input(i);
  if (!shape.known_rank()) return std::pair(kUnknown, kUnknown);
  const std::pair dims(shape.dim(shape.rank() - 2), shape.dim(shape.rank() - 1));
  return transpose ? std::pair(dims.second, dims.first) : dims;
}

// The dimensions of a product of matrices.
Result<PartialShape> ProductShape(const ShapeContext& context, std::string_view transpose_first,
                                  std::string_view transpose_second) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto first, MatrixDims(context, 0, transpose_first));
  TAGFLOW_ASSIGN_OR_RETURN(const auto second, MatrixDims(context, 1, transpose_second));
  if (!shapes::MergeDims(first.second, second.first).ok()) {
    return InvalidArgument("a product needs as many columns on the left, " +
                           std::to_string(first.second) + ", as rows on the right, " +
                           std::to_string(second.first));
  }
  return PartialShape(Dims{first.first, second.second});
}

Status MatMulShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 2));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ProductShape(context, "transpose_a", "transpose_b"));
  context.set_output(0, std::move(shape));
  return Status();
}

// The batch dimensions of a shape.
PartialShape BatchDims(const PartialShape& shape) {
  return shape.known_rank() ? shapes::Subshape(shape, 0, shape.rank() - 2) : shape;
}

Status BatchProductShape(ShapeContext& context, bool broadcasts) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape product, ProductShape(context, "adj_x", "adj_y"));
  const PartialShape x = BatchDims(context.input(0));
  const PartialShape y = BatchDims(context.input(1));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape batch,
                           broadcasts ? BroadcastShapes(x, y) : MergeShapes(x, y));
  context.set_output(0, shapes::Concatenated(batch, product));
  return Status();
}
Status BatchMatMulShape(ShapeContext& context) { return BatchProductShape(context, true); }
Status EqualBatchMatMulShape(ShapeContext& context) { return BatchProductShape(context, false); }

Status BiasShape(ShapeContext& context, std::string_view format) {
  const PartialShape& value = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  context.set_output(0, value);
  if (!value.known_rank() || !context.input(1).known_rank()) return Status();
  const int channels = format == "NCHW" ? 1 : value.rank() - 1;
  Dims dims = value.dims();
  TAGFLOW_ASSIGN_OR_RETURN(dims[static_cast<size_t>(channels)],
                           shapes::MergeDims(value.dim(channels), context.input(1).dim(0)));
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

// Vectors of three numbers along the last dimension.
Status CrossShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergeShapes(context.input(0), context.input(1)));
  if (shape.known_rank()) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 1));
    Dims dims = shape.dims();
    TAGFLOW_ASSIGN_OR_RETURN(dims.back(), shapes::MergeDims(dims.back(), 3));
    shape = PartialShape(std::move(dims));
  }
  context.set_output(0, std::move(shape));
  return Status();
}

Status BiasAddShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(context.node(), "data_format"));
  return BiasShape(context, format);
}

// A number for each channel.
Status BiasAddGradShape(ShapeContext& context) {
  const PartialShape& backprop = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(context.node(), "data_format"));
  const bool known = backprop.known_rank();
  const int channels = format == "NCHW" || !known ? 1 : backprop.rank() - 1;
  context.set_output(0, PartialShape(Dims{known ? backprop.dim(channels) : kUnknown}));
  return Status();
}

// Without an attr, channels are last.
Status BiasAddV1Shape(ShapeContext& context) { return BiasShape(context, "NHWC"); }

OpDefBuilder BatchProduct(const char* name) {
  return OpDefBuilder(name)
      .Attr("adj_x: bool = false")
      .Attr("adj_y: bool = false")
      .Attr("grad_x: bool = false")
      .Attr("grad_y: bool = false");
}

std::vector<OpDefBuilder> ProductOps() {
  return {
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
          .Shape(MatMulShape),
      BatchProduct("BatchMatMul")
          .Input("x: T")
          .Input("y: T")
          .Output("output: T")
          .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
          .Summary("Matrix products of batches of one shape, each adjoined first if asked.")
          .Shape(EqualBatchMatMulShape),
      BatchProduct("BatchMatMulV2")
          .Input("x: T")
          .Input("y: T")
          .Output("output: T")
          .Attr("T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, "
                "uint64, complex64, complex128}")
          .Summary("Matrix products of batches that are broadcast, each adjoined first if asked.")
          .Shape(BatchMatMulShape),
      BatchProduct("BatchMatMulV3")
          .Input("x: Ta")
          .Input("y: Tb")
          .Output("output: Tout")
          .Attr(std::string("Ta: ") + kFactorTypes)
          .Attr(std::string("Tb: ") + kFactorTypes)
          .Attr("Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}")
          .Summary("Matrix products of batches that are broadcast, of factors of two dtypes.")
          .Shape(BatchMatMulShape),
  };
}

std::vector<OpDefBuilder> AddingOps() {
  return {
      OpDefBuilder("BiasAdd")
          .Input("value: T")
          .Input("bias: T", ArgRole::kBias)
          .Output("output: T")
          .Attr("T: numbertype")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Summary("value plus a vector along its dimension of channels.")
          .Shape(BiasAddShape),
      OpDefBuilder("BiasAddV1")
          .Input("value: T")
          .Input("bias: T", ArgRole::kBias)
          .Output("output: T")
          .Attr("T: numbertype")
          .Summary("value plus a vector along its last dimension.")
          .Shape(BiasAddV1Shape),
      OpDefBuilder("BiasAddGrad")
          .Input("out_backprop: T")
          .Output("output: T")
          .Attr("T: numbertype")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Summary("The sums of each channel's elements.")
          .Shape(BiasAddGradShape),
      OpDefBuilder("AddN")
          .Input("inputs: N * T")
          .Output("sum: T")
          .Attr("N: int >= 1")
          .Attr("T: {numbertype, variant}")
          .Commutative()
          .Summary("The sum of tensors of one shape.")
          .Shape(shapes::Merged),
  };
}

std::vector<OpDefBuilder> TotalOps() {
  return {
      OpDefBuilder("AccumulateNV2")
          .Input("inputs: N * T")
          .Output("sum: T")
          .Attr("N: int >= 1")
          .Attr("T: numbertype")
          .Attr("shape: shape")
          .Commutative()
          .Summary("The sum of tensors of the shape that the attr says.")
          .Shape(shapes::Merged),
      OpDefBuilder("Cross")
          .Input("a: T", ArgRole::kTriples)
          .Input("b: T", ArgRole::kTriples)
          .Output("product: T")
          .Attr("T: realnumbertype")
          .Summary("The cross products of vectors of three numbers, along the last dimension.")
          .Shape(CrossShape),
      OpDefBuilder("L2Loss")
          .Input("t: T")
          .Output("output: T")
          .Attr("T: {half, bfloat16, float, double}")
          .Summary("Half the sum of the squares of all elements.")
          .Shape(shapes::Scalar),
  };
}

}  // namespace

Status RegisterMatrixOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ProductOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, AddingOps()));
  return RegisterAll(registry, TotalOps());
}

}  // namespace tagflow
