// CTCLoss and CTCGreedyDecoder.
//
// Source: Graves, Fernández, Gomez, Schmidhuber, "Connectionist temporal classification: labelling
// unsegmented sequence data with recurrent neural networks", ICML 2006, section 4.
//
// Probabilities are logarithms in double, log 0 being minus infinity.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

using Labels = std::vector<int64_t>;

double LogSum(double a, double b) {
  if (a == kLogZero) return b;
  if (b == kLogZero) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// Scores [time, batch, classes], and how long each of the batch is.
struct Scores {
  std::vector<double> values;
  int64_t time = 0, batch = 0, classes = 0;
  std::vector<int64_t> lengths;

  double at(int64_t t, int64_t b, int64_t c) const {
    return values[static_cast<size_t>((t * batch + b) * classes + c)];
  }
};

std::vector<double> ToDoubles(const Tensor& tensor) {
  if (tensor.dtype() == DType::kDouble) return Load<double>(tensor);
  const std::vector<float> values = Load<float>(tensor);
  return {values.begin(), values.end()};
}

Result<Tensor> ToDType(DType dtype, DimsView dims, const std::vector<double>& values) {
  if (dtype == DType::kDouble) return Store<double>(dtype, dims, values);
  return Store<float>(dtype, dims, std::vector<float>(values.begin(), values.end()));
}

//   Errors: INVALID_ARGUMENT for shapes
Result<Scores> ReadScores(const Tensor& inputs, const Tensor& lengths) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (lengths.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  Scores scores;
  scores.time = inputs.dim(0);
  scores.batch = inputs.dim(1);
  scores.classes = inputs.dim(2);
  scores.values = ToDoubles(inputs);
  TAGFLOW_ASSIGN_OR_RETURN(scores.lengths, IndexValues(lengths));
  return scores;
}

// ---- CTCLoss ----

// The labels of each of the batch.
//   Errors: INVALID_ARGUMENT for places that are not of the batch, or not in order
Result<std::vector<Labels>> ReadLabels(const Tensor& indices, const Tensor& values, int64_t batch) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Dims> places, ReadPlaces(indices));
  if (values.rank() != 1 || values.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: " +
        DimsString(indices.dims()) + " vs. " + DimsString(values.dims()));
  }
  if (indices.dim(1) != 2) return InvalidArgument("labels_indices must have two columns");
  int64_t longest = 0;
  for (const Dims& place : places) longest = std::max(longest, place[1]);
  if (longest == std::numeric_limits<int64_t>::max()) {
    return InvalidArgument("a label has place " + std::to_string(longest));
  }
  TAGFLOW_RETURN_IF_ERROR(RequireInside(places, {batch, longest + 1}));
  TAGFLOW_RETURN_IF_ERROR(RequireInOrder(places));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, IndexValues(values));
  std::vector<Labels> labels(static_cast<size_t>(batch));
  for (size_t i = 0; i < places.size(); ++i) {
    labels[static_cast<size_t>(places[i][0])].push_back(numbers[i]);
  }
  return labels;
}

// The labels without those that only repeat the one before, where these count once, and without
// what follows the last: labels that are no class but the blank, or none at all.
//   Errors: INVALID_ARGUMENT
Result<Labels> Cleaned(const Labels& given, int64_t blank, bool collapses) {
  if (given.empty()) return InvalidArgument("Labels length is zero in a batch");
  Labels labels;
  bool is_finished = false;
  for (size_t i = 0; i < given.size(); ++i) {
    if (collapses && i > 0 && given[i] == given[i - 1]) continue;
    if (given[i] >= blank) {
      is_finished = true;
    } else if (is_finished) {
      return InvalidArgument(
          "Saw a non-null label (index >= num_classes - 1) following a null label");
    } else if (given[i] < 0) {
      return InvalidArgument("All labels must be nonnegative integers, but one is " +
                             std::to_string(given[i]));
    } else {
      labels.push_back(given[i]);
    }
  }
  return labels;
}

// One of the batch: the paths through `symbols`, which are the labels with blanks around each.
struct Lattice {
  std::vector<std::vector<double>> logs;  // [time][class], of the softmax of the scores
  Labels symbols;
  int64_t blank = 0;
  bool merges = true;  // whether a label that comes several times in a row is one

  double log(size_t t, size_t u) const { return logs[t][static_cast<size_t>(symbols[u])]; }
  // Whether a path may stay at a symbol.
  bool MayStay(size_t u) const { return merges || symbols[u] == blank; }
  // Whether it may come to a symbol from the one before the last, a blank being between.
  bool MaySkipTo(size_t u) const {
    return symbols[u] != blank && !(merges && symbols[u] == symbols[u - 2]);
  }
};

using Table = std::vector<std::vector<double>>;  // [time][symbol]

