// Ops that move the elements of a tensor along its dimensions: reversed, rolled, padded.

#include <algorithm>

#include "graph/limits.h"
#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

using shapes::ConstantInts;
using shapes::NormalizeAxis;
using shapes::RequireRank;
using shapes::RequireRankAtLeast;

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

Status ReverseV2Shape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 1, 1));
  const PartialShape& input = context.input(0);
  const std::optional<Dims> axes = ConstantInts(context, 1);
  if (axes.has_value() && input.known_rank()) {
    std::vector<bool> used(static_cast<size_t>(input.rank()), false);
    for (const int64_t axis : *axes) {
      TAGFLOW_ASSIGN_OR_RETURN(const int place, NormalizeAxis(context, axis, input.rank()));
      if (used[static_cast<size_t>(place)]) {
        return InvalidArgument("axis " + std::to_string(place) + " is given twice");
      }
      used[static_cast<size_t>(place)] = true;
    }
  }
  return shapes::Unchanged(context);
}

Status ReverseShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 1, 1));
  const PartialShape& input = context.input(0);
  const PartialShape& dims = context.input(1);
  if (input.known_rank() && dims.fully_known() && dims.dim(0) != input.rank()) {
    return InvalidArgument("dims needs one element for each dimension of " + input.ToString());
  }
  return shapes::Unchanged(context);
}

Status ReverseSequenceShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 1, 1));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seq_dim, IntAttr(context.node(), "seq_dim"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_dim, IntAttr(context.node(), "batch_dim"));
  const PartialShape& input = context.input(0);
  const PartialShape& lengths = context.input(1);
  if (!input.known_rank()) return Status();
  for (const int64_t dim : {seq_dim, batch_dim}) {
    if (dim >= 0 && dim < input.rank()) continue;
    return InvalidArgument("seq_dim " + std::to_string(seq_dim) + " and batch_dim " +
                           std::to_string(batch_dim) + " must be dimensions of " +
                           input.ToString());
  }
  Dims dims = input.dims();
  int64_t& batch = dims[static_cast<size_t>(batch_dim)];
  if (lengths.known_rank()) {
    TAGFLOW_ASSIGN_OR_RETURN(batch, shapes::MergeDims(batch, lengths.dim(0)));
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

Status RollShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRankAtLeast(context, 0, 1));
  for (int i = 1; i < 3; ++i) {
    const PartialShape& shape = context.input(i);
    if (!shape.known_rank() || shape.rank() <= 1) continue;
    return InvalidArgument("input '" + shapes::InputName(context, i) +
                           "' must be a scalar or a vector, not of shape " + shape.ToString());
  }
  return shapes::Unchanged(context);
}

enum class Padding { kAdds, kRemoves };

// One dimension with `before` and `after` elements put on it, or taken off.
Result<int64_t> PaddedDim(int64_t dim, int64_t before, int64_t after, Padding padding) {
  if (before < 0 || after < 0) return InvalidArgument("paddings must not be negative");
  const int64_t both = shapes::AddDims(before, after);
  if (dim == kUnknown || both == kUnknown) return kUnknown;
  if (padding == Padding::kAdds) return shapes::AddDims(dim, both);
  if (both > dim) {
    return InvalidArgument("a dimension of " + std::to_string(dim) +
                           " has no paddings of together " + std::to_string(both));
  }
  return dim - both;
}

// The rank of input 0, which must be the number of rows in input 1, or unknown.
Result<int64_t> RankByRows(const ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape paddings,
                           MergeShapes(context.input(1), PartialShape(Dims{kUnknown, 2})));
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return paddings.dim(0);
  if (shapes::MergeDims(paddings.dim(0), input.rank()).ok()) return input.rank();
  return InvalidArgument("paddings needs one row for each dimension of " + input.ToString());
}

