// CTCLoss and CTCGreedyDecoder.
//
// Source: Graves, Fernández, Gomez, Schmidhuber, "Connectionist temporal classification: labelling
// unsegmented sequence data with recurrent neural networks", ICML 2006, section 4.
//
// Probabilities are logarithms in double. The forward table is kept, the backward one is a row that
// is used as soon as it is there: O(time * (labels + classes)) for each of the batch.
// Tested by conformance/ops/ctc.ops.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// log(exp(a) + exp(b) + exp(c))
double LogSum(double a, double b, double c) {
  if (a == kLogZero && b == kLogZero && c == kLogZero) return kLogZero;
  const double most = std::fmax(a, std::fmax(b, c));
  return most + std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most));
}

// Scores [time, batch, classes], of which each of the batch has a length.
struct Scores {
  ElementsAs<double> values;
  IntView lengths;
  int64_t time, batch, classes;

  const double* row(int64_t t, int64_t b) const {
    return values.data() + (t * batch + b) * classes;
  }
};

Result<Scores> ScoresOf(const Tensor& inputs, const Tensor& lengths_input) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (lengths_input.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  TAGFLOW_ASSIGN_OR_RETURN(auto values, ElementsAs<double>::OfWidest(inputs));
  TAGFLOW_ASSIGN_OR_RETURN(IntView lengths, IntView::Of(lengths_input));
  return Scores{std::move(values), std::move(lengths), inputs.dim(0), inputs.dim(1), inputs.dim(2)};
}

// ---- CTCLoss ----

struct LossOptions {
  bool collapses;    // labels that repeat the one before count once
  bool merges;       // a label that comes several times in a row is one
  bool passes_over;  // more labels than times are no error, but have no loss
};

// The labels of the batch, side by side.
struct Labels {
  IntView values;
  std::vector<int64_t> begins;  // of each, and the end

  int64_t count(int64_t b) const {
    return begins[static_cast<size_t>(b + 1)] - begins[static_cast<size_t>(b)];
  }
};

