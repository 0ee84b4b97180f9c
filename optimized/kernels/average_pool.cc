// Means of windows over images, and their gradients, vectorized over channels. Padding is no
// element of a window.

#include <string>
#include <vector>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/float_elements.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/pool_walk.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/require_dims.h"

namespace tagflow::optimized {
namespace {

template <typename X>
TAGFLOW_CLONES void MeansOfRows(const PoolGrid& grid, const X* x, X* y, int64_t begin,
                                int64_t end) {
  const int64_t channels = grid.channels;
  ForEachWindow(grid, begin, end, [&](int64_t window, const WindowPlaces& places) {
    X* mean = y + window;
    std::fill_n(mean, channels, X(0));
    places.ForEach([&](int64_t place) {
      const X* from = x + place;
      TAGFLOW_INDEPENDENT
      for (int64_t c = 0; c < channels; ++c) mean[c] += from[c];
    });
    const X count = static_cast<X>(places.count());
    TAGFLOW_INDEPENDENT
    for (int64_t c = 0; c < channels; ++c) mean[c] /= count;
  });
}

//   value: images; output: the mean of each window
//   Errors: INVALID_ARGUMENT (sizes)
template <typename X>
Status AveragePool(const PoolRule& rule, KernelContext& context) {
  const Tensor& value = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, rule.Grid(context, value.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, value.dtype(), grid.output));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ReadFloats<X>(value));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, WriteFloats<X>(*out));
  if (out->num_elements() == 0) return Status();
  context.ForRanges(RowsOf(grid), RowNs(grid), [&](int64_t begin, int64_t end) {
    MeansOfRows(grid, x.data(), y.data(), begin, end);
  });
  y.Finish();
  return Status();
}

// Adds the shares of the windows of images [begin, end).
template <typename X>
TAGFLOW_CLONES void ShareOut(const PoolGrid& grid, const X* g, X* shares, X* backprop,
                             int64_t begin, int64_t end) {
  const int64_t rows = RowsOfImage(grid), channels = grid.channels;
  ForEachWindow(grid, begin * rows, end * rows, [&](int64_t window, const WindowPlaces& places) {
    const X count = static_cast<X>(places.count());
    TAGFLOW_INDEPENDENT
    for (int64_t c = 0; c < channels; ++c) shares[c] = g[window + c] / count;
    places.ForEach([&](int64_t place) {
      X* to = backprop + place;
      TAGFLOW_INDEPENDENT
      for (int64_t c = 0; c < channels; ++c) to[c] += shares[c];
    });
  });
}

//   orig_input_shape: that of the images; grad: of the means of their windows; output: of the
//   images Errors: INVALID_ARGUMENT (shapes, sizes)
template <typename X>
Status AveragePoolGrad(const PoolRule& rule, KernelContext& context) {
  if (context.input(0).rank() != 1) return InvalidArgument("orig_input_shape must be a vector");
  TAGFLOW_ASSIGN_OR_RETURN(const IntView shape, IntView::Of(context.input(0)));
  const Dims image = shape.values();
  const Tensor& grad = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(NumElements(image).status());
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, rule.Grid(context, image));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(grad, grid.output, "grad"));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, grad.dtype(), image));
  TAGFLOW_ASSIGN_OR_RETURN(const auto g, ReadFloats<X>(grad));
  TAGFLOW_ASSIGN_OR_RETURN(auto backprop, WriteFloats<X>(*out));
  std::fill_n(backprop.data(), out->num_elements(), X(0));
  const double image_ns = RowNs(grid) * static_cast<double>(RowsOfImage(grid));
  context.ForRanges(g.size() > 0 ? grid.images : 0, image_ns, [&](int64_t begin, int64_t end) {
    std::vector<X> shares(static_cast<size_t>(grid.channels));
    ShareOut(grid, g.data(), shares.data(), backprop.data(), begin, end);
  });
  backprop.Finish();
  return Status();
}

Result<PoolRule> ReadRule(const Binding& binding, int spatial_rank) {
  const DTypeSet types = spatial_rank == 2 ? kFloats : SetOf(DType::kBFloat16, DType::kFloat);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.output_dtype(0), types));
  return PoolRule::Of(binding.node, spatial_rank);
}

template <int spatial_rank>
Result<BoundKernel> BindAveragePool(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PoolRule rule, ReadRule(binding, spatial_rank));
  return ForFloatType(binding.output_dtype(0), [&]<typename X>(Computing<X>) {
    return BoundKernel([rule](KernelContext& context) { return AveragePool<X>(rule, context); });
  });
}
template <int spatial_rank>
Result<BoundKernel> BindAveragePoolGrad(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PoolRule rule, ReadRule(binding, spatial_rank));
  return ForFloatType(binding.output_dtype(0), [&]<typename X>(Computing<X>) {
    return BoundKernel(
        [rule](KernelContext& context) { return AveragePoolGrad<X>(rule, context); });
  });
}

}  // namespace

Status RegisterAveragePoolKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"AvgPool", BindAveragePool<2>, Cost::kHeavy},
                                {"AvgPool3D", BindAveragePool<3>, Cost::kHeavy},
                                {"AvgPool3DGrad", BindAveragePoolGrad<3>, Cost::kHeavy},
                                {"AvgPoolGrad", BindAveragePoolGrad<2>, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
