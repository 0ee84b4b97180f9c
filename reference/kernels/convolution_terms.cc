#include "reference/kernels/convolution_terms.h"

namespace tagflow::reference {

std::vector<WindowPlace> PlacesInImage(const WindowDim& dim, int64_t window) {
  std::vector<WindowPlace> places;
  const int64_t begin = window * dim.stride - dim.padding_before;
  // The first that is not before the image; none after it.
  const int64_t first = begin < 0 ? (-begin - 1) / dim.dilation + 1 : 0;
  for (int64_t w = first; w < dim.window && begin + w * dim.dilation < dim.image; ++w) {
    places.push_back({w, begin + w * dim.dilation});
  }
  return places;
}

int64_t ImageElement(const ImageLayout& layout, DimsView dims, int64_t batch, DimsView place,
                     int64_t channel) {
  int64_t element = batch;
  if (layout.channels_second) element = element * dims[1] + channel;
  for (int i = 0; i < layout.spatial_rank(); ++i) {
    element =
        element * dims[static_cast<size_t>(layout.spatial(i))] + place[static_cast<size_t>(i)];
  }
  return layout.channels_second ? element : element * dims.back() + channel;
}

}  // namespace tagflow::reference
