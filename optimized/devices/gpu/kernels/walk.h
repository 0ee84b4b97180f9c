#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_WALK_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_WALK_H_

// Where several tensors that are walked together have their elements: each has a step of its own
// along each dimension, 0 where it repeats.
//
// Tested by walk_test.cc.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "graph/status.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// Neighbouring dimensions that each tensor walks as one are one. A tensor without elements may have
// dimensions whose product does not fit: products wrap.
template <int kTensors>
struct Walk {
  static constexpr int kRankMax = 16;
  using Steps = std::array<int64_t, kTensors>;

  int rank = 0;
  int64_t count = 1;            // of all places
  int64_t dims[kRankMax] = {};  // innermost first
  int64_t steps[kRankMax][kTensors] = {};

  // One more dimension, around those so far.
  //   Errors: UNIMPLEMENTED where more than kRankMax are left
  Status Add(int64_t dim, const Steps& with) {
    count = Product(count, dim);
    if (dim == 1) return Status();
    if (GoesOn(with)) {
      dims[rank - 1] = Product(dims[rank - 1], dim);
      return Status();
    }
    if (rank == kRankMax) {
      return Unimplemented("the elements lie in more than " + std::to_string(kRankMax) +
                           " dimensions, which no GPU kernel here can walk");
    }
    dims[rank] = dim;
    for (int i = 0; i < kTensors; ++i) steps[rank][i] = with[static_cast<size_t>(i)];
    ++rank;
    return Status();
  }

  // at[i]: the place in tensor i, from where its walk begins.
  TAGFLOW_ANYWHERE void Find(int64_t element, int64_t (&at)[kTensors]) const {
    for (int i = 0; i < kTensors; ++i) at[i] = 0;
    for (int d = 0; d < rank; ++d) {
      const int64_t place = element % dims[d];
      element /= dims[d];
      for (int i = 0; i < kTensors; ++i) at[i] += place * steps[d][i];
    }
  }

 private:
  static int64_t Product(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
  // Whether a step along the new dimension is one past the end of the last.
  bool GoesOn(const Steps& with) const {
    if (rank == 0 || count == 0) return false;
    for (int i = 0; i < kTensors; ++i) {
      const int64_t next = Product(steps[rank - 1][i], dims[rank - 1]);
      if (next != with[static_cast<size_t>(i)]) return false;
    }
    return true;
  }
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_WALK_H_
