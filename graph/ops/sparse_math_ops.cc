// Arithmetic on sparse tensors: among each other, with dense ones, along dimensions.
//
// All their places must lie inside of their shapes.

#include <optional>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"
#include "graph/ops/sparse_shapes.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

Status SparseTensorDenseMatMulShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize sparse, shapes::SparseInput(context, 0));
  TAGFLOW_RETURN_IF_ERROR(shapes::MergeDims(sparse.rank, 2).status());
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 3, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint_a, BoolAttr(context.node(), "adjoint_a"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint_b, BoolAttr(context.node(), "adjoint_b"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape a_shape, shapes::ShapeFromInput(context, 2));
  const Dims a = a_shape.known_rank() ? a_shape.dims() : Dims{kUnknown, kUnknown};
  const Dims b = context.input(3).known_rank() ? context.input(3).dims() : Dims{kUnknown, kUnknown};
  TAGFLOW_RETURN_IF_ERROR(shapes::MergeDims(a[adjoint_a ? 0 : 1], b[adjoint_b ? 1 : 0]).status());
  context.set_output(0, PartialShape(Dims{a[adjoint_a ? 1 : 0], b[adjoint_b ? 0 : 1]}));
  return Status();
}

// The shape of the whole without the dimensions that the axes, or with ones in their place.
Status SparseReductionShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::SparseInput(context, 0).status());
  TAGFLOW_ASSIGN_OR_RETURN(const bool keep_dims, BoolAttr(context.node(), "keep_dims"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, shapes::ShapeFromInput(context, 2));
  const std::optional<Dims> axes = shapes::ConstantInts(context, 3);
  if (!shape.known_rank()) return Status();
  if (!axes.has_value()) {
    if (keep_dims) context.set_output(0, PartialShape::UnknownOfRank(shape.rank()));
    return Status();
  }
  std::vector<bool> is_reduced(shape.dims().size(), false);
  for (const int64_t given : *axes) {
    TAGFLOW_ASSIGN_OR_RETURN(const int axis, shapes::NormalizeAxis(context, given, shape.rank()));
    is_reduced[static_cast<size_t>(axis)] = true;
  }
  Dims dims;
  for (size_t d = 0; d < is_reduced.size(); ++d) {
    if (!is_reduced[d] || keep_dims) dims.push_back(is_reduced[d] ? 1 : shape.dims()[d]);
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

Status SparseTensorDenseAddShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize sparse, shapes::SparseInput(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 2));
  TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, shapes::OfRank(sparse.rank)));
  TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, context.input(3)));
  context.set_output(0, std::move(shape));
  return Status();
}

// A value for each element of the sparse tensor.
Status PerElement(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize sparse, shapes::SparseInput(context, 0));
  context.set_output(0, PartialShape(Dims{sparse.count}));
  return Status();
}

Status SparseBincountShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize sparse, shapes::SparseInput(context, 0));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 3, 0));
  const int64_t size = shapes::ConstantInt(context, 3).value_or(kUnknown);
  if (size < kUnknown) return InvalidArgument("size must not be negative");
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, shapes::ShapeFromInput(context, 2));
  if (sparse.rank == 1) context.set_output(0, PartialShape(Dims{size}));
  if (sparse.rank > 1) {
    context.set_output(0, PartialShape(Dims{shape.known_rank() ? shape.dim(0) : kUnknown, size}));
  }
  return Status();
}

Status SparseAddShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize a, shapes::SparseInput(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize b, shapes::SparseInput(context, 3));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 6, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rank, shapes::MergeDims(a.rank, b.rank));
  shapes::SetSparseOutput(context, 0, {kUnknown, rank});
  return Status();
}

Status SparseAddGradShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  for (const int indices : {1, 2, 3}) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, indices, 2));
  }
  for (const int side : {0, 1}) {
    const PartialShape& indices = context.input(side + 1);
    context.set_output(side, PartialShape(Dims{indices.known_rank() ? indices.dim(0) : kUnknown}));
  }
  return Status();
}

OpDefBuilder WithSparse(OpDefBuilder op, const std::string& prefix,
                        const std::string& index = "int64") {
  return op.Input(prefix + "_indices: " + index, ArgRole::kCoordinates)
      .Input(prefix + "_values: T", ArgRole::kUpdates)
      .Input(prefix + "_shape: " + index, ArgRole::kShape);
}

