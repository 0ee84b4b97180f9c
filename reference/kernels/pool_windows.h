#ifndef TAGFLOW_REFERENCE_KERNELS_POOL_WINDOWS_H_
#define TAGFLOW_REFERENCE_KERNELS_POOL_WINDOWS_H_

// The windows of pooling, one after the other.

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/ops/pool_grid.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/kernel.h"

namespace tagflow::reference {

// How the node of a kernel pools images of these dims. Sizes and strides are attrs or, of the ops
// with V2 in their names, the last two inputs.
//   Errors: of ReadPooling and GridOf, of IndexValues, of RequireRoom for what windows make
Result<PoolGrid> PoolGridOf(const KernelContext& context, int spatial_rank, DimsView image);

// Calls visit(output, inputs) for each window of each image and channel: the number of the element
// of the output that it makes, and the numbers of the elements of the images that it sees, in
// order; none where all is padding.
void ForEachWindow(
    const PoolGrid& grid,
    const std::function<void(int64_t output, const std::vector<int64_t>& inputs)>& visit);

// OK for a tensor of these dims.
//   Errors: INVALID_ARGUMENT "Expected grad shape to be [1], but got [2]"
Status RequireDims(const Tensor& tensor, DimsView dims, const char* what);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_POOL_WINDOWS_H_
