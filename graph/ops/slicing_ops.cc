// Ops that take tensors apart, and put them together.

#include <algorithm>

#include "graph/limits.h"
#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

using shapes::AddDims;
using shapes::Concatenated;
using shapes::ConstantInt;
using shapes::ConstantInts;
using shapes::InputName;
using shapes::MergeDims;
using shapes::MultiplyDims;
using shapes::NormalizeAxis;
using shapes::RequireRank;
using shapes::RequireRankAtLeast;
using shapes::Subshape;

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// The shape that inputs [begin, end) have in common.
Result<PartialShape> MergedInputs(const ShapeContext& context, int begin, int end) {
  PartialShape merged;
  for (int i = begin; i < end; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(merged, MergeShapes(merged, context.input(i)));
  }
  return merged;
}

Status PackShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape value,
                           MergedInputs(context, 0, context.num_inputs()));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(context.node(), "axis"));
  if (!value.known_rank()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const int place, NormalizeAxis(context, axis, value.rank() + 1));
  Dims dims = value.dims();
  dims.insert(dims.begin() + place, context.num_inputs());
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

Status UnpackShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(context.node(), "axis"));
  const PartialShape& value = context.input(0);
  if (!value.known_rank()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const int place, NormalizeAxis(context, axis, value.rank()));
  if (!MergeDims(value.dim(place), context.num_outputs()).ok()) {
    return InvalidArgument("attr 'num' is " + std::to_string(context.num_outputs()) +
                           ", but dimension " + std::to_string(place) + " has " +
                           std::to_string(value.dim(place)));
  }
  const PartialShape rest =
      Concatenated(Subshape(value, 0, place), Subshape(value, place + 1, value.rank()));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, rest);
  return Status();
}

// `shape` with dimension i set.
PartialShape WithDim(const PartialShape& shape, int i, int64_t size) {
  Dims dims = shape.dims();
  dims[static_cast<size_t>(i)] = size;
  return PartialShape(std::move(dims));
}

// Inputs [begin, end) joined along the axis that input `axis_input` holds.
Status ConcatAlong(ShapeContext& context, int axis_input, int begin, int end) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, axis_input, 0));
  for (int i = begin; i < end; ++i) TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, i, 1));
  const std::optional<int64_t> axis = ConstantInt(context, axis_input);
  PartialShape rest;  // the dimensions apart from the axis, where that one is unknown
  int64_t length = 0;
  for (int i = begin; i < end; ++i) {
    const PartialShape& input = context.input(i);
    int64_t rows = kUnknown;
    if (input.known_rank() && axis.has_value()) {
      TAGFLOW_ASSIGN_OR_RETURN(const int place, NormalizeAxis(context, *axis, input.rank()));
      rows = input.dim(place);
      TAGFLOW_ASSIGN_OR_RETURN(rest, MergeShapes(rest, WithDim(input, place, kUnknown)));
    } else if (input.known_rank()) {
      TAGFLOW_ASSIGN_OR_RETURN(rest, MergeShapes(rest, PartialShape::UnknownOfRank(input.rank())));
    }
    length = AddDims(length, rows);
  }
  if (rest.known_rank() && axis.has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(const int place, NormalizeAxis(context, *axis, rest.rank()));
    rest = WithDim(rest, place, length);
  }
  context.set_output(0, std::move(rest));
  return Status();
}

Status ConcatV2Shape(ShapeContext& context) {
  const int axis_input = context.num_inputs() - 1;
  return ConcatAlong(context, axis_input, 0, axis_input);
}

Status ConcatShape(ShapeContext& context) {
  return ConcatAlong(context, 0, 1, context.num_inputs());
}

Status ConcatOffsetShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 0, 0));
  for (int i = 0; i < context.num_outputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i + 1, 1));
    context.set_output(i, context.input(i + 1));
  }
  return Status();
}

// The outputs are cut from input `value` along the axis in input `axis_input`; sizes[i] is the
// length of output i.
Status SetParts(ShapeContext& context, int value, int axis_input, const Dims& sizes) {
  const PartialShape& shape = context.input(value);
  const std::optional<int64_t> axis = ConstantInt(context, axis_input);
  if (!shape.known_rank()) return Status();
  int place = 0;
  if (axis.has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(place, NormalizeAxis(context, *axis, shape.rank()));
  }
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, axis.has_value() ? WithDim(shape, place, sizes[static_cast<size_t>(i)])
                                           : PartialShape::UnknownOfRank(shape.rank()));
  }
  return Status();
}

