#ifndef TAGFLOW_OPTIMIZED_KERNELS_DIAGONALS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_DIAGONALS_H_

// Diagonals of matrices, diagonal d being where column - row = d, and what the ops on them copy,
// which devices do in ways of their own.
//
// Tested by conformance/ops/diagonal.ops.

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/kernel.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

struct Band {
  int64_t lowest = 0;
  int64_t highest = 0;
  int64_t count() const { return highest - lowest + 1; }
};

// What MatrixBandPart leaves of its input, of the shape of that and inputs 1 and 2: num_lower and
// num_upper, how many diagonals below and above the main one stay, negative: all.
//   Errors: INVALID_ARGUMENT
Result<Band> BandThatStays(const KernelContext& context);

// Elements that are copied, from and to the ones of these numbers on.
struct DiagonalCopy {
  int64_t from, to;
  SmallDims dims, from_steps, to_steps;
};
// What Diag, MatrixDiagV3, MatrixDiagPartV3, MatrixSetDiagV3 and their like make.
struct DiagonalPlan {
  // In the place of an input that has the element which is everywhere at first.
  static constexpr int kZeros = -1;
  static constexpr int kInput = -2;    // the output is a copy of input 0 at first
  static constexpr int kNothing = -3;  // all of it is written

  SmallDims dims;  // of the output
  int source = 0;  // the input that is copied from
  int ground = kZeros;
  std::vector<DiagonalCopy> copies;
};
// Reads k and the sizes, and the shapes of the other inputs.   Errors: INVALID_ARGUMENT
using DiagonalPlanner = std::function<Result<DiagonalPlan>(const KernelContext& context)>;
//   Errors: those of a missing attr.   REQUIRES: a node of such an op
Result<DiagonalPlanner> DiagonalPlannerOf(const Node& node);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_DIAGONALS_H_
