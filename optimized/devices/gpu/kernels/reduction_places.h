#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_PLACES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_PLACES_H_

// Where a reduction finds the elements that an element of its output is made of.
//
// Tested by reduction_places_test.cc.

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// Some dimensions of a tensor; neighbouring ones are one.
struct DimGroups {
  static constexpr int kRankMax = 8;
  int rank = 0;
  int64_t dims[kRankMax] = {};  // innermost first
  int64_t strides[kRankMax] = {};

  // How far element `at` in row-major order of these dimensions is from the first. The outermost
  // group takes what is left, so that a single one needs no division.
  TAGFLOW_ANYWHERE int64_t Offset(int64_t at) const {
    if (rank == 0) return 0;
    int64_t offset = 0;
    for (int i = 0; i < rank - 1; ++i) {
      offset += at % dims[i] * strides[i];
      at /= dims[i];
    }
    return offset + at * strides[rank - 1];
  }
};

struct ReductionPlaces {
  DimGroups kept, reduced;
  int64_t outputs = 0;                // elements of the output
  int64_t elements = 0;               // of the input, for each of the output; 0 where it has none
  bool reduced_is_innermost = false;  // then the elements of an output lie side by side
};

// input: the dims of what is reduced; kept: these, with 1 for each that is reduced
//   Errors: UNIMPLEMENTED where more than kRankMax groups of dimensions are kept, or are reduced
Result<ReductionPlaces> ReductionPlacesOf(DimsView input, DimsView kept);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_PLACES_H_
