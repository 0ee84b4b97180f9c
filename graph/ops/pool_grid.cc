#include "graph/ops/pool_grid.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/partial_shape.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

Status CheckList(const Dims& list, const char* name, const ImageLayout& layout) {
  if (list.size() != static_cast<size_t>(layout.rank)) {
    return InvalidArgument("Sliding window " + std::string(name) + " field must specify " +
                           std::to_string(layout.rank) + " dimensions, but has " +
                           std::to_string(list.size()));
  }
  for (const int64_t size : list) {
    if (size >= 1) continue;
    return InvalidArgument("Sliding window " + std::string(name) + " must be > 0, but got " +
                           std::to_string(size));
  }
  return Status();
}

bool IsOverChannels(const Pooling& pooling) {
  return pooling.ksize[static_cast<size_t>(pooling.attrs.layout.channel())] != 1;
}

// Windows over channels are over nothing else, and stand side by side.
Status CheckChannels(const Pooling& pooling, int64_t channels) {
  const ImageLayout& layout = pooling.attrs.layout;
  const auto at = static_cast<size_t>(layout.channel());
  const int64_t size = pooling.ksize[at], stride = pooling.attrs.strides[at];
  if (size != stride) {
    return Unimplemented(
        "pooling over channels requires the depth window to equal the depth stride, not " +
        std::to_string(size) + " and " + std::to_string(stride));
  }
  const auto is_one = [](const Dims& sizes) { return std::ranges::count(sizes, 1) == 3; };
  if (layout.spatial_rank() != 2 || !is_one(pooling.ksize) || !is_one(pooling.attrs.strides)) {
    return Unimplemented("pooling is over channels or over width and height, not over both");
  }
  if (channels != kUnknown && channels % size != 0) {
    return Unimplemented("pooling over channels requires windows of " + std::to_string(size) +
                         " to divide the " + std::to_string(channels) + " channels evenly");
  }
  return Status();
}

Status CheckPooling(const Pooling& pooling, DimsView image) {
  const ImageLayout& layout = pooling.attrs.layout;
  TAGFLOW_RETURN_IF_ERROR(CheckList(pooling.ksize, "ksize", layout));
  TAGFLOW_RETURN_IF_ERROR(CheckList(pooling.attrs.strides, "strides", layout));
  if (pooling.ksize[0] != 1 || pooling.attrs.strides[0] != 1) {
    return Unimplemented("Pooling is not yet supported on the batch dimension.");
  }
  const auto channel = static_cast<size_t>(layout.channel());
  if (IsOverChannels(pooling)) return CheckChannels(pooling, image[channel]);
  if (pooling.attrs.strides[channel] == 1) return Status();
  return Unimplemented("strides over channels want windows over them");
}

// A window of padding alone would have no maximum.
Status CheckPaddings(const WindowDim& dim) {
  const int64_t most = std::max(dim.padding_before, dim.padding_after);
  if (dim.window == kUnknown || most < dim.window) return Status();
  return InvalidArgument("padding " + std::to_string(most) +
                         " needs to be smaller than the window size " + std::to_string(dim.window));
}

// The windows along each spatial dimension.
Result<std::vector<WindowDim>> PlacePooling(const Pooling& pooling, DimsView image) {
  TAGFLOW_RETURN_IF_ERROR(CheckPooling(pooling, image));
  const ImageLayout& layout = pooling.attrs.layout;
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<WindowDim> windows,
                           PlaceAllWindows(pooling.attrs, SpatialDims(layout, image),
                                           SpatialDims(layout, pooling.ksize)));
  for (const WindowDim& dim : windows) TAGFLOW_RETURN_IF_ERROR(CheckPaddings(dim));
  return windows;
}

// Of windows over channels, which lie next to each other.
WindowDim OverChannels(const Pooling& pooling, int64_t channels) {
  const int64_t size = pooling.ksize[static_cast<size_t>(pooling.attrs.layout.channel())];
  return {.image = channels,
          .window = size,
          .stride = size,
          .count = channels == kUnknown ? kUnknown : channels / size};
}

Dims OutputDims(const Pooling& pooling, DimsView image, const std::vector<WindowDim>& windows) {
  const ImageLayout& layout = pooling.attrs.layout;
  const int64_t channels = image[static_cast<size_t>(layout.channel())];
  return ImageDims(layout, image[0], WindowCounts(windows), OverChannels(pooling, channels).count);
}

}  // namespace

Result<Pooling> ReadPooling(const Node& node, int spatial_rank) {
  Pooling pooling;
  TAGFLOW_ASSIGN_OR_RETURN(pooling.attrs, ReadWindowAttrs(node, spatial_rank));
  pooling.ksize.assign(static_cast<size_t>(pooling.attrs.layout.rank), 1);
  if (FindAttr(node, "ksize") == nullptr) return pooling;
  TAGFLOW_ASSIGN_OR_RETURN(AttrList list, ListAttr(node, "ksize"));
  pooling.ksize = std::move(list.ints);
  return pooling;
}

Result<Dims> PooledDims(const Pooling& pooling, DimsView image) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<WindowDim> windows, PlacePooling(pooling, image));
  return OutputDims(pooling, image, windows);
}

Result<PoolGrid> GridOf(const Pooling& pooling, DimsView image) {
  const ImageLayout& layout = pooling.attrs.layout;
  if (image.size() != static_cast<size_t>(layout.rank)) {
    return InvalidArgument("images to pool must be " + std::to_string(layout.rank) +
                           "-dimensional, not " + DimsString(image));
  }
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<WindowDim> windows, PlacePooling(pooling, image));
  PoolGrid grid{image[0],
                {},
                image[static_cast<size_t>(layout.channel())],
                OutputDims(pooling, image, windows)};
  if (IsOverChannels(pooling)) {
    const WindowDim channels = OverChannels(pooling, grid.channels);
    windows.insert(layout.channels_second ? windows.begin() : windows.end(), channels);
    grid.channels = 1;
  } else if (layout.channels_second) {
    if (__builtin_mul_overflow(grid.images, grid.channels, &grid.images)) {
      return InvalidArgument("too many channels in images of " + DimsString(image));
    }
    grid.channels = 1;
  }
  std::ranges::copy_backward(windows, grid.dims.end());
  return grid;
}

}  // namespace tagflow
