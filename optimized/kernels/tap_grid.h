#ifndef TAGFLOW_OPTIMIZED_KERNELS_TAP_GRID_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TAP_GRID_H_

// Convolutions and their gradients by the image, as one form: every place of a grid of rows looks
// at some places of a source, its taps, each a fixed step away from where the row is.
//
// A convolution looks at the image: row r at r * stride + w * dilation - padding, for each element
// w of the window. Its gradient by the image looks at the gradient of the output: element i of the
// image was looked at by window o as its element w where o * stride + w * dilation - padding is i.
// For those i that are equal modulo the stride, the phases, that is again of the form: i = phase +
// r * stride has the taps o = r + (phase + padding - w * dilation) / stride, of the w for which
// that is whole. So no product is with a zero that a stride put between the elements.
//
// Tested by tap_grid_test.cc.

#include <array>
#include <cstdint>
#include <vector>

#include "graph/ops/convolution_geometry.h"

namespace tagflow::optimized {

// Elements [begin, begin + count).
struct Span {
  int64_t begin;
  int64_t count;
};

// Element r * step + offset of the source, for row r, meets element `in_window` of the window.
struct Tap {
  int64_t offset;
  int64_t in_window;
};

// Along one dimension.
struct TapAxis {
  int64_t source = 1;  // places that may be looked at: what is outside counts as zero
  int64_t rows = 1;
  int64_t step = 1;                  // of the source, from row to row
  int64_t window = 1;                // elements of the window
  std::vector<Tap> taps = {{0, 0}};  // in order of offset; only those that some row may look at
  // Row r is place first + r * stride of what is computed.
  int64_t first = 0;
  int64_t stride = 1;

  // Whether the taps look at places side by side, and whether all do so inside, from every row.
  bool IsConsecutive() const;
  bool IsInside() const;
};

TapAxis AxisOfImage(const WindowDim& dim);
// One for each phase, up to the image's size.
std::vector<TapAxis> AxesOfGradient(const WindowDim& dim);

inline constexpr int kGridAxes = 3;  // an image of two dimensions is one of three, of one plane

// The rows, batch after batch, in row-major order of the axes; and the taps in that order too.
struct TapGrid {
  int64_t batch = 1;
  std::array<const TapAxis*, kGridAxes> axes = {};

  int64_t NumRows() const;
  int64_t NumTaps() const;
  // The number of the tap's element in the window.
  int64_t InWindow(int64_t tap) const;
};

// A row's batch and its number along each axis.
struct GridPlace {
  int64_t batch = 0;
  std::array<int64_t, kGridAxes> at = {};

  static GridPlace Of(const TapGrid& grid, int64_t row);
  void Advance(const TapGrid& grid);  // to the next row
};

// How far apart neighbours along each dimension of an image lie, in elements.
struct ImageSteps {
  int64_t batch = 0;
  std::array<int64_t, kGridAxes> spatial = {};
  int64_t channel = 1;

  // REQUIRES: dims are those of a tensor
  static ImageSteps Of(const ImageLayout& layout, DimsView dims);
};

// The element, of the first channel, that a row is about in what is computed.
int64_t ElementOf(const TapGrid& grid, const ImageSteps& steps, const GridPlace& row);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TAP_GRID_H_
