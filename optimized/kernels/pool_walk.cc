// Tested by conformance/ops/pooling.ops.

#include "optimized/kernels/pool_walk.h"

#include <string>

#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {

Result<PoolRule> PoolRule::Of(const Node& node, int spatial_rank) {
  PoolRule rule;
  TAGFLOW_ASSIGN_OR_RETURN(rule.pooling_, ReadPooling(node, spatial_rank));
  rule.takes_sizes_ = FindAttr(node, "ksize") == nullptr;
  return rule;
}

Result<PoolGrid> PoolRule::Grid(const KernelContext& context, DimsView image) const {
  if (!takes_sizes_) return GridOf(pooling_, image);
  Pooling pooling = pooling_;
  const int inputs = context.num_inputs();
  TAGFLOW_ASSIGN_OR_RETURN(const IntView ksize, IntView::Of(context.input(inputs - 2)));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView strides, IntView::Of(context.input(inputs - 1)));
  pooling.ksize = ksize.values();
  pooling.attrs.strides = strides.values();
  return GridOf(pooling, image);
}

}  // namespace tagflow::optimized