// The dimension of input `value` along the axis in input `axis_input`, where both are known.
Result<int64_t> LengthAlong(const ShapeContext& context, int value, int axis_input) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, axis_input, 0));
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, value, 1));
  const PartialShape& shape = context.input(value);
  const std::optional<int64_t> axis = ConstantInt(context, axis_input);
  if (!shape.known_rank() || !axis.has_value()) return kUnknown;
  TAGFLOW_ASSIGN_OR_RETURN(const int place, NormalizeAxis(context, *axis, shape.rank()));
  return shape.dim(place);
}

Status SplitShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t length, LengthAlong(context, 1, 0));
  const int64_t parts = context.num_outputs();
  if (length != kUnknown && length % parts != 0) {
    return InvalidArgument("a dimension of " + std::to_string(length) + " cannot be cut into " +
                           std::to_string(parts) + " equal parts");
  }
  const int64_t size = length == kUnknown ? kUnknown : length / parts;
  return SetParts(context, 1, 0, Dims(static_cast<size_t>(parts), size));
}

// `sizes` with its one -1, if any, filled in so that they add up to `length`.
Status FillSizes(int64_t length, Dims* sizes) {
  int64_t known = 0;
  int wildcards = 0;
  for (const int64_t size : *sizes) {
    if (size < kUnknown)
      return InvalidArgument("a part cannot have the size " + std::to_string(size));
    wildcards += size == kUnknown;
    known = size == kUnknown ? known : AddDims(known, size);
  }
  if (wildcards > 1) return InvalidArgument("only one size may be -1");
  if (length == kUnknown) return Status();
  if (known == kUnknown || known > length || (wildcards == 0 && known != length)) {
    return InvalidArgument("the sizes do not add up to the dimension " + std::to_string(length));
  }
  for (int64_t& size : *sizes) size = size == kUnknown ? length - known : size;
  return Status();
}

Status SplitVShape(ShapeContext& context) {
  const auto parts = static_cast<size_t>(context.num_outputs());
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 1, 1));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t length, LengthAlong(context, 0, 2));
  Dims sizes(parts, kUnknown);
  if (const std::optional<Dims> constant = ConstantInts(context, 1)) {
    if (constant->size() != parts) {
      return InvalidArgument("there must be as many sizes as outputs, " + std::to_string(parts));
    }
    sizes = *constant;
    TAGFLOW_RETURN_IF_ERROR(FillSizes(length, &sizes));
  }
  return SetParts(context, 0, 2, sizes);
}

// One dimension of a slice; begin and size are known.
Result<int64_t> SliceDim(int64_t dim, int64_t begin, int64_t size) {
  if (begin < 0 || size < -1) {
    return InvalidArgument("begin " + std::to_string(begin) + " and size " + std::to_string(size) +
                           " must not be negative (a size of -1 reaches to the end)");
  }
  if (dim == kUnknown) return size;  // -1 is then unknown, as it should be
  const int64_t end = size == -1 ? dim : AddDims(begin, size);
  if (begin > dim || end > dim || end == kUnknown) {
    return InvalidArgument("a slice of " + std::to_string(size) + " from " + std::to_string(begin) +
                           " is outside of the dimension " + std::to_string(dim));
  }
  return end - begin;
}

