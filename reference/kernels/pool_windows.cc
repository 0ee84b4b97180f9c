// Tested by conformance/ops/pooling.ops.

#include "reference/kernels/pool_windows.h"

#include <algorithm>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"

namespace tagflow::reference {
namespace {

bool TakesSizes(const Node& node) { return node.op.ends_with("V2"); }

// The places along a dimension that window number `window` sees.
std::vector<int64_t> PlacesOf(const WindowDim& dim, int64_t window) {
  const int64_t begin = window * dim.stride - dim.padding_before;
  std::vector<int64_t> places;
  for (int64_t i = std::max<int64_t>(0, begin); i < dim.image && i - begin < dim.window; ++i) {
    places.push_back(i);
  }
  return places;
}

}  // namespace

Result<PoolGrid> PoolGridOf(const KernelContext& context, int spatial_rank, DimsView image) {
  TAGFLOW_ASSIGN_OR_RETURN(Pooling pooling, ReadPooling(context.node, spatial_rank));
  if (TakesSizes(context.node)) {
    const size_t inputs = context.inputs.size();
    TAGFLOW_ASSIGN_OR_RETURN(pooling.ksize, IndexValues(context.inputs[inputs - 2]));
    TAGFLOW_ASSIGN_OR_RETURN(pooling.attrs.strides, IndexValues(context.inputs[inputs - 1]));
  }
  TAGFLOW_ASSIGN_OR_RETURN(PoolGrid grid, GridOf(pooling, image));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(grid.output));
  return grid;
}

void ForEachWindow(
    const PoolGrid& grid,
    const std::function<void(int64_t output, const std::vector<int64_t>& inputs)>& visit) {
  const auto& [first, second, third] = grid.dims;
  const Dims windows = {grid.images, first.count, second.count, third.count, grid.channels};
  int64_t output = 0;
  ForEachPlace(windows, [&](const Dims& at) {
    std::vector<int64_t> inputs;
    for (const int64_t i : PlacesOf(first, at[1])) {
      for (const int64_t j : PlacesOf(second, at[2])) {
        for (const int64_t k : PlacesOf(third, at[3])) {
          const int64_t row = (at[0] * first.image + i) * second.image + j;
          inputs.push_back((row * third.image + k) * grid.channels + at[4]);
        }
      }
    }
    visit(output++, inputs);
  });
}

Status RequireDims(const Tensor& tensor, DimsView dims, const char* what) {
  if (std::ranges::equal(tensor.dims(), dims)) return Status();
  return InvalidArgument("Expected " + std::string(what) + " shape to be " + DimsString(dims) +
                         ", but got " + DimsString(tensor.dims()));
}

}  // namespace tagflow::reference