OpDefBuilder SparseTensorDenseMatMul() {
  return OpDefBuilder("SparseTensorDenseMatMul")
      .Input("a_indices: Tindices", ArgRole::kCoordinates)
      .Input("a_values: T", ArgRole::kUpdates)
      .Input("a_shape: int64", ArgRole::kShape)
      .Input("b: T")
      .Output("product: T")
      .Attr("T: type")
      .Attr("Tindices: {int32, int64} = DT_INT64")
      .Attr("adjoint_a: bool = false")
      .Attr("adjoint_b: bool = false")
      .Summary("The product of a sparse matrix and a dense one.")
      .Shape(SparseTensorDenseMatMulShape);
}

OpDefBuilder Reduction(const char* name, const char* types, const char* summary) {
  return WithSparse(OpDefBuilder(name), "input")
      .Input("reduction_axes: int32", ArgRole::kAxisOrAxes)
      .Output("output: T")
      .Attr("keep_dims: bool = false")
      .Attr(types)
      .Summary(summary)
      .Shape(SparseReductionShape);
}

OpDefBuilder WithDense(const char* name, const char* summary) {
  return WithSparse(OpDefBuilder(name), "sp")
      .Input("dense: T")
      .Output("output: T")
      .Attr("T: numbertype")
      .Summary(summary)
      .Shape(PerElement);
}

OpDefBuilder SparseTensorDenseAdd() {
  return WithSparse(OpDefBuilder("SparseTensorDenseAdd"), "a", "Tindices")
      .Input("b: T")
      .Output("output: T")
      .Attr("T: numbertype")
      .Attr("Tindices: {int32, int64}")
      .Summary("The sum of a sparse tensor and a dense one of the same shape.")
      .Shape(SparseTensorDenseAddShape);
}

OpDefBuilder SparseSoftmax() {
  return WithSparse(OpDefBuilder("SparseSoftmax"), "sp")
      .Output("output: T")
      .Attr("T: {half, float, double}")
      .Summary("The softmax of the elements that are there along the last dimension.")
      .Shape(PerElement);
}

OpDefBuilder SparseBincount() {
  return OpDefBuilder("SparseBincount")
      .Input("indices: int64", ArgRole::kCoordinates)
      .Input("values: Tidx", ArgRole::kUpdates)
      .Input("dense_shape: int64", ArgRole::kShape)
      .Input("size: Tidx", ArgRole::kCount)
      .Input("weights: T", ArgRole::kUpdates)
      .Output("output: T")
      .Attr("Tidx: {int32, int64}")
      .Attr("T: {int32, int64, float, double}")
      .Attr("binary_output: bool = false")
      .Summary("How often each number comes in a sparse tensor, or in each row of it.")
      .Shape(SparseBincountShape);
}

OpDefBuilder SparseAdd() {
  return WithSparse(WithSparse(OpDefBuilder("SparseAdd"), "a"), "b")
      .Input("thresh: Treal", ArgRole::kScalar)
      .Output("sum_indices: int64")
      .Output("sum_values: T")
      .Output("sum_shape: int64")
      .Attr("T: numbertype")
      .Attr("Treal: realnumbertype")
      .Summary("The sum of two sparse tensors, without sums that are smaller than a threshold.")
      .Shape(SparseAddShape);
}

OpDefBuilder SparseAddGrad() {
  return OpDefBuilder("SparseAddGrad")
      .Input("backprop_val_grad: T")
      .Input("a_indices: int64", ArgRole::kCoordinates)
      .Input("b_indices: int64", ArgRole::kCoordinates)
      .Input("sum_indices: int64", ArgRole::kCoordinates)
      .Output("a_val_grad: T")
      .Output("b_val_grad: T")
      .Attr("T: numbertype")
      .Summary("The gradients of the values of both inputs of SparseAdd.")
      .Shape(SparseAddGradShape);
}

}  // namespace

Status RegisterSparseMathOps(OpRegistry& registry) {
  return RegisterAll(
      registry,
      {
          SparseTensorDenseMatMul(),
          SparseTensorDenseAdd(),
          WithDense("SparseDenseCwiseMul",
                    "The elements of a sparse tensor times those of a dense "
                    "one that is broadcast to it."),
          WithDense("SparseDenseCwiseDiv",
                    "The elements of a sparse tensor divided by those of a "
                    "dense one that is broadcast to it."),
          WithDense("SparseDenseCwiseAdd",
                    "The elements of a sparse tensor plus those of a dense "
                    "one that is broadcast to it."),
          Reduction("SparseReduceSum", "T: numbertype",
                    "The sums along dimensions of a sparse tensor, dense."),
          Reduction("SparseReduceMax", "T: realnumbertype",
                    "The maxima along dimensions of a sparse tensor of what is there, dense."),
          SparseSoftmax(),
          SparseBincount(),
          SparseAdd(),
          SparseAddGrad(),
      });
}

}  // namespace tagflow
