// Shapes of tensors, and tensors made of shapes.

#include <algorithm>
#include <limits>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

PartialShape VectorOf(int64_t length) { return PartialShape(Dims{length}); }

PartialShape ShapeOfShape(const PartialShape& shape) {
  return VectorOf(shape.known_rank() ? shape.rank() : kUnknown);
}

Status DimsShape(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, ShapeOfShape(context.input(i)));
  }
  return Status();
}

// `shape` with `size` before dimension `axis`, which counts from the end when negative.
Result<PartialShape> Inserted(const ShapeContext& context, const PartialShape& shape, int64_t axis,
                              int64_t size) {
  TAGFLOW_ASSIGN_OR_RETURN(const int place, shapes::NormalizeAxis(context, axis, shape.rank() + 1));
  Dims dims = shape.dims();
  dims.insert(dims.begin() + place, size);
  return PartialShape(std::move(dims));
}

// Fills in the one unknown dimension of `shape` so that it has `elements` elements.
Status FillWildcard(int64_t elements, PartialShape* shape) {
  Dims dims = shape->dims();
  int64_t* wildcard = nullptr;
  int64_t known = 1;
  for (int64_t& dim : dims) {
    if (dim == kUnknown) {
      wildcard = &dim;
    } else {
      known = shapes::MultiplyDims(known, dim);
    }
  }
  const bool fits = wildcard == nullptr ? known == elements
                    : known == 0        ? elements == 0
                                        : elements % known == 0;
  if (known == kUnknown || !fits) {
    return InvalidArgument(std::to_string(elements) + " elements cannot have the shape " +
                           shape->ToString());
  }
  // 0 elements into [0,?]: any number would do.
  if (wildcard != nullptr && known != 0) *wildcard = elements / known;
  *shape = PartialShape(std::move(dims));
  return Status();
}

Status ReshapeShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 1));
  const int64_t elements = shapes::ElementCount(context.input(0));
  if (const std::optional<Dims> dims = shapes::ConstantInts(context, 1)) {
    if (std::count(dims->begin(), dims->end(), kUnknown) > 1) {
      return InvalidArgument("only one dimension of " + shape.ToString() + " may be -1");
    }
    if (elements != kUnknown) TAGFLOW_RETURN_IF_ERROR(FillWildcard(elements, &shape));
  }
  context.set_output(0, std::move(shape));
  return Status();
}

Status ExpandDimsShape(ShapeContext& context) {
  const PartialShape& input = context.input(0);
  const std::optional<int64_t> dim = shapes::ConstantInt(context, 1);
  if (!input.known_rank()) return Status();
  PartialShape shape = PartialShape::UnknownOfRank(input.rank() + 1);
  if (dim.has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(shape, Inserted(context, input, *dim, 1));
  }
  context.set_output(0, std::move(shape));
  return Status();
}

// Which dimensions the attr squeeze_dims names. REQUIRES: input 0 has a known rank.
Result<std::vector<bool>> ListedDims(const ShapeContext& context, const AttrList& list) {
  const PartialShape& input = context.input(0);
  std::vector<bool> listed(static_cast<size_t>(input.rank()), false);
  for (const int64_t dim : list.ints) {
    TAGFLOW_ASSIGN_OR_RETURN(const int i, shapes::NormalizeAxis(context, dim, input.rank()));
    if (input.dim(i) != kUnknown && input.dim(i) != 1) {
      return InvalidArgument("dimension " + std::to_string(i) + " of " + input.ToString() +
                             " is not 1, so it cannot be squeezed");
    }
    listed[static_cast<size_t>(i)] = true;
  }
  return listed;
}

Status SqueezeShape(ShapeContext& context) {
  const PartialShape& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(context.node(), "squeeze_dims"));
  if (!input.known_rank()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<bool> listed, ListedDims(context, list));
  // Without a list, whether an unknown dimension goes depends on what it will be.
  if (list.ints.empty() && !input.fully_known()) return Status();
  Dims dims;
  for (int i = 0; i < input.rank(); ++i) {
    const bool goes = list.ints.empty() ? input.dim(i) == 1 : listed[static_cast<size_t>(i)];
    if (!goes) dims.push_back(input.dim(i));
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

Status EnsureShapeShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape wanted, ShapeAttr(context.node(), "shape"));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergeShapes(context.input(0), wanted));
  context.set_output(0, std::move(shape));
  return Status();
}