// The probability to be at symbol u at time t and to have spelled all before.
Table Forward(const Lattice& lattice) {
  const size_t times = lattice.logs.size(), symbols = lattice.symbols.size();
  Table alpha(times, std::vector<double>(symbols, kLogZero));
  for (size_t u = 0; u < std::min<size_t>(symbols, 2); ++u) alpha[0][u] = lattice.log(0, u);
  for (size_t t = 1; t < times; ++t) {
    for (size_t u = 0; u < symbols; ++u) {
      double sum = lattice.MayStay(u) ? alpha[t - 1][u] : kLogZero;
      if (u > 0) sum = LogSum(sum, alpha[t - 1][u - 1]);
      if (u > 1 && lattice.MaySkipTo(u)) sum = LogSum(sum, alpha[t - 1][u - 2]);
      alpha[t][u] = sum + lattice.log(t, u);
    }
  }
  return alpha;
}

// The probability to spell all that follows, having been at symbol u at time t.
Table Backward(const Lattice& lattice) {
  const size_t times = lattice.logs.size(), symbols = lattice.symbols.size();
  Table beta(times, std::vector<double>(symbols, kLogZero));
  for (size_t u = symbols - std::min<size_t>(symbols, 2); u < symbols; ++u) beta[times - 1][u] = 0;
  for (size_t t = times - 1; t-- > 0;) {
    const auto from = [&](size_t u) { return beta[t + 1][u] + lattice.log(t + 1, u); };
    for (size_t u = 0; u < symbols; ++u) {
      double sum = lattice.MayStay(u) ? from(u) : kLogZero;
      if (u + 1 < symbols) sum = LogSum(sum, from(u + 1));
      if (u + 2 < symbols && lattice.MaySkipTo(u + 2)) sum = LogSum(sum, from(u + 2));
      beta[t][u] = sum;
    }
  }
  return beta;
}

// The logarithms of the softmax of a row.
std::vector<double> LogSoftmax(const Scores& scores, int64_t t, int64_t b) {
  double most = kLogZero, sum = 0;
  for (int64_t c = 0; c < scores.classes; ++c) most = std::max(most, scores.at(t, b, c));
  for (int64_t c = 0; c < scores.classes; ++c) sum += std::exp(scores.at(t, b, c) - most);
  std::vector<double> logs;
  for (int64_t c = 0; c < scores.classes; ++c) {
    logs.push_back(scores.at(t, b, c) - most - std::log(sum));
  }
  return logs;
}

// The loss of a lattice; gradient [time][class]: the softmax minus how likely the class is at that
// time if the labels are spelled. Where they cannot be, all of the softmax.
double Loss(const Lattice& lattice, Table& gradient) {
  const Table alpha = Forward(lattice), beta = Backward(lattice);
  double total = kLogZero;
  for (size_t u = 0; u < lattice.symbols.size(); ++u) {
    total = LogSum(total, alpha[0][u] + beta[0][u]);
  }
  for (size_t t = 0; t < lattice.logs.size(); ++t) {
    std::vector<double> of_class(lattice.logs[t].size(), kLogZero);
    for (size_t u = 0; u < lattice.symbols.size(); ++u) {
      double& sum = of_class[static_cast<size_t>(lattice.symbols[u])];
      sum = LogSum(sum, alpha[t][u] + beta[t][u]);
    }
    for (size_t c = 0; c < of_class.size(); ++c) {
      const double share = total == kLogZero ? 0 : std::exp(of_class[c] - total);
      gradient[t][c] = std::exp(lattice.logs[t][c]) - share;
    }
  }
  return -total;
}

