// Sparse tensors put in another form: made dense, sorted, reshaped, joined, taken apart, written.
//
// All their places must lie inside of their shapes, but for those that are only written and read.

#include <string>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"
#include "graph/ops/sparse_shapes.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// The number of dimensions that a vector of sizes tells.
int64_t RankOf(const PartialShape& sizes) { return sizes.known_rank() ? sizes.dim(0) : kUnknown; }

// The first dimension of a matrix of indices.
int64_t CountOf(const PartialShape& indices) {
  return indices.known_rank() ? indices.dim(0) : kUnknown;
}

Status SparseToDenseShape(ShapeContext& context) {
  const PartialShape& indices = context.input(0);
  if (indices.known_rank() && indices.rank() > 2) {
    return InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got shape " +
                           indices.ToString());
  }
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 3, 0));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape dense, shapes::ShapeFromInput(context, 1));
  context.set_output(0, std::move(dense));
  return Status();
}

Status SparseReshapeShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  const int64_t rank = RankOf(context.input(2));
  context.set_output(0, PartialShape(Dims{CountOf(context.input(0)), rank}));
  context.set_output(1, PartialShape(Dims{rank}));
  return Status();
}

Status SparseReorderShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize sparse, shapes::SparseInput(context, 0));
  context.set_output(0, PartialShape(Dims{sparse.count, sparse.rank}));
  context.set_output(1, PartialShape(Dims{sparse.count}));
  return Status();
}

Status SparseFillEmptyRowsShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize sparse, shapes::SparseInput(context, 0));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 3, 0));
  const std::optional<Dims> dims = shapes::ConstantInts(context, 2);
  const int64_t rows = dims.has_value() && !dims->empty() ? dims->front() : kUnknown;
  if (rows < kUnknown) return InvalidArgument("there cannot be " + std::to_string(rows) + " rows");
  context.set_output(0, PartialShape(Dims{kUnknown, sparse.rank}));
  context.set_output(1, PartialShape(Dims{kUnknown}));
  context.set_output(2, PartialShape(Dims{rows}));
  context.set_output(3, PartialShape(Dims{sparse.count}));
  return Status();
}

Status SparseFillEmptyRowsGradShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  context.set_output(0, PartialShape(Dims{CountOf(context.input(0))}));
  context.set_output(1, PartialShape::Scalar());
  return Status();
}

Status SparseConcatShape(ShapeContext& context) {
  const int inputs = context.num_inputs() / 3;
  shapes::SparseSize all{0, kUnknown};
  for (int i = 0; i < inputs; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize one,
                             shapes::SparseInput(context, {i, inputs + i, 2 * inputs + i}));
    all.count = shapes::AddDims(all.count, one.count);
    TAGFLOW_ASSIGN_OR_RETURN(all.rank, shapes::MergeDims(all.rank, one.rank));
  }
  shapes::SetSparseOutput(context, 0, all);
  return Status();
}

Status SparseSplitShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize sparse, shapes::SparseInput(context, 1));
  const int outputs = context.num_outputs() / 3;
  for (int i = 0; i < outputs; ++i) {
    shapes::SetSparseOutput(context, {i, outputs + i, 2 * outputs + i}, {kUnknown, sparse.rank});
  }
  return Status();
}

Status SparseSliceShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(shapes::SparseSize sparse, shapes::SparseInput(context, 0));
  for (const int range : {3, 4}) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, range, 1));
    TAGFLOW_ASSIGN_OR_RETURN(sparse.rank,
                             shapes::MergeDims(sparse.rank, RankOf(context.input(range))));
  }
  shapes::SetSparseOutput(context, 0, {kUnknown, sparse.rank});
  return Status();
}

Status SparseSliceGradShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 3, 2));
  context.set_output(0, PartialShape(Dims{CountOf(context.input(1))}));
  return Status();
}

