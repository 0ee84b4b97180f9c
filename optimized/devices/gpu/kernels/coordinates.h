#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COORDINATES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COORDINATES_H_

// Rows of a tensor that are named by numbers which the device has, and checks by itself
// ([device.1]).
//
// Tested by conformance/gpu/host_scatter_test.cc and host_indexed_test.cc.

#include <cstdint>

#include "optimized/devices/fault_place.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// Each name is a number for each of the first `depth` dimensions of the tensor; a row is what lies
// at one place in these.
struct Coordinates {
  static constexpr int kDepthMax = 16;
  static constexpr int64_t kNowhere = -1;

  const void* names;  // [names, depth]; null: the host has the one number there is
  alignas(8) char scalar[8];
  bool are_wide;  // int64, not int32
  int depth;
  int64_t dims[kDepthMax];
  // Which names are no error, but name nothing.
  bool passes_over_negative;
  bool passes_over_all;
  FaultPlace fault;  // is told the place of another that names nothing
};

// Which row a name is of, or kNowhere.
template <typename I>
struct RowFinder {
  explicit RowFinder(const Coordinates& of)
      : coordinates(of),
        names(static_cast<const I*>(of.names)),
        scalar(*reinterpret_cast<const I*>(of.scalar)) {}
  TAGFLOW_ANYWHERE int64_t operator()(int64_t name) const {
    int64_t row = 0;
    for (int d = 0; d < coordinates.depth; ++d) {
      const int64_t at = names != nullptr ? names[name * coordinates.depth + d] : scalar;
      if (at < 0 || at >= coordinates.dims[d]) return Nowhere(name, at);
      row = row * coordinates.dims[d] + at;
    }
    return row;
  }
  TAGFLOW_ANYWHERE int64_t Nowhere(int64_t name, int64_t at) const {
    const bool passes_over =
        coordinates.passes_over_all || (coordinates.passes_over_negative && at < 0);
    if (!passes_over) coordinates.fault.Note(name);
    return Coordinates::kNowhere;
  }
  Coordinates coordinates;
  const I* names;
  I scalar;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COORDINATES_H_