Status FillShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 0));
  if (const std::optional<Dims> dims = shapes::ConstantInts(context, 0)) {
    if (std::find(dims->begin(), dims->end(), kUnknown) != dims->end()) {
      return InvalidArgument("a tensor cannot have the dimension -1");
    }
  }
  context.set_output(0, std::move(shape));
  return Status();
}

// How many integers there are from start to before limit.
Result<int64_t> RangeLength(int64_t start, int64_t limit, int64_t delta) {
  if (delta == 0) return InvalidArgument("delta must not be 0");
  if ((delta > 0 && start > limit) || (delta < 0 && start < limit)) {
    return InvalidArgument("delta leads away from limit");
  }
  const __int128 distance = static_cast<__int128>(limit) - start;
  const __int128 step = delta;
  const __int128 length = (distance + step - (step > 0 ? 1 : -1)) / step;
  const bool fits = length <= std::numeric_limits<int64_t>::max();
  return fits ? static_cast<int64_t>(length) : kUnknown;
}

// Of floating numbers the length depends on how the quotient is rounded: it is left unknown.
Status RangeShape(ShapeContext& context) {
  for (int i = 0; i < 3; ++i) TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  const std::optional<int64_t> start = shapes::ConstantInt(context, 0);
  const std::optional<int64_t> limit = shapes::ConstantInt(context, 1);
  const std::optional<int64_t> delta = shapes::ConstantInt(context, 2);
  int64_t length = kUnknown;
  if (start.has_value() && limit.has_value() && delta.has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(length, RangeLength(*start, *limit, *delta));
  }
  context.set_output(0, VectorOf(length));
  return Status();
}

Status BroadcastToShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 1));
  const PartialShape& input = context.input(0);
  if (input.known_rank() && shape.known_rank()) {
    if (input.rank() > shape.rank()) {
      return InvalidArgument("a tensor of shape " + input.ToString() + " cannot be broadcast to " +
                             shape.ToString());
    }
    for (int i = 1; i <= input.rank(); ++i) {
      const int64_t from = input.dim(input.rank() - i);
      const int64_t to = shape.dim(shape.rank() - i);
      if (from == 1 || from == kUnknown || to == kUnknown || from == to) continue;
      return InvalidArgument("a tensor of shape " + input.ToString() + " cannot be broadcast to " +
                             shape.ToString());
    }
  }
  context.set_output(0, std::move(shape));
  return Status();
}

Status BroadcastGradientArgsShape(ShapeContext& context) {
  for (int i = 0; i < 2; ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 1));
    context.set_output(i, VectorOf(kUnknown));
  }
  return Status();
}

Status InvertPermutationShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergeShapes(context.input(0), VectorOf(kUnknown)));
  context.set_output(0, std::move(shape));
  return Status();
}

Status WhereShape(ShapeContext& context) {
  const PartialShape& input = context.input(0);
  const int64_t rank = input.known_rank() ? input.rank() : kUnknown;
  context.set_output(0, PartialShape(Dims{kUnknown, rank}));
  return Status();
}

Status OneHotShape(ShapeContext& context) {
  for (int i = 1; i < 4; ++i) TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  const int64_t depth = shapes::ConstantInt(context, 1).value_or(kUnknown);
  if (depth < kUnknown) return InvalidArgument("depth must not be negative");
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(context.node(), "axis"));
  if (!context.input(0).known_rank()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, Inserted(context, context.input(0), axis, depth));
  context.set_output(0, std::move(shape));
  return Status();
}

