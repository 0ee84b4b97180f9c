#ifndef TAGFLOW_GRAPH_OPS_WINDOW_GEOMETRY_H_
#define TAGFLOW_GRAPH_OPS_WINDOW_GEOMETRY_H_

// How windows move over images, for convolutions and pooling: what the attrs of a node ask for, and
// where the windows then lie along each dimension.
//
//   padding_before          image           padding_after
//        . . |x x x x x x x x x x x x x x x x| . .
//        [w   w   w]                                   window 0, of 3 elements, dilation 2
//              [w   w   w]                             window 1, stride 3
//
// Tested by window_geometry_test.cc.

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/partial_shape.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// Which dimensions of an image are its batch (always the first), its channels (the second or the
// last), and spatial (all others, in order).
struct ImageLayout {
  int rank = 4;
  bool channels_second = false;

  int channel() const { return channels_second ? 1 : rank - 1; }
  int spatial_rank() const { return rank - 2; }
  int spatial(int i) const { return i + (channels_second ? 2 : 1); }  // 0 <= i < spatial_rank()
};
// "NHWC", "NCHW", "NDHWC" or "NCDHW".
//   Errors: UNIMPLEMENTED for another
Result<ImageLayout> ParseImageLayout(std::string_view data_format);
// The dims of an image, from those of its parts. REQUIRES: spatial.size() == layout.spatial_rank()
Dims ImageDims(const ImageLayout& layout, int64_t batch, DimsView spatial, int64_t channels);

enum class WindowPadding { kValid, kSame, kExplicit };

// Windows along one spatial dimension: element w of window o looks at element
// o * stride + w * dilation - padding_before of the image, which is padding if it is outside.
struct WindowDim {
  int64_t image = 1;   // elements of the image
  int64_t window = 1;  // elements of a window
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padding_before = 0;
  int64_t padding_after = 0;
  int64_t count = 1;  // of windows, each of which makes an element of the output
};

// `dim` with its count, and with the paddings that `padding` asks for: those of kExplicit are set
// already. Where image or window is PartialShape::kUnknownDim, so is what depends on it.
//   Errors: INVALID_ARGUMENT for a stride or a dilation below 1, a window of 0, a window larger
//   than what it moves over, sizes that overflow
// REQUIRES: image and window are known and not negative, or unknown; paddings are not negative
Result<WindowDim> PlaceWindows(WindowDim dim, WindowPadding padding);

// What the attrs of a node say of windows. Lists have an element for each dimension of the image,
// explicit_paddings two: before, after; it is empty unless the padding is kExplicit.
struct WindowAttrs {
  ImageLayout layout;
  WindowPadding padding = WindowPadding::kValid;
  Dims strides;
  Dims dilations;
  Dims explicit_paddings;
};

// The attrs data_format, padding, strides, dilations and explicit_paddings of a node whose images
// have `spatial_rank` spatial dimensions. Of an op without such an attr channels are last,
// dilations 1, and no padding is explicit.
//   Errors: UNIMPLEMENTED (data_format), INVALID_ARGUMENT for lists of another length, strides and
//   dilations below 1, explicit paddings that are negative, of the batch or the channels, or not
//   asked for
Result<WindowAttrs> ReadWindowAttrs(const Node& node, int spatial_rank);

// UNIMPLEMENTED unless the windows stay within an image and a channel.
Status RequireSpatialMoves(const WindowAttrs& attrs);

// The windows along each spatial dimension of an image.
//   image, window: sizes of the spatial dimensions, known or not
//   Errors: INVALID_ARGUMENT, of PlaceWindows
Result<std::vector<WindowDim>> PlaceAllWindows(const WindowAttrs& attrs, DimsView image,
                                               DimsView window);

// The sizes of the spatial dimensions of an image, and of the output that windows make of it.
// REQUIRES: dims.size() == layout.rank
Dims SpatialDims(const ImageLayout& layout, DimsView dims);
Dims WindowCounts(const std::vector<WindowDim>& windows);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OPS_WINDOW_GEOMETRY_H_
