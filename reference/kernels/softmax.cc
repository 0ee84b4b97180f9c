// Softmax and the losses made of it. Everything is computed in double, from rows shifted by their
// maximum so that no exponential overflows, and rounded once.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// log(sum(exp(row - max))) of a row, and its max.
struct LogSum {
  double max = -std::numeric_limits<double>::infinity();
  double log = 0;
};
LogSum LogSumOf(const double* row, int64_t classes) {
  LogSum result;
  for (int64_t i = 0; i < classes; ++i) {
    if (row[i] != row[i] || row[i] > result.max) result.max = row[i];
  }
  double sum = 0;
  for (int64_t i = 0; i < classes; ++i) sum += std::exp(row[i] - result.max);
  result.log = std::log(sum);
  return result;
}

//   logits: floats [..., classes]; output: the same shape,
//   exp(x[i]) / sum(exp(x)) of each row, or the logarithm of that
template <bool logarithm>
Status Softmax(KernelContext& context) {
  const Tensor& logits = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, logits.dtype(), kFloating));
  if (logits.rank() < 1) return InvalidArgument("logits must be at least a vector, not a scalar");
  std::vector<double> values = LoadDoubles(logits);
  const int64_t classes = logits.dims().back();
  const int64_t rows = values.empty() ? 0 : logits.num_elements() / classes;
  for (int64_t row = 0; row < rows; ++row) {
    double* x = values.data() + row * classes;
    const LogSum sum = LogSumOf(x, classes);
    for (int64_t i = 0; i < classes; ++i) {
      x[i] = x[i] - sum.max - sum.log;
      if (!logarithm) x[i] = std::exp(x[i]);
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(logits.dtype(), logits.dims(), values));
  return Status();
}

Status StoreLoss(KernelContext& context, DType dtype, DimsView dims,
                 const std::vector<double>& loss, const std::vector<double>& backprop) {
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(dtype, dims.first(1), loss));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], StoreDoubles(dtype, dims, backprop));
  return Status();
}

//   features, labels: floats that broadcast to [batch, classes]
//   loss[b] = -sum(labels[b] log(softmax(features[b])));  backprop = softmax(features) - labels
Status CrossEntropy(KernelContext& context) {
  const Tensor& features = context.inputs[0];
  const Tensor& labels = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, features.dtype(), kFloating));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, features.dtype(), labels.dtype()));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(features.dims(), labels.dims()));
  if (dims.size() != 2) {
    return InvalidArgument("features and labels must broadcast to a matrix, not to " +
                           DimsString(dims));
  }
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{dims[0]}));
  const std::vector<double> x = LoadDoubles(features);
  const std::vector<double> p = LoadDoubles(labels);
  const std::vector<int64_t> x_of = BroadcastIndices(features.dims(), dims);
  const std::vector<int64_t> p_of = BroadcastIndices(labels.dims(), dims);
  std::vector<double> loss(static_cast<size_t>(dims[0]), 0.0);
  std::vector<double> backprop;
  for (size_t b = 0; b < loss.size(); ++b) {
    const size_t begin = b * static_cast<size_t>(dims[1]);
    std::vector<double> row;
    for (int64_t i = 0; i < dims[1]; ++i) row.push_back(x[x_of[begin + i]]);
    const LogSum sum = LogSumOf(row.data(), dims[1]);
    for (int64_t i = 0; i < dims[1]; ++i) {
      const double log_softmax = row[i] - sum.max - sum.log;
      const double label = p[p_of[begin + i]];
      loss[b] -= label * log_softmax;
      backprop.push_back(std::exp(log_softmax) - label);
    }
  }
  return StoreLoss(context, features.dtype(), dims, loss, backprop);
}

//   features: floats [batch, classes], classes >= 1; labels: integers [batch], the class of each
//   row loss[b] = -log(softmax(features[b])[labels[b]]);  backprop: softmax, less 1 at the label
Status SparseCrossEntropy(KernelContext& context) {
  const Tensor& features = context.inputs[0];
  const Tensor& labels = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, features.dtype(), kFloating));
  if (features.rank() != 2 || labels.rank() != 1 || features.dim(0) != labels.dim(0)) {
    return InvalidArgument(
        "features must be a matrix with a row for each of the labels, a vector, "
        "not " +
        DimsString(features.dims()) + " and " + DimsString(labels.dims()));
  }
  const int64_t classes = features.dim(1);
  if (classes == 0) return InvalidArgument("there must be at least one class");
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> places, IndexValues(labels));
  std::vector<double> backprop = LoadDoubles(features);
  std::vector<double> loss;
  for (size_t b = 0; b < places.size(); ++b) {
    if (places[b] < 0 || places[b] >= classes) {
      return InvalidArgument("label " + std::to_string(places[b]) + " is not in [0, " +
                             std::to_string(classes) + ")");
    }
    double* row = backprop.data() + b * static_cast<size_t>(classes);
    const LogSum sum = LogSumOf(row, classes);
    loss.push_back(sum.log - (row[places[b]] - sum.max));
    for (int64_t i = 0; i < classes; ++i) row[i] = std::exp(row[i] - sum.max - sum.log);
    row[places[b]] -= 1;
  }
  return StoreLoss(context, features.dtype(), features.dims(), loss, backprop);
}

}  // namespace

Status RegisterSoftmaxKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Softmax", Softmax<false>},
                                {"LogSoftmax", Softmax<true>},
                                {"SoftmaxCrossEntropyWithLogits", CrossEntropy},
                                {"SparseSoftmaxCrossEntropyWithLogits", SparseCrossEntropy}});
}

}  // namespace tagflow::reference
