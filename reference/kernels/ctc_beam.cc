// CTCBeamSearchDecoder: which labels are likeliest, all paths that spell them taken together.
//
// Source: Graves, "Supervised sequence labelling with recurrent neural networks", 2012,
// section 7.5: prefix search, of which only the `beam_width` likeliest texts are kept after each
// time.
//
// Probabilities are logarithms in double, log 0 being minus infinity. Of texts that are equally
// likely the one that was found first comes first.

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

constexpr double kLogZero = -std::numeric_limits<double>::infinity();
// Labels of all texts of a search, which take some memory themselves: a width may be any number.
constexpr int64_t kMostLabels = int64_t{1} << 22, kLabelsOfText = 32;

using Text = std::vector<int64_t>;

double LogSum(double a, double b) {
  if (a == kLogZero) return b;
  if (b == kLogZero) return a;
  return a > b ? a + std::log1p(std::exp(b - a)) : b + std::log1p(std::exp(a - b));
}

// How likely a text is: by paths that end with a blank, with its last label, and by either.
struct Likelihood {
  double blank = kLogZero, label = kLogZero, total = kLogZero;
};

class Search {
 public:
  Search(int64_t width, int64_t time) : width_(width), time_(time) {
    texts_[Text()] = {0, kLogZero, 0};
    order_.emplace(0, Text());
  }

  // Another time. logs: of the probability of each class, the blank being the last.
  //   Errors: RESOURCE_EXHAUSTED
  Status Step(const std::vector<double>& logs) {
    const std::vector<Text> kept = InOrder();
    before_ = texts_;
    order_.clear();
    for (const Text& text : kept) order_.emplace(Stay(text, logs).total, text);
    for (const Text& text : kept) {
      if (!IsBetter(before_[text].total)) continue;
      for (int64_t label = 0; label + 1 < static_cast<int64_t>(logs.size()); ++label) {
        Grow(text, label, logs[static_cast<size_t>(label)]);
        if (static_cast<int64_t>(order_.size()) <= kMostLabels / (time_ + kLabelsOfText)) continue;
        return ResourceExhausted("a search of " + std::to_string(order_.size()) +
                                 " texts of up to " + std::to_string(time_) + " labels");
      }
    }
    return Status();
  }

  // From the likeliest on.
  std::vector<Text> InOrder() const {
    std::vector<Text> texts;
    for (const auto& [total, text] : order_) texts.push_back(text);
    return texts;
  }
  double LikelihoodOf(const Text& text) const { return texts_.at(text).total; }

 private:
  // A text of before, at this time: as it is by a blank, by its last label once more, or by its
  // last label after the text without that.
  const Likelihood& Stay(const Text& text, const std::vector<double>& logs) {
    Likelihood& now = texts_[text];
    if (!text.empty()) {
      const Text shorter(text.begin(), text.end() - 1);
      const auto parent = texts_.find(shorter);
      if (parent != texts_.end() && parent->second.total != kLogZero) {
        now.label = LogSum(now.label, LikelihoodToAdd(shorter, text.back()));
      }
      now.label += logs[static_cast<size_t>(text.back())];
    }
    now.blank = before_[text].total + logs.back();
    now.total = LogSum(now.blank, now.label);
    return now;
  }

  // Of the paths before, to which a label can be added as one of its own: where the text ends with
  // the same label, there must be a blank between.
  double LikelihoodToAdd(const Text& text, int64_t label) {
    const bool repeats = !text.empty() && text.back() == label;
    return repeats ? before_[text].blank : before_[text].total;
  }

  bool IsBetter(double total) const {
    if (!(total > kLogZero)) return false;
    return static_cast<int64_t>(order_.size()) < width_ || total > std::prev(order_.end())->first;
  }

  // A text with another label at its end, unless it is among the texts already.
  void Grow(const Text& text, int64_t label, double log) {
    Text longer = text;
    longer.push_back(label);
    const auto found = texts_.find(longer);
    if (found != texts_.end() && found->second.total != kLogZero) return;
    const double total = log + LikelihoodToAdd(text, label);
    if (!IsBetter(total)) {
      // It was dropped in favour of others at this time, and is not looked at again.
      const auto before = before_.find(longer);
      if (before != before_.end()) before->second = {};
      return;
    }
    if (found != texts_.end()) {
      Remove(longer, found->second.total);
    } else if (static_cast<int64_t>(order_.size()) == width_) {
      const auto worst = std::prev(order_.end());
      texts_.erase(worst->second);
      order_.erase(worst);
    }
    texts_[longer] = {kLogZero, total, total};
    order_.emplace(total, longer);
  }

  void Remove(const Text& text, double total) {
    const auto [first, last] = order_.equal_range(total);
    order_.erase(
        std::find_if(first, last, [&](const auto& entry) { return entry.second == text; }));
  }

  const int64_t width_;
  const int64_t time_;
  std::map<Text, Likelihood> texts_;  // those that are kept
  std::map<Text, Likelihood> before_;
  std::multimap<double, Text, std::greater<>> order_;  // by how likely they are
};