Status SliceShape(ShapeContext& context) {
  const PartialShape& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 2, 1));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape bounds, MergedInputs(context, 1, 3));
  int64_t rank = input.known_rank() ? input.rank() : kUnknown;
  if (bounds.known_rank()) {
    const Result<int64_t> merged = MergeDims(rank, bounds.dim(0));
    if (!merged.ok()) {
      return InvalidArgument("begin and size need one element for each dimension of " +
                             input.ToString());
    }
    rank = *merged;
  }
  if (rank == kUnknown || rank > kMostDimensions) return Status();
  Dims dims(static_cast<size_t>(rank), kUnknown);
  const std::optional<Dims> begin = ConstantInts(context, 1);
  const std::optional<Dims> size = ConstantInts(context, 2);
  for (size_t i = 0; i < dims.size() && size.has_value(); ++i) {
    const bool known = begin.has_value() && input.known_rank();
    const int64_t dim = known ? input.dim(static_cast<int>(i)) : kUnknown;
    TAGFLOW_ASSIGN_OR_RETURN(dims[i],
                             SliceDim(dim, begin.has_value() ? (*begin)[i] : 0, (*size)[i]));
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

// params[:axis] + indices[batch_dims:] + params[axis+1:]
PartialShape GatheredShape(const PartialShape& params, const PartialShape& indices, int axis,
                           int batch_dims) {
  if (!params.known_rank() || !indices.known_rank()) return PartialShape();
  const PartialShape before = Subshape(params, 0, axis);
  const PartialShape chosen = Subshape(indices, batch_dims, indices.rank());
  return Concatenated(Concatenated(before, chosen), Subshape(params, axis + 1, params.rank()));
}

Status GatherV2Shape(ShapeContext& context) {
  const PartialShape& params = context.input(0);
  const PartialShape& indices = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 2, 0));
  TAGFLOW_ASSIGN_OR_RETURN(int64_t batch_dims, IntAttr(context.node(), "batch_dims"));
  const std::optional<int64_t> axis = ConstantInt(context, 2);
  if (!params.known_rank() || !indices.known_rank()) return Status();
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims >= params.rank()) {
    return InvalidArgument("attr 'batch_dims' is out of range for these shapes");
  }
  if (!axis.has_value()) {
    const auto rank = params.rank() - 1 + indices.rank() - static_cast<int>(batch_dims);
    context.set_output(0, PartialShape::UnknownOfRank(rank));
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int place, NormalizeAxis(context, *axis, params.rank()));
  if (place < batch_dims) return InvalidArgument("axis must not be below attr 'batch_dims'");
  for (int i = 0; i < batch_dims; ++i) {
    TAGFLOW_RETURN_IF_ERROR(MergeDims(params.dim(i), indices.dim(i)).status());
  }
  context.set_output(0, GatheredShape(params, indices, place, static_cast<int>(batch_dims)));
  return Status();
}

Status GatherShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 1));
  context.set_output(0, GatheredShape(context.input(0), context.input(1), 0, 0));
  return Status();
}

Status GatherNdShape(ShapeContext& context) {
  const PartialShape& params = context.input(0);
  const PartialShape& indices = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 1, 1));
  if (!params.known_rank() || !indices.known_rank()) return Status();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth == kUnknown) return Status();
  if (depth > params.rank()) {
    return InvalidArgument("coordinates of " + std::to_string(depth) +
                           " dimensions are too many for " + params.ToString());
  }
  context.set_output(0, Concatenated(Subshape(indices, 0, indices.rank() - 1),
                                     Subshape(params, static_cast<int>(depth), params.rank())));
  return Status();
}

// One more than the largest of the constant indices, which are inputs [0, count).
int64_t StitchedRows(const ShapeContext& context, int count) {
  int64_t rows = 0;
  for (int i = 0; i < count; ++i) {
    const std::optional<Dims> indices = ConstantInts(context, i);
    if (!indices.has_value()) return kUnknown;
    for (const int64_t index : *indices) rows = std::max(rows, index + 1);
  }
  return rows;
}

Status DynamicStitchShape(ShapeContext& context) {
  const int count = context.num_inputs() / 2;
  PartialShape row;
  for (int i = 0; i < count; ++i) {
    const PartialShape& indices = context.input(i);
    const PartialShape& data = context.input(count + i);
    if (!indices.known_rank() || !data.known_rank()) continue;
    if (data.rank() < indices.rank()) {
      return InvalidArgument("data of shape " + data.ToString() +
                             " must begin with the shape of its indices, " + indices.ToString());
    }
    TAGFLOW_RETURN_IF_ERROR(MergeShapes(indices, Subshape(data, 0, indices.rank())).status());
    TAGFLOW_ASSIGN_OR_RETURN(row, MergeShapes(row, Subshape(data, indices.rank(), data.rank())));
  }
  context.set_output(0, Concatenated(PartialShape(Dims{StitchedRows(context, count)}), row));
  return Status();
}

// The rank of input 0, which must be the length of the vector in input 1.
Result<int64_t> RankFromBoth(const ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 1, 1));
  const PartialShape& input = context.input(0);
  const PartialShape& vector = context.input(1);
  const int64_t rank = input.known_rank() ? input.rank() : kUnknown;
  const Result<int64_t> merged = MergeDims(rank, vector.known_rank() ? vector.dim(0) : kUnknown);
  if (merged.ok()) return *merged > kMostDimensions ? kUnknown : *merged;
  return InvalidArgument("input '" + InputName(context, 1) +
                         "' needs one element for each dimension of " + input.ToString());
}

