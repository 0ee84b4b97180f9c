#ifndef TAGFLOW_OPTIMIZED_KERNELS_CLASS_LABELS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CLASS_LABELS_H_

// What a loss refuses whose labels are numbers of classes: SparseSoftmaxCrossEntropyWithLogits.
//
// Tested by conformance/ops/softmax.ops.

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {

//   features: [batch, classes], classes >= 1; labels: [batch]
//   Errors: INVALID_ARGUMENT
Status CheckLabelShapes(const Tensor& features, const Tensor& labels);
// INVALID_ARGUMENT: the first label that is not in [0, classes).
Status CheckLabelValues(const IntView& labels, int64_t classes);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CLASS_LABELS_H_
