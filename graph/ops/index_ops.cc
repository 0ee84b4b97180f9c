// Ops on lists: of indices, of sorted values, of sizes; and two that make a tensor from little.

#include <algorithm>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

using shapes::Concatenated;
using shapes::RequireRank;
using shapes::RequireRankAtLeast;

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

PartialShape VectorOf(int64_t length) { return PartialShape(Dims{length}); }

Status ListDiffShape(ShapeContext& context) {
  for (int i = 0; i < 2; ++i) context.set_output(i, VectorOf(kUnknown));
  return Status();
}

Status UnravelIndexShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 1, 1));
  const PartialShape& indices = context.input(0);
  const PartialShape& dims = context.input(1);
  if (indices.known_rank() && indices.rank() > 1) {
    return InvalidArgument("indices must be a scalar or a vector, not of shape " +
                           indices.ToString());
  }
  const PartialShape coordinates = dims.known_rank() ? dims : VectorOf(kUnknown);
  context.set_output(0, Concatenated(coordinates, indices));
  return Status();
}

// One row of `values` for each row of `sorted_inputs`.
Status BoundShape(ShapeContext& context) {
  for (int i = 0; i < 2; ++i) TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i, 2));
  const PartialShape& sorted = context.input(0);
  PartialShape rows(Dims{sorted.known_rank() ? sorted.dim(0) : kUnknown, kUnknown});
  TAGFLOW_ASSIGN_OR_RETURN(rows, MergeShapes(rows, context.input(1)));
  context.set_output(0, std::move(rows));
  return Status();
}

Status BroadcastArgsShape(ShapeContext& context) {
  int64_t length = 0;
  for (int i = 0; i < 2; ++i) {
    TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i, 1));
    const PartialShape& shape = context.input(i);
    const int64_t rank = shape.known_rank() ? shape.dim(0) : kUnknown;
    length = rank == kUnknown || length == kUnknown ? kUnknown : std::max(length, rank);
  }
  context.set_output(0, VectorOf(length));
  return Status();
}

Status LinSpaceShape(ShapeContext& context) {
  for (int i = 0; i < 3; ++i) TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i, 0));
  const std::optional<int64_t> num = shapes::ConstantInt(context, 2);
  if (num.has_value() && *num <= 0) {
    return InvalidArgument("num must be positive, but is " + std::to_string(*num));
  }
  context.set_output(0, VectorOf(num.value_or(kUnknown)));
  return Status();
}

// Elements of another size take the last dimension to themselves, or bring one along.
Status BitcastShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType from, TypeAttr(context.node(), "T"));
  TAGFLOW_ASSIGN_OR_RETURN(const DType to, TypeAttr(context.node(), "type"));
  if (!IsTensorDType(from) || !IsTensorDType(to)) return Status();
  const size_t from_size = DTypeSize(from);
  const size_t to_size = DTypeSize(to);
  PartialShape shape = context.input(0);
  if (!shape.known_rank()) return Status();
  if (from_size > to_size) {
    shape = Concatenated(shape, VectorOf(static_cast<int64_t>(from_size / to_size)));
  } else if (from_size < to_size) {
    TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 1));
    const int64_t last = shape.dim(shape.rank() - 1);
    const auto ratio = static_cast<int64_t>(to_size / from_size);
    if (last != kUnknown && last != ratio) {
      return InvalidArgument("a bitcast to " + DTypeName(to) + " needs " + std::to_string(ratio) +
                             " elements in the last dimension of " + shape.ToString());
    }
    shape = shapes::Subshape(shape, 0, shape.rank() - 1);
  }
  context.set_output(0, std::move(shape));
  return Status();
}

Status EmptyShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 0));
  context.set_output(0, std::move(shape));
  return Status();
}

OpDefBuilder BoundOp(const char* name, const char* summary) {
  return OpDefBuilder(name)
      .Input("sorted_inputs: T", ArgRole::kRows)
      .Input("values: T")
      .Output("output: out_type")
      .Attr("T: type")
      .Attr("out_type: {int32, int64} = DT_INT32")
      .Summary(summary)
      .Shape(BoundShape);
}

std::vector<OpDefBuilder> ListOps() {
  return {
      OpDefBuilder("ListDiff")
          .Input("x: T")
          .Input("y: T")
          .Output("out: T")
          .Output("idx: out_idx")
          .Attr("T: type")
          .Attr("out_idx: {int32, int64} = DT_INT32")
          .Summary("The elements of x that are not in y, and where in x they are.")
          .Shape(ListDiffShape),
      OpDefBuilder("UnravelIndex")
          .Input("indices: Tidx", ArgRole::kIndices)
          .Input("dims: Tidx", ArgRole::kShape)
          .Output("output: Tidx")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("The coordinates, in a tensor of shape dims, of elements by their numbers.")
          .Shape(UnravelIndexShape),
      BoundOp("LowerBound", "For each value, how many of its sorted row are less."),
      BoundOp("UpperBound", "For each value, how many of its sorted row are less or equal."),
      OpDefBuilder("BroadcastArgs")
          .Input("s0: T", ArgRole::kShape)
          .Input("s1: T", ArgRole::kShape)
          .Output("r0: T")
          .Attr("T: {int32, int64} = DT_INT32")
          .Summary("The shape that two shapes broadcast to.")
          .Shape(BroadcastArgsShape),
  };
}

std::vector<OpDefBuilder> MakingOps() {
  return {
      OpDefBuilder("LinSpace")
          .Input("start: T", ArgRole::kScalar)
          .Input("stop: T", ArgRole::kScalar)
          .Input("num: Tidx", ArgRole::kCount)
          .Output("output: T")
          .Attr("T: {bfloat16, half, float, double}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("num values from start to stop, evenly spaced.")
          .Shape(LinSpaceShape),
      OpDefBuilder("Bitcast")
          .Input("input: T")
          .Output("output: type")
          .Attr("T: {bfloat16, half, float, double, int64, int32, uint8, uint16, int8, int16, "
                "complex64, complex128, qint8, quint8, qint16, quint16, qint32, uint32, uint64}")
          .Attr("type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, "
                "uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, "
                "qint32}")
          .Summary("The bytes of a tensor read as elements of another dtype.")
          .Shape(BitcastShape),
      OpDefBuilder("Empty")
          .Input("shape: int32", ArgRole::kShape)
          .Output("output: dtype")
          .Attr("dtype: type")
          .Attr("init: bool = false")
          .Stateful()
          .Summary("A tensor of the given shape, whose elements are anything unless init is set.")
          .Shape(EmptyShape),
  };
}

}  // namespace

Status RegisterIndexOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ListOps()));
  return RegisterAll(registry, MakingOps());
}

}  // namespace tagflow