// The logarithms of the softmax of a row; all NaN where it has none.
std::vector<double> LogSoftmax(const double* row, int64_t classes) {
  const double most = *std::max_element(row, row + classes);
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) sum += std::exp(row[c] - most);
  const double offset = most + std::log(sum);
  std::vector<double> logs;
  for (int64_t c = 0; c < classes; ++c) logs.push_back(row[c] - offset);
  return logs;
}

Text WithoutRepeats(const Text& text) {
  Text without;
  std::unique_copy(text.begin(), text.end(), std::back_inserter(without));
  return without;
}

// Path `path` of each of the batch, as a sparse matrix.
Status SetDecoded(KernelContext& context, size_t path, size_t paths,
                  const std::vector<Text>& decoded) {
  std::vector<int64_t> places, values;
  int64_t longest = 0;
  for (size_t b = 0; b < decoded.size(); ++b) {
    for (size_t i = 0; i < decoded[b].size(); ++i) {
      places.insert(places.end(), {static_cast<int64_t>(b), static_cast<int64_t>(i)});
      values.push_back(decoded[b][i]);
    }
    longest = std::max(longest, static_cast<int64_t>(decoded[b].size()));
  }
  const auto count = static_cast<int64_t>(values.size());
  const std::vector<int64_t> shape = {static_cast<int64_t>(decoded.size()), longest};
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[path],
                           IndexTensor(DType::kInt64, Dims{count, 2}, places));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[paths + path],
                           IndexTensor(DType::kInt64, Dims{count}, values));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2 * paths + path],
                           IndexTensor(DType::kInt64, Dims{2}, shape));
  return Status();
}

//   Errors: INVALID_ARGUMENT (shapes), FAILED_PRECONDITION (lengths)
Result<std::vector<int64_t>> ReadLengths(const Tensor& inputs, const Tensor& input) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (inputs.num_elements() == 0) return InvalidArgument("inputs must not be empty");
  if (input.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, IndexValues(input));
  if (static_cast<int64_t>(lengths.size()) != inputs.dim(1)) {
    return FailedPrecondition("len(sequence_length) != batch_size.  len(sequence_length):  " +
                              std::to_string(lengths.size()) +
                              " batch_size: " + std::to_string(inputs.dim(1)));
  }
  for (size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] <= inputs.dim(0)) continue;
    return FailedPrecondition("sequence_length(" + std::to_string(b) +
                              ") <= " + std::to_string(inputs.dim(0)));
  }
  return lengths;
}

//   inputs: T [time, batch, classes]; sequence_length: int32 [batch], below 0 as 0
//   outputs: top_paths sparse matrices, the labels of each of the batch; log_probability: T
//   [batch, top_paths]
//   Errors: INVALID_ARGUMENT, also for more paths than were found; FAILED_PRECONDITION for lengths
//   that do not fit; RESOURCE_EXHAUSTED
Status CtcBeamSearchDecoder(KernelContext& context) {
  const Tensor& inputs = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths,
                           ReadLengths(inputs, context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t width, IntAttr(context.node, "beam_width"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t top_paths, IntAttr(context.node, "top_paths"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool merges, BoolAttr(context.node, "merge_repeated"));
  if (top_paths > width) return InvalidArgument("requested more paths than the beam width.");
  const auto paths = static_cast<size_t>(top_paths);
  const int64_t classes = inputs.dim(2);
  const std::vector<double> scores = LoadDoubles(inputs);
  std::vector<std::vector<Text>> decoded(paths);
  std::vector<double> likelihoods;
  for (size_t b = 0; b < lengths.size(); ++b) {
    Search search(width, lengths[b]);
    for (int64_t t = 0; t < lengths[b]; ++t) {
      const size_t row = static_cast<size_t>(t) * lengths.size() + b;
      TAGFLOW_RETURN_IF_ERROR(
          search.Step(LogSoftmax(scores.data() + row * static_cast<size_t>(classes), classes)));
    }
    const std::vector<Text> texts = search.InOrder();
    if (texts.size() < paths) {
      return InvalidArgument("Less leaves in the beam search than requested.");
    }
    for (size_t path = 0; path < paths; ++path) {
      decoded[path].push_back(merges ? WithoutRepeats(texts[path]) : texts[path]);
      likelihoods.push_back(search.LikelihoodOf(texts[path]));
    }
  }
  for (size_t path = 0; path < paths; ++path) {
    TAGFLOW_RETURN_IF_ERROR(SetDecoded(context, path, paths, decoded[path]));
  }
  TAGFLOW_ASSIGN_OR_RETURN(
      context.outputs[3 * paths],
      StoreDoubles(inputs.dtype(), Dims{inputs.dim(1), top_paths}, likelihoods));
  return Status();
}

}  // namespace

Status RegisterCtcBeamKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"CTCBeamSearchDecoder", CtcBeamSearchDecoder}});
}

}  // namespace tagflow::reference