Result<Labels> LabelsOf(const Tensor& indices, const Tensor& values_input, int64_t batch) {
  TAGFLOW_ASSIGN_OR_RETURN(const Places places, Places::Of(indices));
  if (values_input.rank() != 1 || values_input.dim(0) != places.size()) {
    return InvalidArgument(
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: " +
        DimsString(indices.dims()) + " vs. " + DimsString(values_input.dims()));
  }
  if (places.rank() != 2) return InvalidArgument("labels_indices must have two columns");
  // A row may be as long as it likes.
  SmallDims dims(1, batch);
  dims.push_back(std::numeric_limits<int64_t>::max());
  TAGFLOW_RETURN_IF_ERROR(places.RequireInside(dims));
  TAGFLOW_RETURN_IF_ERROR(places.RequireInOrder());
  TAGFLOW_ASSIGN_OR_RETURN(IntView values, IntView::Of(values_input));
  std::vector<int64_t> begins(static_cast<size_t>(batch) + 1, 0);
  for (int64_t i = 0; i < places.size(); ++i) ++begins[static_cast<size_t>(places.at(i, 0)) + 1];
  for (size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
  return Labels{std::move(values), std::move(begins)};
}

// The loss of one of the batch after the other, in memory that is used again.
class LossCalculator {
 public:
  LossCalculator(const Scores& scores, LossOptions options)
      : scores_(scores), options_(options), blank_(scores.classes - 1) {}

  // The symbols that labels are spelled with: blanks around each, and no label behind the first
  // null one.
  //   Errors: INVALID_ARGUMENT
  Status SetLabels(const Labels& labels, int64_t b) {
    if (labels.count(b) == 0) {
      return InvalidArgument("Labels length is zero in batch " + std::to_string(b));
    }
    symbols_.assign(1, blank_);
    bool is_finished = false;
    for (int64_t i = labels.begins[static_cast<size_t>(b)];
         i < labels.begins[static_cast<size_t>(b) + 1]; ++i) {
      const int64_t label = labels.values[i];
      const bool is_first = i == labels.begins[static_cast<size_t>(b)];
      if (options_.collapses && !is_first && label == labels.values[i - 1]) continue;
      if (label >= blank_) {
        is_finished = true;
        continue;
      }
      if (is_finished) {
        return InvalidArgument(
            "Saw a non-null label (index >= num_classes - 1) following a null label, batch: " +
            std::to_string(b));
      }
      if (label < 0) {
        return InvalidArgument("All labels must be nonnegative integers, batch: " +
                               std::to_string(b));
      }
      symbols_.push_back(label);
      symbols_.push_back(blank_);
    }
    return Status();
  }

  // The loss; gradient: [time, batch, classes], of which those of `b` are set.
  double Run(int64_t b, int64_t times, double* gradient) {
    TakeLogSoftmax(b, times);
    const size_t count = symbols_.size();
    alpha_.assign(static_cast<size_t>(times) * count, kLogZero);
    for (int64_t t = 0; t < times; ++t) Forward(t);
    const double* last = alpha_.data() + static_cast<size_t>(times - 1) * count;
    const double total = LogSum(last[count - 1], count > 1 ? last[count - 2] : kLogZero, kLogZero);
    beta_.assign(count, kLogZero);
    std::fill(beta_.end() - static_cast<std::ptrdiff_t>(std::min<size_t>(count, 2)), beta_.end(),
              0);
    for (int64_t t = times - 1; t >= 0; --t) {
      if (t < times - 1) Backward(t);
      SetGradient(t, total, gradient + (t * scores_.batch + b) * scores_.classes);
    }
    return -total;
  }

 private:
  double Log(int64_t t, size_t u) const { return logs_[t * scores_.classes + symbols_[u]]; }
  bool MayStay(size_t u) const { return options_.merges || symbols_[u] == blank_; }
  bool MaySkipTo(size_t u) const {
    return symbols_[u] != blank_ && !(options_.merges && symbols_[u] == symbols_[u - 2]);
  }

  void TakeLogSoftmax(int64_t b, int64_t times) {
    logs_storage_.resize(static_cast<size_t>(times * scores_.classes));
    logs_ = logs_storage_.data();
    for (int64_t t = 0; t < times; ++t) {
      const double* row = scores_.row(t, b);
      const double most = *std::max_element(row, row + scores_.classes);
      double sum = 0;
      for (int64_t c = 0; c < scores_.classes; ++c) sum += std::exp(row[c] - most);
      const double offset = most + std::log(sum);
      for (int64_t c = 0; c < scores_.classes; ++c)
        logs_[t * scores_.classes + c] = row[c] - offset;
    }
  }

  void Forward(int64_t t) {
    const size_t count = symbols_.size();
    double* row = alpha_.data() + static_cast<size_t>(t) * count;
    if (t == 0) {
      for (size_t u = 0; u < std::min<size_t>(count, 2); ++u) row[u] = Log(0, u);
      return;
    }
    const double* before = row - count;
    for (size_t u = 0; u < count; ++u) {
      row[u] =
          Log(t, u) + LogSum(MayStay(u) ? before[u] : kLogZero, u > 0 ? before[u - 1] : kLogZero,
                             u > 1 && MaySkipTo(u) ? before[u - 2] : kLogZero);
    }
  }

  // beta_ was that of time t + 1.
  void Backward(int64_t t) {
    const size_t count = symbols_.size();
    const auto from = [&](size_t u) { return beta_[u] + Log(t + 1, u); };
    for (size_t u = 0; u < count; ++u) {
      beta_[u] = LogSum(MayStay(u) ? from(u) : kLogZero, u + 1 < count ? from(u + 1) : kLogZero,
                        u + 2 < count && MaySkipTo(u + 2) ? from(u + 2) : kLogZero);
    }
  }

  void SetGradient(int64_t t, double total, double* gradient) const {
    const double* logs = logs_ + t * scores_.classes;
    for (int64_t c = 0; c < scores_.classes; ++c) gradient[c] = std::exp(logs[c]);
    if (total == kLogZero) return;
    const double* alpha = alpha_.data() + static_cast<size_t>(t) * symbols_.size();
    for (size_t u = 0; u < symbols_.size(); ++u) {
      gradient[symbols_[u]] -= std::exp(alpha[u] + beta_[u] - total);
    }
  }

  const Scores& scores_;
  LossOptions options_;
  int64_t blank_;
  std::vector<int64_t> symbols_;
  std::vector<double> logs_storage_, alpha_, beta_;
  double* logs_ = nullptr;
};

//   inputs: T [time, batch, classes]; labels: a sparse matrix whose rows are the batch;
//   sequence_length: int32 [batch], how many times there are of each
//   loss: T [batch]; gradient: T, as inputs, of each loss by its inputs
//   Errors: INVALID_ARGUMENT, also for more labels than times, unless these are to be passed over
Status CtcLoss(KernelContext& context, LossOptions options) {
  const Tensor& inputs = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const Scores scores, ScoresOf(inputs, context.input(3)));
  if (scores.lengths.size() != scores.batch) {
    return InvalidArgument("len(sequence_length) != batch_size.");
  }
  if (scores.batch == 0) return InvalidArgument("batch_size must not be 0");
  if (scores.classes == 0) return InvalidArgument("num_classes must not be 0");
  TAGFLOW_ASSIGN_OR_RETURN(const Labels labels,
                           LabelsOf(context.input(1), context.input(2), scores.batch));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor losses,
                           Tensor::Allocate(inputs.dtype(), SmallDims(1, scores.batch)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor gradients, Tensor::Allocate(inputs.dtype(), inputs.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(auto loss, ElementsFor<double>::OfWidest(losses, Contents::kKept));
  TAGFLOW_ASSIGN_OR_RETURN(auto gradient,
                           ElementsFor<double>::OfWidest(gradients, Contents::kKept));
  LossCalculator calculator(scores, options);
  for (int64_t b = 0; b < scores.batch; ++b) {
    const int64_t times = scores.lengths[b];
    if (times < 0 || times > scores.time) {
      return InvalidArgument("sequence_length(" + std::to_string(b) + ") is not in [0, " +
                             std::to_string(scores.time) + "]");
    }
    TAGFLOW_RETURN_IF_ERROR(calculator.SetLabels(labels, b));
    if (labels.count(b) <= times) {
      loss[b] = calculator.Run(b, times, gradient.data());
    } else if (!options.passes_over) {
      return InvalidArgument("Not enough time for target transition sequence (required: " +
                             std::to_string(labels.count(b)) +
                             ", available: " + std::to_string(times) + ")");
    }
  }
  loss.Finish();
  gradient.Finish();
  context.output(0) = std::move(losses);
  context.output(1) = std::move(gradients);
  return Status();
}

Result<BoundKernel> BindLoss(const Binding& binding) {
  LossOptions options{};
  TAGFLOW_ASSIGN_OR_RETURN(options.collapses,
                           BoolAttr(binding.node, "preprocess_collapse_repeated"));
  TAGFLOW_ASSIGN_OR_RETURN(options.merges, BoolAttr(binding.node, "ctc_merge_repeated"));
  TAGFLOW_ASSIGN_OR_RETURN(options.passes_over,
                           BoolAttr(binding.node, "ignore_longer_outputs_than_inputs"));
  return BoundKernel([options](KernelContext& context) { return CtcLoss(context, options); });
}

// ---- CTCGreedyDecoder ----

//   inputs: T [time, batch, classes]; sequence_length: int32 [batch]
//   outputs: a sparse matrix, the labels of each of the batch; log_probability: T [batch, 1], minus
//   the sum of the best scores
//   Errors: INVALID_ARGUMENT; FAILED_PRECONDITION for lengths that do not fit
Status CtcGreedyDecoder(KernelContext& context, bool merges, int64_t blank) {
  const Tensor& inputs = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const Scores scores, ScoresOf(inputs, context.input(1)));
  if (scores.values.size() == 0) return InvalidArgument("inputs must not be empty");
  if (scores.lengths.size() != scores.batch) {
    return FailedPrecondition("len(sequence_length) != batch_size.");
  }
  if (blank < -scores.classes || blank >= scores.classes) {
    return InvalidArgument("blank_index expected to be between " + std::to_string(-scores.classes) +
                           " and " + std::to_string(scores.classes - 1) + " but was " +
                           std::to_string(blank));
  }
  if (blank < 0) blank += scores.classes;
  SmallDims dims(1, scores.batch);
  dims.push_back(1);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * sums, context.Allocate(3, inputs.dtype(), dims));
  TAGFLOW_ASSIGN_OR_RETURN(auto sum, ElementsFor<double>::OfWidest(*sums));
  std::vector<int64_t> places, values;
  int64_t longest = 0;
  for (int64_t b = 0; b < scores.batch; ++b) {
    if (scores.lengths[b] > scores.time) {
      return FailedPrecondition("sequence_length(" + std::to_string(b) +
                                ") <= " + std::to_string(scores.time));
    }
    sum[b] = 0;
    int64_t before = -1, count = 0;
    for (int64_t t = 0; t < scores.lengths[b]; ++t) {
      const double* row = scores.row(t, b);
      const double* most = std::max_element(row, row + scores.classes);
      const int64_t best = most - row;
      sum[b] -= *most;
      if (best != blank && !(merges && best == before)) {
        places.insert(places.end(), {b, count++});
        values.push_back(best);
      }
      before = best;
    }
    longest = std::max(longest, count);
  }
  sum.Finish();
  const auto count = static_cast<int64_t>(values.size());
  TAGFLOW_ASSIGN_OR_RETURN(int64_t * out, SetMatrix(context, 0, count, 2));
  std::ranges::copy(places, out);
  TAGFLOW_RETURN_IF_ERROR(SetShape(context, 1, values));
  const int64_t shape[] = {scores.batch, longest};
  return SetShape(context, 2, shape);
}

Result<BoundKernel> BindGreedyDecoder(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool merges, BoolAttr(binding.node, "merge_repeated"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t blank, IntAttr(binding.node, "blank_index"));
  return BoundKernel(
      [merges, blank](KernelContext& context) { return CtcGreedyDecoder(context, merges, blank); });
}

}  // namespace

Status RegisterCtcKernels(KernelRegistry& registry) {
  return RegisterAll(
      registry, {{"CTCGreedyDecoder", BindGreedyDecoder}, {"CTCLoss", BindLoss, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
