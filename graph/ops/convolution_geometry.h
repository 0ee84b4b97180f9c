#ifndef TAGFLOW_GRAPH_OPS_CONVOLUTION_GEOMETRY_H_
#define TAGFLOW_GRAPH_OPS_CONVOLUTION_GEOMETRY_H_

// The sizes of a convolution, from the attrs of its node and the shapes of image and filter.
//
// The channels of the image are in as many groups as filters need: element c of a filter looks at
// channel group * filter_channels + c, and the channels of the output are in the same groups, one
// after another. A depthwise convolution has a group for each channel of the image; its filter
// [..., in_channels, multiplier] lies in memory as [..., 1, in_channels * multiplier] does.
//
// Tested by convolution_geometry_test.cc.

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/ops/window_geometry.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// Sizes may be unknown (PartialShape::kUnknownDim) where those that they were made of are.
struct ConvolutionGeometry {
  ImageLayout layout;
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t filter_channels = 1;  // of the image that a filter looks at: those of its group
  int64_t out_channels = 1;
  int64_t groups = 1;  // of no channels there are no groups
  std::vector<WindowDim> windows;

  Dims OutputDims() const { return ImageDims(layout, batch, WindowCounts(windows), out_channels); }
};

// A convolution's windows, by its attrs, and whether it is depthwise, by its name.
struct ConvolutionAttrs {
  WindowAttrs windows;
  bool is_depthwise = false;
};
// Reads a node of the family `convolution`, whose name tells how many spatial dimensions it has.
//   Errors: of ReadWindowAttrs and RequireSpatialMoves
Result<ConvolutionAttrs> ReadConvolutionAttrs(const Node& node);

//   image: [batch, spatial, in_channels] as the layout has them
//   filter: [spatial, filter_channels, out_channels], [spatial, in_channels, multiplier] if
//   depthwise
//   Errors: INVALID_ARGUMENT for other ranks, channels that do not fit, and of PlaceWindows
Result<ConvolutionGeometry> PlaceConvolution(const ConvolutionAttrs& attrs, DimsView image,
                                             DimsView filter);

// The same for a gradient by the image or by the filter, of which one is only sizes.
//   Errors: INVALID_ARGUMENT also for sizes that no tensor has, and where out_backprop is not of
//   the output's shape
Result<ConvolutionGeometry> PlaceBackprop(const ConvolutionAttrs& attrs, DimsView image,
                                          DimsView filter, DimsView out_backprop);

// The dims of the image that `sizes` spells, for the gradient of a convolution of two spatial
// dimensions: all of them, or those of the spatial dimensions.
Dims SpelledImageDims(const ConvolutionAttrs& attrs, DimsView sizes, DimsView filter,
                      DimsView out_backprop);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OPS_CONVOLUTION_GEOMETRY_H_