Status TileShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rank, RankFromBoth(context));
  if (rank == kUnknown) return Status();
  Dims dims(static_cast<size_t>(rank), kUnknown);
  const std::optional<Dims> multiples = ConstantInts(context, 1);
  for (size_t i = 0; i < dims.size() && multiples.has_value(); ++i) {
    if ((*multiples)[i] < 0) return InvalidArgument("multiples must not be negative");
    if (!context.input(0).known_rank()) continue;
    dims[i] = MultiplyDims(context.input(0).dim(static_cast<int>(i)), (*multiples)[i]);
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

Status TransposeShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rank, RankFromBoth(context));
  if (rank == kUnknown) return Status();
  Dims dims(static_cast<size_t>(rank), kUnknown);
  const std::optional<Dims> perm = ConstantInts(context, 1);
  std::vector<bool> used(dims.size(), false);
  for (size_t i = 0; i < dims.size() && perm.has_value(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const int from,
                             NormalizeAxis(context, (*perm)[i], static_cast<int>(rank)));
    if (used[static_cast<size_t>(from)]) return InvalidArgument("perm is not a permutation");
    used[static_cast<size_t>(from)] = true;
    if (context.input(0).known_rank()) dims[i] = context.input(0).dim(from);
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

// Inputs: as many slices of the shape that the attr says as that has first.
Status ParallelConcatShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node(), "shape"));
  if (!shape.fully_known() || shape.rank() == 0 || shape.dim(0) != context.num_inputs()) {
    return InvalidArgument("the attr shape must be known and have " +
                           std::to_string(context.num_inputs()) + " first, not " +
                           shape.ToString());
  }
  for (int i = 0; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(i), WithDim(shape, 0, 1)).status());
  }
  context.set_output(0, shape);
  return Status();
}

OpDefBuilder Stitching(const char* name, const char* summary) {
  return OpDefBuilder(name)
      .Input("indices: N * int32", ArgRole::kIndices)
      .Input("data: N * T")
      .Output("merged: T")
      .Attr("N: int >= 1")
      .Attr("T: type")
      .Summary(summary)
      .Shape(DynamicStitchShape);
}

// Several tensors into one.
std::vector<OpDefBuilder> JoiningOps() {
  return {
      OpDefBuilder("Pack")
          .Input("values: N * T")
          .Output("output: T")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Attr("axis: int = 0")
          .Summary("Tensors of one shape stacked along a new dimension.")
          .Shape(PackShape),
      OpDefBuilder("ParallelConcat")
          .Input("values: N * T")
          .Output("output: T")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Attr("shape: shape")
          .Summary("Tensors of one row each, joined into one of a shape that is told before.")
          .Shape(ParallelConcatShape),
      OpDefBuilder("ConcatV2")
          .Input("values: N * T")
          .Input("axis: Tidx", ArgRole::kAxis)
          .Output("output: T")
          .Attr("N: int >= 2")
          .Attr("T: type")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("Tensors joined along a dimension.")
          .Shape(ConcatV2Shape),
      OpDefBuilder("Concat")
          .Input("concat_dim: int32", ArgRole::kAxis)
          .Input("values: N * T")
          .Output("output: T")
          .Attr("N: int >= 2")
          .Attr("T: type")
          .Summary("Tensors joined along a dimension, which is the first input.")
          .Shape(ConcatShape),
      OpDefBuilder("ConcatOffset")
          .Input("concat_dim: int32", ArgRole::kAxis)
          .Input("shape: N * shape_type", ArgRole::kShape)
          .Output("offset: N * shape_type")
          .Attr("N: int >= 2")
          .Attr("shape_type: {int32, int64} = DT_INT32")
          .Summary("Where each part of a concatenation begins.")
          .Shape(ConcatOffsetShape),
      Stitching("DynamicStitch",
                "Rows of several tensors put at the given places of one; later ones win."),
      Stitching("ParallelDynamicStitch", "Rows of several tensors put at the given places of one."),
      OpDefBuilder("Tile")
          .Input("input: T")
          .Input("multiples: Tmultiples", ArgRole::kMultiples)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tmultiples: {int32, int64} = DT_INT32")
          .Summary("A tensor repeated along each dimension.")
          .Shape(TileShape),
  };
}

