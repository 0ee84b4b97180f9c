// Softmax and the losses made of it. Everything is computed in double, from rows shifted by their
// maximum so that no exponential overflows, and rounded once.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "optimized/formulas/smooth.h"
#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/class_labels.h"
#include "optimized/kernels/clones.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr double kClassNs = 4;  // about how long an element of a row takes

TAGFLOW_WIDE_CLONES void ExpOfEach(double* x, int64_t count) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) x[i] = SmoothExp(x[i]);
}

// A row's largest element; NaN if any is.
double MaxOfRow(const double* x, int64_t classes) {
  double max = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < classes; ++i) {
    if (x[i] > max || x[i] != x[i]) max = x[i];
  }
  return max;
}

// The logarithm of a row's softmax. `out` may be `x`.
void LogSoftmaxOfRow(const double* x, int64_t classes, double* out) {
  const double max = MaxOfRow(x, classes);
  double sum = 0;
  double terms[kWideBlock];
  for (int64_t done = 0; done < classes; done += kWideBlock) {
    const int64_t count = std::min(kWideBlock, classes - done);
    for (int64_t i = 0; i < count; ++i) terms[i] = x[done + i] - max;
    ExpOfEach(terms, count);
    for (int64_t i = 0; i < count; ++i) sum += terms[i];
  }
  const double log = std::log(sum);
  for (int64_t i = 0; i < classes; ++i) out[i] = x[i] - max - log;
}

//   logits: floats [..., classes]; output: the same shape, exp(x[i]) / sum(exp(x)) of each row, or
//   the logarithm of that
template <bool logarithm>
Status Softmax(KernelContext& context) {
  const Tensor& logits = context.input(0);
  if (logits.rank() < 1) return InvalidArgument("logits must be at least a vector, not a scalar");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, logits.dtype(), logits.dims(), {0}));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<double>::OfWidest(logits));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<double>::OfWidest(*out));
  const int64_t classes = logits.dims().back();
  const int64_t rows = classes == 0 ? 0 : x.size() / classes;
  context.ForRanges(rows, kClassNs * static_cast<double>(classes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double* row = y.data() + i * classes;
      LogSoftmaxOfRow(x.data() + i * classes, classes, row);
      if constexpr (!logarithm) ExpOfEach(row, classes);
    }
  });
  y.Finish();
  return Status();
}
template <bool logarithm>
Result<BoundKernel> BindSoftmax(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kFloats));
  return BoundKernel(Softmax<logarithm>);
}

// ---- Losses ----

// The rows of a matrix that an input of rank 2 at most broadcasts to.
class Rows {
 public:
  Rows(const Tensor& input, const ElementsAs<double>& elements, int64_t classes)
      : data_(elements.data()), row_(static_cast<size_t>(classes)) {
    const int rank = input.rank();
    const int64_t columns = rank == 0 ? 1 : input.dim(rank - 1);
    step_ = columns == 1 ? 0 : 1;
    next_ = rank < 2 || input.dim(0) == 1 ? 0 : columns;
  }
  const double* at(int64_t row) {
    for (size_t i = 0; i < row_.size(); ++i) {
      row_[i] = data_[row * next_ + static_cast<int64_t>(i) * step_];
    }
    return row_.data();
  }

 private:
  const double* data_;
  int64_t step_;  // from one class to the next
  int64_t next_;  // from one row to the next
  std::vector<double> row_;
};

//   features, labels: floats that broadcast to [batch, classes]
//   loss[b] = -sum(labels[b] log(softmax(features[b])));  backprop = softmax(features) - labels
Status CrossEntropy(KernelContext& context) {
  const Tensor& features = context.input(0);
  const Tensor& labels = context.input(1);
  const DType dtype = features.dtype();
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(features.dims(), labels.dims()));
  if (dims.size() != 2) {
    return InvalidArgument("features and labels must broadcast to a matrix, not to " +
                           DimsString(dims));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * loss, context.Allocate(0, dtype, DimsView(dims).first(1)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * backprop, context.Allocate(1, dtype, dims));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<double>::OfWidest(features));
  TAGFLOW_ASSIGN_OR_RETURN(const auto p, ElementsAs<double>::OfWidest(labels));
  TAGFLOW_ASSIGN_OR_RETURN(auto losses, ElementsFor<double>::OfWidest(*loss));
  TAGFLOW_ASSIGN_OR_RETURN(auto gradient, ElementsFor<double>::OfWidest(*backprop));
  const int64_t classes = dims[1];
  if (backprop->num_elements() == 0) std::fill_n(losses.data(), dims[0], 0.0);
  const int64_t batch = backprop->num_elements() == 0 ? 0 : dims[0];
  Rows feature_rows(features, x, batch == 0 ? 0 : classes);
  Rows label_rows(labels, p, batch == 0 ? 0 : classes);
  for (int64_t b = 0; b < batch; ++b) {
    double* row = gradient.data() + b * classes;
    LogSoftmaxOfRow(feature_rows.at(b), classes, row);
    const double* label = label_rows.at(b);
    losses[b] = 0;
    for (int64_t i = 0; i < classes; ++i) losses[b] -= label[i] * row[i];
    ExpOfEach(row, classes);
    for (int64_t i = 0; i < classes; ++i) row[i] -= label[i];
  }
  losses.Finish();
  gradient.Finish();
  return Status();
}

//   features: floats [batch, classes], classes >= 1; labels: integers [batch], the class of each
//   row; loss[b] = -log(softmax(features[b])[labels[b]]); backprop: softmax, less 1 at the label
Status SparseCrossEntropy(KernelContext& context) {
  const Tensor& features = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(CheckLabelShapes(features, context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView labels, IntView::Of(context.input(1)));
  const int64_t classes = features.dim(1);
  TAGFLOW_RETURN_IF_ERROR(CheckLabelValues(labels, classes));
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor * loss, context.Allocate(0, features.dtype(), DimsView(features.dims()).first(1)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * backprop,
                           context.Allocate(1, features.dtype(), features.dims(), {0}));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<double>::OfWidest(features));
  TAGFLOW_ASSIGN_OR_RETURN(auto losses, ElementsFor<double>::OfWidest(*loss));
  TAGFLOW_ASSIGN_OR_RETURN(auto gradient, ElementsFor<double>::OfWidest(*backprop));
  for (int64_t b = 0; b < labels.size(); ++b) {
    double* row = gradient.data() + b * classes;
    LogSoftmaxOfRow(x.data() + b * classes, classes, row);
    losses[b] = 0 - row[labels[b]];
    ExpOfEach(row, classes);
    row[labels[b]] -= 1;
  }
  losses.Finish();
  gradient.Finish();
  return Status();
}

template <Status (*loss)(KernelContext&)>
Result<BoundKernel> BindLoss(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kFloats));
  return BoundKernel(loss);
}

}  // namespace

Status RegisterSoftmaxKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {{"LogSoftmax", BindSoftmax<true>},
                      {"Softmax", BindSoftmax<false>},
                      {"SoftmaxCrossEntropyWithLogits", BindLoss<CrossEntropy>},
                      {"SparseSoftmaxCrossEntropyWithLogits", BindLoss<SparseCrossEntropy>}});
}

}  // namespace tagflow::optimized
