// Ragged tensors: rows of different lengths, one after the other, and splits: where in them each
// row begins, and where the last one ends. Of several splits, those of outer dimensions come first,
// and each counts the rows of the next.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

Status RangeShape(ShapeContext& context) {
  int64_t rows = kUnknown;
  bool are_scalars = true;
  for (int i = 0; i < 3; ++i) {
    const PartialShape& shape = context.input(i);
    if (shape.known_rank() && shape.rank() > 1) {
      return InvalidArgument(shapes::InputName(context, i) + " must be a scalar or vector");
    }
    are_scalars = are_scalars && shape.known_rank() && shape.rank() == 0;
    if (!shape.known_rank() || shape.rank() == 0) continue;
    TAGFLOW_ASSIGN_OR_RETURN(rows, shapes::MergeDims(rows, shape.dim(0)));
  }
  if (are_scalars) rows = 1;
  context.set_output(0, PartialShape(Dims{shapes::AddDims(rows, 1)}));
  context.set_output(1, PartialShape(Dims{kUnknown}));
  return Status();
}

// The first inputs are splits.
Status RequireSplits(const ShapeContext& context, int count) {
  for (int i = 0; i < count; ++i) TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 1));
  return Status();
}

// Inputs: splits, values, and rows to take. Outputs: splits and values.
Status GatherShape(ShapeContext& context) {
  const int splits = context.num_inputs() - 2;
  TAGFLOW_RETURN_IF_ERROR(RequireSplits(context, splits));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, splits, 1));
  const int outputs = context.num_outputs() - 1;
  const PartialShape& indices = context.input(splits + 1);
  if (indices.known_rank() && indices.rank() - 1 + splits != outputs) {
    return InvalidArgument("OUTPUT_RAGGED_RANK must be " +
                           std::to_string(indices.rank() - 1 + splits) + ", not " +
                           std::to_string(outputs));
  }
  for (int i = 0; i < outputs; ++i) context.set_output(i, PartialShape(Dims{kUnknown}));
  const PartialShape& values = context.input(splits);
  if (!values.known_rank()) return Status();
  Dims dims = values.dims();
  dims.front() = kUnknown;
  context.set_output(outputs, PartialShape(std::move(dims)));
  return Status();
}

// Inputs: splits and values.
Status ToSparseShape(ShapeContext& context) {
  const int splits = context.num_inputs() - 1;
  TAGFLOW_RETURN_IF_ERROR(RequireSplits(context, splits));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, splits, 1));
  const PartialShape& values = context.input(splits);
  const int64_t rank = values.known_rank() ? values.rank() + splits : kUnknown;
  const int64_t count = shapes::ElementCount(values);
  context.set_output(0, PartialShape(Dims{count, rank}));
  context.set_output(1, PartialShape(Dims{count}));
  context.set_output(2, PartialShape(Dims{rank}));
  return Status();
}

// How many of the partitions are of rows, and not only their number.
//   Errors: INVALID_ARGUMENT for kinds that do not fit each other
Result<int> RaggedRank(const ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(context.node(), "row_partition_types"));
  const std::vector<std::string>& kinds = list.strings;
  if (kinds.size() != static_cast<size_t>(context.num_inputs() - 3)) {
    return InvalidArgument("there must be as many row_partition_types as row_partition_tensors");
  }
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != "FIRST_DIM_SIZE" && kinds[i] != "VALUE_ROWIDS" && kinds[i] != "ROW_SPLITS") {
      return InvalidArgument("Unknown string for partition info type: " + kinds[i]);
    }
    if (i > 0 && kinds[i] == "FIRST_DIM_SIZE") {
      return InvalidArgument("FIRST_DIM_SIZE must be first");
    }
    const int rank = kinds[i] == "FIRST_DIM_SIZE" ? 0 : 1;
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, static_cast<int>(i) + 3, rank));
  }
  const bool has_size = kinds.front() == "FIRST_DIM_SIZE";
  if (has_size && (kinds.size() < 2 || kinds[1] != "VALUE_ROWIDS")) {
    return InvalidArgument("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS");
  }
  if (kinds.front() == "VALUE_ROWIDS") return InvalidArgument("VALUE_ROWIDS cannot be first");
  return static_cast<int>(kinds.size()) - (has_size ? 1 : 0);
}

// Inputs: a shape, values, what is put where there are none, and how the rows are cut.
Status ToTensorShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int ragged, RaggedRank(context));
  const PartialShape& values = context.input(1);
  if (!values.known_rank()) return Status();
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 1));
  const PartialShape& asked = context.input(0);
  PartialShape shape;
  if (asked.known_rank() && asked.rank() == 1) {
    TAGFLOW_ASSIGN_OR_RETURN(shape, shapes::ShapeFromInput(context, 0));
  }
  Dims dims(static_cast<size_t>(ragged) + 1, kUnknown);
  dims.insert(dims.end(), values.dims().begin() + 1, values.dims().end());
  TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, PartialShape(std::move(dims))));
  context.set_output(0, std::move(shape));
  return Status();
}

// Inputs: splits and values. Batched, there is a variant for each row.
Status ToVariantShape(ShapeContext& context) {
  const int splits = context.num_inputs() - 1;
  TAGFLOW_ASSIGN_OR_RETURN(const bool batched, BoolAttr(context.node(), "batched_input"));
  TAGFLOW_RETURN_IF_ERROR(RequireSplits(context, splits));
  if (splits > 0 || batched) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, splits, 1));
  }
  if (!batched) return shapes::Scalar(context);
  const PartialShape& first = context.input(0);
  int64_t rows = first.known_rank() ? first.dim(0) : kUnknown;
  if (splits > 0) rows = rows > 0 ? rows - 1 : kUnknown;
  context.set_output(0, PartialShape(Dims{rows}));
  return Status();
}

