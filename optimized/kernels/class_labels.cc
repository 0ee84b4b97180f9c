// Tested by conformance/ops/softmax.ops.

#include "optimized/kernels/class_labels.h"

#include <string>

namespace tagflow::optimized {

Status CheckLabelShapes(const Tensor& features, const Tensor& labels) {
  if (features.rank() != 2 || labels.rank() != 1 || features.dim(0) != labels.dim(0)) {
    return InvalidArgument(
        "features must be a matrix with a row for each of the labels, a vector, not " +
        DimsString(features.dims()) + " and " + DimsString(labels.dims()));
  }
  if (features.dim(1) == 0) return InvalidArgument("there must be at least one class");
  return Status();
}

Status CheckLabelValues(const IntView& labels, int64_t classes) {
  for (int64_t b = 0; b < labels.size(); ++b) {
    if (labels[b] >= 0 && labels[b] < classes) continue;
    return InvalidArgument("label " + std::to_string(labels[b]) + " is not in [0, " +
                           std::to_string(classes) + ")");
  }
  return Status();
}

}  // namespace tagflow::optimized