// A sparse tensor in, its three parts in strings or variants out.
Status SerializeShape(ShapeContext& context) {
  for (const int i : {0, 1, 2}) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, i == 0 ? 2 : 1));
  }
  context.set_output(0, PartialShape(Dims{3}));
  return Status();
}

Status SerializeManyShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(SerializeShape(context));
  context.set_output(0, PartialShape(Dims{kUnknown, 3}));
  return Status();
}

Status DeserializeShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  const PartialShape& parts = context.input(0);
  if (parts.known_rank()) {
    TAGFLOW_RETURN_IF_ERROR(shapes::MergeDims(parts.dim(parts.rank() - 1), 3).status());
  }
  shapes::SetSparseOutput(context, 0, shapes::SparseSize());
  return Status();
}

Status DeserializeManyShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 2));
  return DeserializeShape(context);
}

OpDefBuilder SparseToDense() {
  return OpDefBuilder("SparseToDense")
      .Input("sparse_indices: Tindices", ArgRole::kCoordinates)
      .Input("output_shape: Tindices", ArgRole::kShape)
      .Input("sparse_values: T", ArgRole::kUpdates)
      .Input("default_value: T", ArgRole::kScalar)
      .Output("dense: T")
      .Attr("validate_indices: bool = true")
      .Attr("T: type")
      .Attr("Tindices: {int32, int64}")
      .Summary("A tensor of one value with others at some places.")
      .Shape(SparseToDenseShape);
}

OpDefBuilder SparseReshape() {
  return OpDefBuilder("SparseReshape")
      .Input("input_indices: int64", ArgRole::kCoordinates)
      .Input("input_shape: int64", ArgRole::kShape)
      .Input("new_shape: int64", ArgRole::kNewShape)
      .Output("output_indices: int64")
      .Output("output_shape: int64")
      .Summary("The places of a sparse tensor in another shape of as many elements.")
      .Shape(SparseReshapeShape);
}

OpDefBuilder SparseReorder() {
  return OpDefBuilder("SparseReorder")
      .Input("input_indices: int64", ArgRole::kCoordinates)
      .Input("input_values: T", ArgRole::kUpdates)
      .Input("input_shape: int64", ArgRole::kShape)
      .Output("output_indices: int64")
      .Output("output_values: T")
      .Attr("T: type")
      .Summary("A sparse tensor with its places in ascending order.")
      .Shape(SparseReorderShape);
}

OpDefBuilder SparseFillEmptyRows() {
  return OpDefBuilder("SparseFillEmptyRows")
      .Input("indices: int64", ArgRole::kCoordinates)
      .Input("values: T", ArgRole::kUpdates)
      .Input("dense_shape: int64", ArgRole::kShape)
      .Input("default_value: T", ArgRole::kScalar)
      .Output("output_indices: int64")
      .Output("output_values: T")
      .Output("empty_row_indicator: bool")
      .Output("reverse_index_map: int64")
      .Attr("T: type")
      .Summary("A sparse tensor with a value at the begin of each row that had none.")
      .Shape(SparseFillEmptyRowsShape);
}

OpDefBuilder SparseFillEmptyRowsGrad() {
  return OpDefBuilder("SparseFillEmptyRowsGrad")
      .Input("reverse_index_map: int64", ArgRole::kGroups)
      .Input("grad_values: T")
      .Output("d_values: T")
      .Output("d_default_value: T")
      .Attr("T: type")
      .Summary("The gradients of the values and of the default value of SparseFillEmptyRows.")
      .Shape(SparseFillEmptyRowsGradShape);
}

OpDefBuilder SparseConcat() {
  return OpDefBuilder("SparseConcat")
      .Input("indices: N * int64", ArgRole::kCoordinates)
      .Input("values: N * T", ArgRole::kUpdates)
      .Input("shapes: N * int64", ArgRole::kShape)
      .Output("output_indices: int64")
      .Output("output_values: T")
      .Output("output_shape: int64")
      .Attr("concat_dim: int")
      .Attr("N: int >= 2")
      .Attr("T: type")
      .Summary("Sparse tensors one behind the other along a dimension.")
      .Shape(SparseConcatShape);
}