// The dimensions of the variants come before those of the ragged tensors in them.
Status FromVariantShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t in, IntAttr(context.node(), "input_ragged_rank"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t out, IntAttr(context.node(), "output_ragged_rank"));
  const PartialShape& encoded = context.input(0);
  // Tensors that are not ragged may be stacked, too.
  const bool is_stack = in == 0 && out == 0;
  if (encoded.known_rank() && in >= 0 && !is_stack && encoded.rank() != out - in) {
    return InvalidArgument(
        "encoded_ragged must be of rank output_ragged_rank - "
        "input_ragged_rank, " +
        std::to_string(out - in) + ", but is " + encoded.ToString());
  }
  for (int i = 0; i + 1 < context.num_outputs(); ++i) {
    context.set_output(i, PartialShape(Dims{kUnknown}));
  }
  return Status();
}

// Inputs: variants, splits, and the shape of the output.
Status ToVariantGradientShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 2));
  context.set_output(0, std::move(shape));
  return Status();
}

std::vector<OpDefBuilder> VariantOps() {
  return {
      OpDefBuilder("RaggedTensorToVariant")
          .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
          .Input("rt_dense_values: Tvalues")
          .Output("encoded_ragged: variant")
          .Attr("RAGGED_RANK: int >= 0")
          .Attr("Tvalues: type")
          .Attr("Tsplits: {int32, int64} = DT_INT64")
          .Attr("batched_input: bool")
          .Summary("A ragged tensor as a variant, or each of its rows as one.")
          .Shape(ToVariantShape),
      OpDefBuilder("RaggedTensorFromVariant")
          .Input("encoded_ragged: variant")
          .Output("output_nested_splits: output_ragged_rank * Tsplits")
          .Output("output_dense_values: Tvalues")
          .Attr("input_ragged_rank: int >= -1")
          .Attr("output_ragged_rank: int >= 0")
          .Attr("Tvalues: type")
          .Attr("Tsplits: {int32, int64} = DT_INT64")
          .Summary("The ragged tensor whose rows are those in variants.")
          .Shape(FromVariantShape),
      OpDefBuilder("RaggedTensorToVariantGradient")
          .Input("encoded_ragged_grad: variant")
          .Input("row_splits: Tsplits")
          .Input("dense_values_shape: int32", ArgRole::kShape)
          .Output("dense_values_grad: Tvalues")
          .Attr("Tvalues: type")
          .Attr("Tsplits: {int32, int64} = DT_INT64")
          .Summary("The values of ragged tensors in variants, one after the other; zeros for a "
                   "variant that is empty.")
          .Shape(ToVariantGradientShape),
  };
}

}  // namespace

Status RegisterRaggedOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("RaggedRange")
          .Input("starts: T", ArgRole::kScalar)
          .Input("limits: T", ArgRole::kScalar)
          .Input("deltas: T", ArgRole::kScalar)
          .Output("rt_nested_splits: Tsplits")
          .Output("rt_dense_values: T")
          .Attr("T: {bfloat16, float, double, int32, int64} = DT_INT32")
          .Attr("Tsplits: {int32, int64} = DT_INT64")
          .Summary("Rows of numbers, each from a start up to a limit in steps.")
          .Shape(RangeShape),
      OpDefBuilder("RaggedGather")
          .Input("params_nested_splits: PARAMS_RAGGED_RANK * Tsplits")
          .Input("params_dense_values: Tvalues")
          .Input("indices: Tindices", ArgRole::kIndices)
          .Output("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits")
          .Output("output_dense_values: Tvalues")
          .Attr("Tvalues: type")
          .Attr("Tindices: {int32, int64}")
          .Attr("Tsplits: {int32, int64} = DT_INT64")
          .Attr("PARAMS_RAGGED_RANK: int >= 1")
          .Attr("OUTPUT_RAGGED_RANK: int >= 0")
          .Summary("Rows of a ragged tensor, by their numbers.")
          .Shape(GatherShape),
      OpDefBuilder("RaggedTensorToSparse")
          .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
          .Input("rt_dense_values: T")
          .Output("sparse_indices: int64")
          .Output("sparse_values: T")
          .Output("sparse_dense_shape: int64")
          .Attr("RAGGED_RANK: int >= 1")
          .Attr("T: type")
          .Attr("Tsplits: {int32, int64} = DT_INT64")
          .Summary("The elements of a ragged tensor and where they are.")
          .Shape(ToSparseShape),
      OpDefBuilder("RaggedTensorToTensor")
          .Input("shape: Tshape", ArgRole::kElementShape)
          .Input("values: T")
          .Input("default_value: T", ArgRole::kScalar)
          .Input("row_partition_tensors: num_row_partition_tensors * Tindex")
          .Output("result: T")
          .Attr("T: type")
          .Attr("Tindex: {int64, int32}")
          .Attr("Tshape: {int64, int32}")
          .Attr("num_row_partition_tensors: int >= 1")
          .Attr("row_partition_types: list(string)")
          .Summary("A ragged tensor whose rows are cut off, or filled up with a default value.")
          .Shape(ToTensorShape),
  };
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ops));
  return RegisterAll(registry, VariantOps());
}

}  // namespace tagflow
