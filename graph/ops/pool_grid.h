#ifndef TAGFLOW_GRAPH_OPS_POOL_GRID_H_
#define TAGFLOW_GRAPH_OPS_POOL_GRID_H_

// What a pooling makes of images: for each window over them, and for each channel, one element.
//
// Tested by pooling_ops_test.cc.

#include <array>
#include <cstdint>

#include "graph/graph.h"
#include "graph/ops/window_geometry.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// What a node asks for: lists have an element for each dimension of the images.
struct Pooling {
  WindowAttrs attrs;
  Dims ksize;
};

// Of a node whose images have `spatial_rank` spatial dimensions. An op without the attrs ksize and
// strides takes them as inputs: then both are as if there were no windows, until somebody sets
// them.
//   Errors: UNIMPLEMENTED (data_format), INVALID_ARGUMENT
Result<Pooling> ReadPooling(const Node& node, int spatial_rank);

// The dims of the output. Those of the images may be unknown.
//   Errors: INVALID_ARGUMENT for lists of another length, sizes and strides below 1, windows larger
//   than what they move over, explicit paddings as large as a window; UNIMPLEMENTED for windows
//   over the batch, or over channels and more, or over channels that overlap
// REQUIRES: image.size() == pooling.attrs.layout.rank
Result<Dims> PooledDims(const Pooling& pooling, DimsView image);

// The same windows over images of known dims, as [images, dims[0], dims[1], dims[2], channels]:
// images of two spatial dimensions have a first one of 1. Where the channels are the second
// dimension each is an image of its own, and where windows are over channels these are spatial.
struct PoolGrid {
  int64_t images = 0;
  std::array<WindowDim, 3> dims;
  int64_t channels = 0;
  Dims output;  // of the tensor, as PooledDims

  int64_t places() const { return dims[0].image * dims[1].image * dims[2].image; }
  int64_t windows() const { return dims[0].count * dims[1].count * dims[2].count; }
};
//   Errors: of PooledDims; INVALID_ARGUMENT for images of another rank
Result<PoolGrid> GridOf(const Pooling& pooling, DimsView image);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OPS_POOL_GRID_H_