Status PaddedShape(ShapeContext& context, Padding padding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rank, RankByRows(context));
  if (rank == kUnknown || rank > kMostDimensions) return Status();
  Dims dims(static_cast<size_t>(rank), kUnknown);
  const PartialShape& input = context.input(0);
  const std::optional<Dims> paddings = ConstantInts(context, 1);
  for (size_t d = 0; d < dims.size() && paddings.has_value(); ++d) {
    const int64_t dim = input.known_rank() ? input.dim(static_cast<int>(d)) : kUnknown;
    TAGFLOW_ASSIGN_OR_RETURN(dims[d],
                             PaddedDim(dim, (*paddings)[2 * d], (*paddings)[2 * d + 1], padding));
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

Status PadShape(ShapeContext& context) { return PaddedShape(context, Padding::kAdds); }
Status PadV2Shape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 2, 0));
  return PaddedShape(context, Padding::kAdds);
}
Status MirrorPadGradShape(ShapeContext& context) { return PaddedShape(context, Padding::kRemoves); }

// Turned around, or turned on.
std::vector<OpDefBuilder> TurningOps() {
  return {
      OpDefBuilder("ReverseV2")
          .Input("tensor: T")
          .Input("axis: Tidx", ArgRole::kAxes)
          .Output("output: T")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Attr("T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, "
                "half, float, double, complex64, complex128, string}")
          .Summary("A tensor with the order along the given axes reversed.")
          .Shape(ReverseV2Shape),
      OpDefBuilder("Reverse")
          .Input("tensor: T")
          .Input("dims: bool", ArgRole::kFlags)
          .Output("output: T")
          .Attr("T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, "
                "half, float, double, complex64, complex128, string}")
          .Summary("A tensor with the order reversed along the dimensions for which dims is true.")
          .Shape(ReverseShape),
      OpDefBuilder("ReverseSequence")
          .Input("input: T")
          .Input("seq_lengths: Tlen", ArgRole::kRowNumbers)
          .Output("output: T")
          .Attr("seq_dim: int")
          .Attr("batch_dim: int = 0")
          .Attr("T: type")
          .Attr("Tlen: {int32, int64} = DT_INT64")
          .Summary("For each element of a batch, its first seq_lengths elements reversed.")
          .Shape(ReverseSequenceShape),
      OpDefBuilder("Roll")
          .Input("input: T")
          .Input("shift: Tshift", ArgRole::kPerAxis)
          .Input("axis: Taxis", ArgRole::kAxisOrAxes)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tshift: {int32, int64}")
          .Attr("Taxis: {int32, int64}")
          .Summary("A tensor moved along axes; what leaves at one end comes in at the other.")
          .Shape(RollShape),
  };
}

std::vector<OpDefBuilder> PaddingOps() {
  return {
      OpDefBuilder("Pad")
          .Input("input: T")
          .Input("paddings: Tpaddings", ArgRole::kPaddings)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .Summary("A tensor with zeros before and after it along each dimension.")
          .Shape(PadShape),
      OpDefBuilder("PadV2")
          .Input("input: T")
          .Input("paddings: Tpaddings", ArgRole::kPaddings)
          .Input("constant_values: T", ArgRole::kScalar)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .Summary("A tensor with a value before and after it along each dimension.")
          .Shape(PadV2Shape),
      OpDefBuilder("MirrorPad")
          .Input("input: T")
          .Input("paddings: Tpaddings", ArgRole::kPaddings)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
          .Summary("A tensor continued by its mirror image along each dimension.")
          .Shape(PadShape),
      OpDefBuilder("MirrorPadGrad")
          .Input("input: T")
          .Input("paddings: Tpaddings", ArgRole::kPaddings)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
          .Summary("The gradient of MirrorPad: mirror images added to what they show.")
          .Shape(MirrorPadGradShape),
  };
}

}  // namespace

Status RegisterRearrangingOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, TurningOps()));
  return RegisterAll(registry, PaddingOps());
}

}  // namespace tagflow
