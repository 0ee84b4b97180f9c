#ifndef TAGFLOW_OPTIMIZED_KERNELS_ND_SLICES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ND_SLICES_H_

// Where ops in the manner of ScatterNd put their updates: rows of coordinates, each the place of a
// slice of a tensor.

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

struct NdSlices {
  static constexpr int64_t kNowhere = -1;

  std::vector<int64_t> rows;  // the number of each slice, or kNowhere
  int64_t size = 0;           // elements of a slice
};

// Whether coordinates outside of the tensor are passed over, as the attr bad_indices_policy asks.
//   Errors: INVALID_ARGUMENT
Result<bool> PassesOverBadIndices(const Node& node);

// The slices of a tensor of shape `dims` that indices name.
//   indices: integers [..., depth]; updates: [..., dims after depth]
//   Errors: INVALID_ARGUMENT for shapes that do not fit, and, unless they are passed over, for
//   coordinates outside
Result<NdSlices> ReadNdSlices(DimsView dims, const Tensor& indices, const Tensor& updates,
                              bool passes_over);
// The two halves of it: INVALID_ARGUMENT by the shapes, and the slices of shapes that fit.
Status CheckNdSlices(DimsView dims, DimsView indices, DimsView updates);
Result<NdSlices> NdSlicesAt(DimsView dims, const Tensor& indices, bool passes_over);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ND_SLICES_H_