//   inputs: T [time, batch, classes]; labels: a sparse matrix whose rows are the batch;
//   sequence_length: int32 [batch], how many times there are of each
//   loss: T [batch]; gradient: T, as inputs, of each loss by its inputs
//   Errors: INVALID_ARGUMENT, also for more labels than times, unless these are to be passed over
Status CtcLoss(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Scores scores, ReadScores(context.inputs[0], context.inputs[3]));
  const DType dtype = context.inputs[0].dtype();
  TAGFLOW_ASSIGN_OR_RETURN(const bool collapses,
                           BoolAttr(context.node, "preprocess_collapse_repeated"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool merges, BoolAttr(context.node, "ctc_merge_repeated"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool passes_over,
                           BoolAttr(context.node, "ignore_longer_outputs_than_inputs"));
  if (static_cast<int64_t>(scores.lengths.size()) != scores.batch) {
    return InvalidArgument("len(sequence_length) != batch_size.");
  }
  if (scores.batch == 0) return InvalidArgument("batch_size must not be 0");
  if (scores.classes == 0) return InvalidArgument("num_classes must not be 0");
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Labels> labels,
                           ReadLabels(context.inputs[1], context.inputs[2], scores.batch));
  std::vector<double> losses(labels.size(), 0.0), gradients(scores.values.size(), 0.0);
  for (int64_t b = 0; b < scores.batch; ++b) {
    const Labels& given = labels[static_cast<size_t>(b)];
    const int64_t length = scores.lengths[static_cast<size_t>(b)];
    if (length < 0 || length > scores.time) {
      return InvalidArgument("sequence_length(" + std::to_string(b) + ") is not in [0, " +
                             std::to_string(scores.time) + "]");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Labels cleaned, Cleaned(given, scores.classes - 1, collapses));
    const bool is_too_long = static_cast<int64_t>(given.size()) > length;
    if (is_too_long && !passes_over) {
      return InvalidArgument("Not enough time for target transition sequence (required: " +
                             std::to_string(given.size()) +
                             ", available: " + std::to_string(length) + ")");
    }
    if (is_too_long) continue;
    Lattice lattice{{}, {}, scores.classes - 1, merges};
    for (const int64_t label : cleaned) {
      lattice.symbols.insert(lattice.symbols.end(), {lattice.blank, label});
    }
    lattice.symbols.push_back(lattice.blank);
    for (int64_t t = 0; t < length; ++t) lattice.logs.push_back(LogSoftmax(scores, t, b));
    Table gradient(lattice.logs.size(), std::vector<double>(static_cast<size_t>(scores.classes)));
    losses[static_cast<size_t>(b)] = Loss(lattice, gradient);
    for (int64_t t = 0; t < length; ++t) {
      std::ranges::copy(gradient[static_cast<size_t>(t)],
                        gradients.begin() + (t * scores.batch + b) * scores.classes);
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], ToDType(dtype, Dims{scores.batch}, losses));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], ToDType(dtype, context.inputs[0].dims(), gradients));
  return Status();
}

// ---- CTCGreedyDecoder ----

// Outputs: the labels of each of the batch as a sparse matrix.
Status SetDecoded(KernelContext& context, const std::vector<Labels>& decoded) {
  std::vector<Dims> places;
  Labels values;
  int64_t longest = 0;
  for (size_t b = 0; b < decoded.size(); ++b) {
    for (size_t i = 0; i < decoded[b].size(); ++i) {
      places.push_back({static_cast<int64_t>(b), static_cast<int64_t>(i)});
      values.push_back(decoded[b][i]);
    }
    longest = std::max(longest, static_cast<int64_t>(decoded[b].size()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], PlacesTensor(places, 2));
  context.outputs[1] = Tensor::Vector<int64_t>(values);
  context.outputs[2] = ShapeTensor({static_cast<int64_t>(decoded.size()), longest});
  return Status();
}

//   inputs: T [time, batch, classes]; sequence_length: int32 [batch]
//   outputs: a sparse matrix, the labels of each of the batch; log_probability: T [batch, 1], minus
//   the sum of the best scores
//   Errors: INVALID_ARGUMENT; FAILED_PRECONDITION for lengths that do not fit
Status CtcGreedyDecoder(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Scores scores, ReadScores(context.inputs[0], context.inputs[1]));
  if (scores.values.empty()) return InvalidArgument("inputs must not be empty");
  if (static_cast<int64_t>(scores.lengths.size()) != scores.batch) {
    return FailedPrecondition("len(sequence_length) != batch_size.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const bool merges, BoolAttr(context.node, "merge_repeated"));
  TAGFLOW_ASSIGN_OR_RETURN(int64_t blank, IntAttr(context.node, "blank_index"));
  if (blank < -scores.classes || blank >= scores.classes) {
    return InvalidArgument("blank_index expected to be between " + std::to_string(-scores.classes) +
                           " and " + std::to_string(scores.classes - 1) + " but was " +
                           std::to_string(blank));
  }
  if (blank < 0) blank += scores.classes;
  std::vector<Labels> decoded(static_cast<size_t>(scores.batch));
  std::vector<double> sums(static_cast<size_t>(scores.batch));
  for (int64_t b = 0; b < scores.batch; ++b) {
    const int64_t length = scores.lengths[static_cast<size_t>(b)];
    if (length > scores.time) {
      return FailedPrecondition("sequence_length(" + std::to_string(b) +
                                ") <= " + std::to_string(scores.time));
    }
    int64_t before = -1;
    for (int64_t t = 0; t < length; ++t) {
      int64_t best = 0;
      for (int64_t c = 1; c < scores.classes; ++c) {
        if (scores.at(t, b, c) > scores.at(t, b, best)) best = c;
      }
      sums[static_cast<size_t>(b)] -= scores.at(t, b, best);
      if (best != blank && !(merges && best == before)) {
        decoded[static_cast<size_t>(b)].push_back(best);
      }
      before = best;
    }
  }
  TAGFLOW_RETURN_IF_ERROR(SetDecoded(context, decoded));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[3],
                           ToDType(context.inputs[0].dtype(), Dims{scores.batch, 1}, sums));
  return Status();
}

}  // namespace

Status RegisterCtcKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"CTCLoss", CtcLoss}, {"CTCGreedyDecoder", CtcGreedyDecoder}});
}

}  // namespace tagflow::reference
