#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PAIR_PLACES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PAIR_PLACES_H_

// Where two inputs that broadcast have what an element of the output is made of.
//
// Tested by pair_places_test.cc.

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// Neighbouring dimensions in which the same input repeats, or none, are one.
struct PairPlaces {
  static constexpr int kRankMax = 8;
  int rank = 0;                 // 0: both inputs have the output's shape, or are scalars
  int64_t dims[kRankMax] = {};  // innermost first
  int64_t x_strides[kRankMax] = {};
  int64_t y_strides[kRankMax] = {};

  TAGFLOW_ANYWHERE void Find(int64_t element, int64_t& x, int64_t& y) const {
    x = y = 0;
    for (int i = 0; i < rank; ++i) {
      const int64_t at = element % dims[i];
      element /= dims[i];
      x += at * x_strides[i];
      y += at * y_strides[i];
    }
  }
};

// out: what x and y broadcast to
//   Errors: UNIMPLEMENTED where more than kRankMax dimensions are left
Result<PairPlaces> PlacesOf(DimsView x, DimsView y, DimsView out);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PAIR_PLACES_H_