// One tensor into several, or rearranged.
std::vector<OpDefBuilder> CuttingOps() {
  return {
      OpDefBuilder("Unpack")
          .Input("value: T")
          .Output("output: num * T")
          .Attr("num: int >= 0")
          .Attr("T: type")
          .Attr("axis: int = 0")
          .Summary("The slices of a tensor along a dimension.")
          .Shape(UnpackShape),
      OpDefBuilder("Split")
          .Input("split_dim: int32", ArgRole::kAxis)
          .Input("value: T")
          .Output("output: num_split * T")
          .Attr("num_split: int >= 1")
          .Attr("T: type")
          .Summary("A tensor cut into equal parts along a dimension.")
          .Shape(SplitShape),
      OpDefBuilder("SplitV")
          .Input("value: T")
          .Input("size_splits: Tlen", ArgRole::kPieceSizes)
          .Input("split_dim: int32", ArgRole::kAxis)
          .Output("output: num_split * T")
          .Attr("num_split: int >= 1")
          .Attr("T: type")
          .Attr("Tlen: {int8, int32, int64} = DT_INT64")
          .Summary("A tensor cut into parts of the given sizes along a dimension.")
          .Shape(SplitVShape),
      OpDefBuilder("Transpose")
          .Input("x: T")
          .Input("perm: Tperm", ArgRole::kPermutation)
          .Output("y: T")
          .Attr("T: type")
          .Attr("Tperm: {int32, int64} = DT_INT32")
          .Summary("A tensor with its dimensions permuted.")
          .Shape(TransposeShape),
      OpDefBuilder("ConjugateTranspose")
          .Input("x: T")
          .Input("perm: Tperm", ArgRole::kPermutation)
          .Output("y: T")
          .Attr("T: type")
          .Attr("Tperm: {int32, int64} = DT_INT32")
          .Summary("The complex conjugate of a tensor, with its dimensions permuted.")
          .Shape(TransposeShape),
  };
}

// The parts of a tensor that bounds or indices name.
std::vector<OpDefBuilder> ChoosingOps() {
  return {
      OpDefBuilder("Slice")
          .Input("input: T")
          .Input("begin: Index", ArgRole::kBegins)
          .Input("size: Index", ArgRole::kSliceSizes)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Index: {int32, int64}")
          .Summary("The block of the given size at begin; a size of -1 reaches to the end.")
          .Shape(SliceShape),
      OpDefBuilder("StridedSlice")
          .Input("input: T")
          .Input("begin: Index", ArgRole::kBegins)
          .Input("end: Index", ArgRole::kEnds)
          .Input("strides: Index", ArgRole::kStrides)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Index: {int16, int32, int64}")
          .Attr("begin_mask: int = 0")
          .Attr("end_mask: int = 0")
          .Attr("ellipsis_mask: int = 0")
          .Attr("new_axis_mask: int = 0")
          .Attr("shrink_axis_mask: int = 0")
          .Summary("The elements input[begin:end:strides] names, by the rules of Python and NumPy.")
          .Shape(shapes::StridedSlice),
      OpDefBuilder("GatherV2")
          .Input("params: Tparams")
          .Input("indices: Tindices", ArgRole::kIndices)
          .Input("axis: Taxis", ArgRole::kAxis)
          .Output("output: Tparams")
          .Attr("batch_dims: int = 0")
          .Attr("Tparams: type")
          .Attr("Tindices: {int16, int32, int64}")
          .Attr("Taxis: {int32, int64}")
          .Summary("The slices of params along axis that indices name.")
          .Shape(GatherV2Shape),
      OpDefBuilder("Gather")
          .Input("params: Tparams")
          .Input("indices: Tindices", ArgRole::kIndices)
          .Output("output: Tparams")
          .Attr("validate_indices: bool = true")
          .Attr("Tparams: type")
          .Attr("Tindices: {int32, int64}")
          .Summary("The rows of params that indices name.")
          .Shape(GatherShape),
      OpDefBuilder("GatherNd")
          .Input("params: Tparams")
          .Input("indices: Tindices", ArgRole::kCoordinates)
          .Output("output: Tparams")
          .Attr("Tparams: type")
          .Attr("Tindices: {int16, int32, int64}")
          .Attr("bad_indices_policy: string = ''")
          .Summary("The slices of params that rows of coordinates name.")
          .Shape(GatherNdShape),
  };
}

}  // namespace

Status RegisterSlicingOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, JoiningOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, CuttingOps()));
  return RegisterAll(registry, ChoosingOps());
}

}  // namespace tagflow
