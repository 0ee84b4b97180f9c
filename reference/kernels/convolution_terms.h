#ifndef TAGFLOW_REFERENCE_KERNELS_CONVOLUTION_TERMS_H_
#define TAGFLOW_REFERENCE_KERNELS_CONVOLUTION_TERMS_H_

// The definition of a convolution: which products of an element of the image and one of the filter
// each element of the output is the sum of. Its gradients are sums of products that the same terms
// name.

#include <cstdint>
#include <vector>

#include "graph/ops/convolution_geometry.h"
#include "graph/tensor.h"

namespace tagflow::reference {

// The places of a window, along each spatial dimension, and what it looks at there.
struct WindowPlace {
  int64_t in_window;
  int64_t in_image;
};
// Those of window number `window` that are not padding.
std::vector<WindowPlace> PlacesInImage(const WindowDim& dim, int64_t window);

// The number of the element of an image at a place and channel.
int64_t ImageElement(const ImageLayout& layout, DimsView dims, int64_t batch, DimsView place,
                     int64_t channel);

// Calls visit(window_place, image_place) for each place of the windows at `output_place` that is
// not padding, in row-major order.
template <typename Visit>
void ForEachPlaceOfWindow(const std::vector<WindowDim>& windows, DimsView output_place,
                          Visit visit) {
  std::vector<std::vector<WindowPlace>> places;
  int64_t count = 1;
  for (size_t i = 0; i < windows.size(); ++i) {
    places.push_back(PlacesInImage(windows[i], output_place[i]));
    count *= static_cast<int64_t>(places[i].size());
  }
  Dims in_window(windows.size()), in_image(windows.size());
  for (int64_t number = 0; number < count; ++number) {
    for (int64_t rest = number, i = static_cast<int64_t>(windows.size()) - 1; i >= 0; --i) {
      const auto& along = places[static_cast<size_t>(i)];
      const auto size = static_cast<int64_t>(along.size());
      in_window[static_cast<size_t>(i)] = along[static_cast<size_t>(rest % size)].in_window;
      in_image[static_cast<size_t>(i)] = along[static_cast<size_t>(rest % size)].in_image;
      rest /= size;
    }
    visit(in_window, in_image);
  }
}

// Calls visit(batch, output_place) for each place of the output, in row-major order.
template <typename Visit>
void ForEachWindow(const ConvolutionGeometry& geometry, Visit visit) {
  const Dims counts = WindowCounts(geometry.windows);
  const bool is_empty = geometry.in_channels == 0 || geometry.out_channels == 0;
  int64_t windows = is_empty ? 0 : geometry.batch;
  for (const int64_t count : counts) windows *= count;
  Dims place(counts.size());
  for (int64_t number = 0; number < windows; ++number) {
    int64_t rest = number;
    for (size_t i = counts.size(); i-- > 0; rest /= counts[i]) place[i] = rest % counts[i];
    visit(rest, place);
  }
}

// Calls visit(i, f, o) for each pair of an element `i` of the image and one `f` of the filter whose
// product is a term of element `o` of the output: those of one output in order of window and
// channel.
//   image, filter: their dims. REQUIRES: `geometry` is of these
template <typename Visit>
void ForEachTerm(const ConvolutionGeometry& geometry, DimsView image, DimsView filter,
                 Visit visit) {
  const ImageLayout& layout = geometry.layout;
  const Dims output = geometry.OutputDims();
  ForEachWindow(geometry, [&](int64_t batch, const Dims& at) {
    ForEachPlaceOfWindow(geometry.windows, at, [&](const Dims& in_window, const Dims& in_image) {
      int64_t window = 0;  // its number in the filter
      for (size_t i = 0; i < in_window.size(); ++i) window = window * filter[i] + in_window[i];
      for (int64_t out = 0; out < geometry.out_channels; ++out) {
        const int64_t group = out / (geometry.out_channels / geometry.groups);
        for (int64_t c = 0; c < geometry.filter_channels; ++c) {
          const int64_t channel = group * geometry.filter_channels + c;
          visit(ImageElement(layout, image, batch, in_image, channel),
                (window * geometry.filter_channels + c) * geometry.out_channels + out,
                ImageElement(layout, output, batch, at, out));
        }
      }
    });
  });
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_CONVOLUTION_TERMS_H_
