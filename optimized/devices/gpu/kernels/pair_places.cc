#include "optimized/devices/gpu/kernels/pair_places.h"

#include <algorithm>
#include <string>

namespace tagflow::optimized {
namespace {

// The dimension that is `from_end` dimensions before the last; 1 where there is none.
int64_t DimAt(DimsView dims, size_t from_end) {
  return from_end < dims.size() ? dims[dims.size() - 1 - from_end] : 1;
}

}  // namespace

Result<PairPlaces> PlacesOf(DimsView x, DimsView y, DimsView out) {
  PairPlaces places;
  const auto is_whole = [&](DimsView dims) {
    return dims.empty() || std::ranges::equal(dims, out);
  };
  if (is_whole(x) && is_whole(y)) return places;
  int64_t x_size = 1, y_size = 1;
  bool x_repeated = false, y_repeated = false;
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t dim = DimAt(out, i);
    if (dim == 1) continue;
    const bool x_repeats = DimAt(x, i) == 1, y_repeats = DimAt(y, i) == 1;
    const bool goes_on = places.rank > 0 && x_repeats == x_repeated && y_repeats == y_repeated;
    if (goes_on) {
      places.dims[places.rank - 1] *= dim;
    } else if (places.rank == PairPlaces::kRankMax) {
      return Unimplemented("shapes " + DimsString(x) + " and " + DimsString(y) +
                           " broadcast in more than " + std::to_string(PairPlaces::kRankMax) +
                           " groups of dimensions, which no GPU kernel here can");
    } else {
      places.dims[places.rank] = dim;
      places.x_strides[places.rank] = x_repeats ? 0 : x_size;
      places.y_strides[places.rank] = y_repeats ? 0 : y_size;
      ++places.rank;
    }
    if (!x_repeats) x_size *= dim;
    if (!y_repeats) y_size *= dim;
    x_repeated = x_repeats;
    y_repeated = y_repeats;
  }
  return places;
}

}  // namespace tagflow::optimized
