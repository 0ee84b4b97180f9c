// Ops that trade dimensions for one another block by block: space for batch, space for depth.

#include <algorithm>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

using shapes::ConstantInts;
using shapes::MultiplyDims;
using shapes::RequireRank;

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

enum class Direction { kToBatch, kToSpace };

// What is known of the blocks of a batch op: their sizes, and the two margins of each dimension.
struct Blocks {
  std::optional<Dims> sizes;
  std::optional<Dims> margins;
};

// dim / by, where that is without rest.
Result<int64_t> Divided(int64_t dim, int64_t by) {
  if (dim == kUnknown || by == kUnknown) return kUnknown;
  if (dim % by == 0) return dim / by;
  return InvalidArgument("a dimension of " + std::to_string(dim) + " is not a multiple of " +
                         std::to_string(by));
}

// The spatial dimension `dim`, whose margins are before and after.
Result<int64_t> SpatialDim(int64_t dim, int64_t size, int64_t before, int64_t after,
                           Direction direction) {
  if (before < 0 || after < 0) return InvalidArgument("paddings and crops must not be negative");
  const int64_t margins = shapes::AddDims(before, after);
  if (margins == kUnknown) return kUnknown;
  if (direction == Direction::kToBatch) return Divided(shapes::AddDims(dim, margins), size);
  const int64_t whole = MultiplyDims(dim, size);
  if (whole == kUnknown) return kUnknown;
  if (margins > whole) {
    return InvalidArgument("crops of together " + std::to_string(margins) +
                           " leave nothing of a dimension of " + std::to_string(whole));
  }
  return whole - margins;
}

// The output, whose first dimension is the batch and whose next `count` are cut into blocks.
Status SetBlocked(ShapeContext& context, size_t count, const Blocks& blocks, Direction direction) {
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  if (static_cast<size_t>(input.rank()) < count + 1) {
    return InvalidArgument("blocks of " + std::to_string(count) +
                           " dimensions are too many for the shape " + input.ToString());
  }
  Dims dims = input.dims();
  int64_t product = 1;
  for (size_t i = 0; i < count; ++i) {
    const int64_t size = blocks.sizes.has_value() ? (*blocks.sizes)[i] : kUnknown;
    if (blocks.sizes.has_value() && size < 1) return InvalidArgument("a block must not be empty");
    product = MultiplyDims(product, size);
    int64_t& dim = dims[i + 1];
    if (!blocks.margins.has_value() || size == kUnknown) {
      dim = kUnknown;
      continue;
    }
    TAGFLOW_ASSIGN_OR_RETURN(dim, SpatialDim(dim, size, (*blocks.margins)[2 * i],
                                             (*blocks.margins)[2 * i + 1], direction));
  }
  if (direction == Direction::kToBatch) {
    dims[0] = product == kUnknown ? kUnknown : MultiplyDims(dims[0], product);
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(dims[0], Divided(dims[0], product));
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

// Blocks as inputs say them: block_shape, and two margins for each of its elements.
Status BlockedNdShape(ShapeContext& context, Direction direction) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 1, 1));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape margins,
                           MergeShapes(context.input(2), PartialShape(Dims{kUnknown, 2})));
  int64_t count = margins.dim(0);
  if (context.input(1).known_rank()) {
    TAGFLOW_ASSIGN_OR_RETURN(count, shapes::MergeDims(count, context.input(1).dim(0)));
  }
  if (count == kUnknown) return Status();
  return SetBlocked(context, static_cast<size_t>(count),
                    {ConstantInts(context, 1), ConstantInts(context, 2)}, direction);
}

// The older form: two spatial dimensions with square blocks.
Status SquareShape(ShapeContext& context, Direction direction) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 0, 4));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(1), PartialShape(Dims{2, 2})).status());
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, IntAttr(context.node(), "block_size"));
  return SetBlocked(context, 2, {Dims{size, size}, ConstantInts(context, 1)}, direction);
}

Status SpaceToBatchNdShape(ShapeContext& context) {
  return BlockedNdShape(context, Direction::kToBatch);
}
Status BatchToSpaceNdShape(ShapeContext& context) {
  return BlockedNdShape(context, Direction::kToSpace);
}
Status SpaceToBatchShape(ShapeContext& context) {
  return SquareShape(context, Direction::kToBatch);
}
Status BatchToSpaceShape(ShapeContext& context) {
  return SquareShape(context, Direction::kToSpace);
}

// Of NHWC and NCHW; images in vectors of four channels have no shape here.
Status DepthShape(ShapeContext& context, bool to_depth) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(context.node(), "data_format"));
  if (format == "NCHW_VECT_C") return Status();
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, 0, 4));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, IntAttr(context.node(), "block_size"));
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  Dims dims = input.dims();
  const size_t channel = format == "NHWC" ? 3 : 1;
  const int64_t area = MultiplyDims(size, size);
  if (to_depth) {
    dims[channel] = area == kUnknown ? kUnknown : MultiplyDims(dims[channel], area);
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(dims[channel], Divided(dims[channel], area));
  }
  for (size_t d = 1; d < 4; ++d) {
    if (d == channel) continue;
    if (to_depth) {
      TAGFLOW_ASSIGN_OR_RETURN(dims[d], Divided(dims[d], size));
    } else {
      dims[d] = MultiplyDims(dims[d], size);
    }
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

Status SpaceToDepthShape(ShapeContext& context) { return DepthShape(context, true); }
Status DepthToSpaceShape(ShapeContext& context) { return DepthShape(context, false); }

std::vector<OpDefBuilder> BatchOps() {
  return {
      OpDefBuilder("SpaceToBatchND")
          .Input("input: T")
          .Input("block_shape: Tblock_shape", ArgRole::kBlocks)
          .Input("paddings: Tpaddings", ArgRole::kPaddings)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tblock_shape: {int32, int64} = DT_INT32")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .Summary("A padded tensor whose blocks are taken apart into the batch dimension.")
          .Shape(SpaceToBatchNdShape),
      OpDefBuilder("BatchToSpaceND")
          .Input("input: T")
          .Input("block_shape: Tblock_shape", ArgRole::kBlocks)
          .Input("crops: Tcrops", ArgRole::kCrops)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tblock_shape: {int32, int64} = DT_INT32")
          .Attr("Tcrops: {int32, int64} = DT_INT32")
          .Summary("A tensor whose batch is put together into blocks, then cropped.")
          .Shape(BatchToSpaceNdShape),
      OpDefBuilder("SpaceToBatch")
          .Input("input: T")
          .Input("paddings: Tpaddings", ArgRole::kPaddings)
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .Attr("block_size: int >= 2")
          .Summary("SpaceToBatchND of images with square blocks.")
          .Shape(SpaceToBatchShape),
      OpDefBuilder("BatchToSpace")
          .Input("input: T")
          .Input("crops: Tidx", ArgRole::kCrops)
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("BatchToSpaceND of images with square blocks.")
          .Shape(BatchToSpaceShape),
  };
}

std::vector<OpDefBuilder> DepthOps() {
  return {
      OpDefBuilder("SpaceToDepth")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .Summary("Images whose square blocks are taken apart into channels.")
          .Shape(SpaceToDepthShape),
      OpDefBuilder("DepthToSpace")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .Summary("Images whose channels are put together into square blocks.")
          .Shape(DepthToSpaceShape),
  };
}

}  // namespace

Status RegisterBlockOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, BatchOps()));
  return RegisterAll(registry, DepthOps());
}

}  // namespace tagflow
