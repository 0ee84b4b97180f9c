// Tested by conformance/ops/scatter_variable.ops.
#include "optimized/kernels/part_update.h"

#include <algorithm>

#include "optimized/kernels/change.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {

Status UpdatePart(Tensor& target, const Part& part, const Tensor& value) {
  if (std::ranges::find(part.dims, 0) != part.dims.end()) return Status();
  DimsView from = value.dims();
  while (from.size() > part.dims.size() && from[0] == 1) from = from.subspan(1);
  const auto cannot = [&] {
    return InvalidArgument("Cannot broadcast input shape " + DimsString(value.dims()) +
                           " into final shape " + DimsString(part.dims));
  };
  if (from.size() > part.dims.size()) return cannot();
  const size_t missing = part.dims.size() - from.size();
  const SmallDims strides = StridesOf(from);
  StridedCopy copy;
  for (size_t d = 0; d < part.dims.size(); ++d) {
    const int64_t size = d < missing ? 1 : from[d - missing];
    if (size != 1 && size != part.dims[d]) return cannot();
    copy.Add(part.dims[d], size == 1 ? 0 : strides[d - missing], part.steps[d]);
  }
  TAGFLOW_RETURN_IF_ERROR(MakeUnique(target));
  const Mover& mover = MoverOf(target.dtype());
  copy.Run(mover, value.raw_data(), mover.At(target.mutable_raw_data(), part.first));
  return Status();
}

}  // namespace tagflow::optimized
