// Means of windows over images, and their gradients. Padding is no element of a window. Computed in
// double and rounded once.

#include <limits>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/pool_windows.h"

namespace tagflow::reference {
namespace {

DTypeSet TypesOf(int spatial_rank) {
  return spatial_rank == 2 ? kFloating : DTypeSet{DType::kBFloat16, DType::kFloat};
}

//   value: images of `spatial_rank` spatial dimensions; output: the mean of each window
//   Errors: UNIMPLEMENTED (dtype, data_format), INVALID_ARGUMENT (sizes)
template <int spatial_rank>
Status AveragePool(KernelContext& context) {
  const Tensor& value = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, value.dtype(), TypesOf(spatial_rank)));
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, PoolGridOf(context, spatial_rank, value.dims()));
  const std::vector<double> x = LoadDoubles(value);
  std::vector<double> means;
  ForEachWindow(grid, [&](int64_t, const std::vector<int64_t>& places) {
    double sum = 0;
    for (const int64_t place : places) sum += x[place];
    means.push_back(sum / static_cast<double>(places.size()));
  });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(value.dtype(), grid.output, means));
  return Status();
}

//   orig_input_shape: that of the images; grad: of the means of their windows
//   output: for each element of the images, the sum of its shares of the gradients of its windows
//   Errors: UNIMPLEMENTED (dtype, data_format), INVALID_ARGUMENT (shapes, sizes)
template <int spatial_rank>
Status AveragePoolGrad(KernelContext& context) {
  const Tensor& grad = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, grad.dtype(), TypesOf(spatial_rank)));
  if (context.inputs[0].rank() != 1) return InvalidArgument("orig_input_shape must be a vector");
  TAGFLOW_ASSIGN_OR_RETURN(const Dims image, IndexValues(context.inputs[0]));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(image));
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, PoolGridOf(context, spatial_rank, image));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(grad, grid.output, "grad"));
  const std::vector<double> g = LoadDoubles(grad);
  std::vector<double> sums(static_cast<size_t>(*NumElements(image)));
  ForEachWindow(grid, [&](int64_t window, const std::vector<int64_t>& places) {
    for (const int64_t place : places) {
      sums[place] += g[window] / static_cast<double>(places.size());
    }
  });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(grad.dtype(), image, sums));
  return Status();
}

}  // namespace

Status RegisterAveragePoolKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"AvgPool", AveragePool<2>},
                                {"AvgPool3D", AveragePool<3>},
                                {"AvgPoolGrad", AveragePoolGrad<2>},
                                {"AvgPool3DGrad", AveragePoolGrad<3>}});
}

}  // namespace tagflow::reference
