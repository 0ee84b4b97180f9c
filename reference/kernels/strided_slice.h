#ifndef TAGFLOW_REFERENCE_KERNELS_STRIDED_SLICE_H_
#define TAGFLOW_REFERENCE_KERNELS_STRIDED_SLICE_H_

// Which elements x[a:b:c, ..., i, newaxis] means. The slice is given *sparsely*: one entry of
// begin, end and strides per item in the brackets, with bit masks saying which items are `...`,
// new axes, single indices, or have an end left out. It is made *dense*, one range per dimension of
// the input; then the output's dimensions are named.

#include <cstdint>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/kernel.h"

namespace tagflow::reference {

struct SparseSlice {
  std::vector<int64_t> begin, end, strides;  // of equal length
  int64_t begin_mask = 0;                    // bit i: item i begins at the edge
  int64_t end_mask = 0;                      // bit i: item i goes on to the edge
  int64_t ellipsis_mask = 0;                 // one bit at most
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;  // bit i: item i is the single index begin[i]
};

struct DenseSlice {
  // Per dimension of the input.
  std::vector<int64_t> begin, strides, sizes;
  // Per dimension of the output: the input's dimension it runs along, or kNewAxis.
  static constexpr int64_t kNewAxis = -1;
  std::vector<int64_t> axes;

  Dims OutputDims() const;
  // The number of the input's element that is at coordinates `at` of the output.
  int64_t Element(const Dims& at, const std::vector<int64_t>& input_strides) const;
};

// The slice that a node names: begin, end and strides are its inputs 1 to 3, the masks attrs.
//   Errors: INVALID_ARGUMENT unless the inputs are vectors of one length, at most 32
Result<SparseSlice> ReadSlice(const KernelContext& context);

//   Errors: INVALID_ARGUMENT: two ellipses, too many items, stride 0, a single index out of range
Result<DenseSlice> MakeDense(const SparseSlice& slice, DimsView dims);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_STRIDED_SLICE_H_