OpDefBuilder SparseSplit() {
  return OpDefBuilder("SparseSplit")
      .Input("split_dim: int64", ArgRole::kAxis)
      .Input("indices: int64", ArgRole::kCoordinates)
      .Input("values: T", ArgRole::kUpdates)
      .Input("shape: int64", ArgRole::kShape)
      .Output("output_indices: num_split * int64")
      .Output("output_values: num_split * T")
      .Output("output_shape: num_split * int64")
      .Attr("num_split: int >= 1")
      .Attr("T: type")
      .Summary("A sparse tensor in parts along a dimension, the first ones one longer.")
      .Shape(SparseSplitShape);
}

OpDefBuilder SparseSlice() {
  return OpDefBuilder("SparseSlice")
      .Input("indices: int64", ArgRole::kCoordinates)
      .Input("values: T", ArgRole::kUpdates)
      .Input("shape: int64", ArgRole::kShape)
      .Input("start: int64", ArgRole::kBegins)
      .Input("size: int64", ArgRole::kShape)
      .Output("output_indices: int64")
      .Output("output_values: T")
      .Output("output_shape: int64")
      .Attr("T: type")
      .Summary("The part of a sparse tensor that a range along each dimension holds.")
      .Shape(SparseSliceShape);
}

OpDefBuilder SparseSliceGrad() {
  return OpDefBuilder("SparseSliceGrad")
      .Input("backprop_val_grad: T")
      .Input("input_indices: int64", ArgRole::kCoordinates)
      .Input("input_start: int64", ArgRole::kBegins)
      .Input("output_indices: int64", ArgRole::kCoordinates)
      .Output("val_grad: T")
      .Attr("T: numbertype")
      .Summary("The gradient of the values of SparseSlice.")
      .Shape(SparseSliceGradShape);
}

OpDefBuilder Serializing(const char* name, const char* summary) {
  return OpDefBuilder(name)
      .Input("sparse_indices: int64", ArgRole::kCoordinates)
      .Input("sparse_values: T", ArgRole::kUpdates)
      .Input("sparse_shape: int64", ArgRole::kShape)
      .Output("serialized_sparse: out_type")
      .Attr("T: type")
      .Attr("out_type: {string, variant} = DT_STRING")
      .Summary(summary);
}

std::vector<OpDefBuilder> SerializationOps() {
  return {Serializing("SerializeSparse", "The three parts of a sparse tensor as texts or variants.")
              .Shape(SerializeShape),
          Serializing("SerializeManySparse",
                      "The three parts of each row of a sparse tensor as texts or variants.")
              .Shape(SerializeManyShape),
          OpDefBuilder("DeserializeSparse")
              .Input("serialized_sparse: Tserialized")
              .Output("sparse_indices: int64")
              .Output("sparse_values: dtype")
              .Output("sparse_shape: int64")
              .Attr("dtype: type")
              .Attr("Tserialized: {string, variant} = DT_STRING")
              .Summary("One sparse tensor of those whose parts the texts or variants are.")
              .Shape(DeserializeShape),
          OpDefBuilder("DeserializeManySparse")
              .Input("serialized_sparse: string")
              .Output("sparse_indices: int64")
              .Output("sparse_values: dtype")
              .Output("sparse_shape: int64")
              .Attr("dtype: type")
              .Summary("One sparse tensor whose rows are those that the texts are the parts of.")
              .Shape(DeserializeManyShape)};
}

}  // namespace

Status RegisterSparseOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, SerializationOps()));
  return RegisterAll(registry, {SparseToDense(), SparseReshape(), SparseReorder(),
                                SparseFillEmptyRows(), SparseFillEmptyRowsGrad(), SparseConcat(),
                                SparseSplit(), SparseSlice(), SparseSliceGrad()});
}

}  // namespace tagflow