// What tells of shapes.
std::vector<OpDefBuilder> ShapeOps() {
  return {
      OpDefBuilder("Shape")
          .Input("input: T")
          .Output("output: out_type")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .Summary("The dimensions of a tensor.")
          .Shape(DimsShape),
      OpDefBuilder("ShapeN")
          .Input("input: N * T")
          .Output("output: N * out_type")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .Summary("The dimensions of each of several tensors.")
          .Shape(DimsShape),
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
      OpDefBuilder("BroadcastGradientArgs")
          .Input("s0: T", ArgRole::kShape)
          .Input("s1: T", ArgRole::kShape)
          .Output("r0: T")
          .Output("r1: T")
          .Attr("T: {int32, int64} = DT_INT32")
          .Summary("The dimensions that broadcasting two shapes repeats in each.")
          .Shape(BroadcastGradientArgsShape),
      OpDefBuilder("Where")
          .Input("input: T")
          .Output("index: int64")
          .Attr("T: {numbertype, bool} = DT_BOOL")
          .Summary("The coordinates of the elements that are not zero, row by row.")
          .Shape(WhereShape),
  };
}

// The same elements under another shape.
std::vector<OpDefBuilder> ReshapingOps() {
  return {
      OpDefBuilder("Reshape")
          .Input("tensor: T")
          .Input("shape: Tshape", ArgRole::kNewShape)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tshape: {int32, int64} = DT_INT32")
          .Summary(
              "The elements of a tensor under another shape, in which one dimension may be -1.")
          .Shape(ReshapeShape),
      OpDefBuilder("ExpandDims")
          .Input("input: T")
          .Input("dim: Tdim", ArgRole::kAxis)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tdim: {int32, int64} = DT_INT32")
          .Summary("A tensor with a dimension of size 1 inserted.")
          .Shape(ExpandDimsShape),
      OpDefBuilder("Squeeze")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("squeeze_dims: list(int) >= 0 = []")
          .Summary("A tensor without its dimensions of size 1, or without the ones listed.")
          .Shape(SqueezeShape),
      OpDefBuilder("EnsureShape")
          .Input("input: T")
          .Output("output: T")
          .Attr("shape: shape")
          .Attr("T: type")
          .Summary("Its input; fails unless that has the given shape.")
          .Shape(EnsureShapeShape),
      OpDefBuilder("BroadcastTo")
          .Input("input: T")
          .Input("shape: Tidx", ArgRole::kShape)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("A tensor broadcast to the given shape.")
          .Shape(BroadcastToShape),
  };
}

// Tensors made from little.
std::vector<OpDefBuilder> MakingOps() {
  return {
      OpDefBuilder("Fill")
          .Input("dims: index_type", ArgRole::kShape)
          .Input("value: T", ArgRole::kScalar)
          .Output("output: T")
          .Attr("T: type")
          .Attr("index_type: {int32, int64} = DT_INT32")
          .Summary("A tensor of the given dimensions, all of one value.")
          .Shape(FillShape),
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
          .Input("start: Tidx", ArgRole::kScalar)
          .Input("limit: Tidx", ArgRole::kScalar)
          .Input("delta: Tidx", ArgRole::kScalar)
          .Output("output: Tidx")
          .Attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, "
                "uint64} = DT_INT32")
          .Summary("start, start + delta, and so on up to limit, which is left out.")
          .Shape(RangeShape),
      OpDefBuilder("InvertPermutation")
          .Input("x: T", ArgRole::kPermutation)
          .Output("y: T")
          .Attr("T: {int32, int64} = DT_INT32")
          .Summary("y with y[x[i]] = i.")
          .Shape(InvertPermutationShape),
      OpDefBuilder("OneHot")
          .Input("indices: TI", ArgRole::kIndices)
          .Input("depth: int32", ArgRole::kCount)
          .Input("on_value: T", ArgRole::kScalar)
          .Input("off_value: T", ArgRole::kScalar)
          .Output("output: T")
          .Attr("axis: int = -1")
          .Attr("T: type")
          .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
          .Summary("on_value at each index along a new dimension, off_value elsewhere.")
          .Shape(OneHotShape),
  };
}

}  // namespace

Status RegisterArrayOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ShapeOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ReshapingOps()));
  return RegisterAll(registry, MakingOps());
}

}  // namespace tagflow
