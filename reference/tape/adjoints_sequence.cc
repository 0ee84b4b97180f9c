// Derivatives of what is computed along a sequence.
//
// The loss of connectionist temporal classification is minus the logarithm of a sum over paths of
// products of the probabilities on each path. The derivative is found by going through the paths
// one by one, which only short sequences allow.

#include <cmath>
#include <functional>

#include "reference/tape/adjoint.h"

namespace tagflow::reference {
namespace {

// One of the batch.
struct Spelling {
  std::vector<std::vector<double>> probabilities;  // [time][class]
  std::vector<int64_t> labels;
  bool merges = true;

  int64_t blank() const { return static_cast<int64_t>(probabilities[0].size()) - 1; }

  // What a path spells: its classes without blanks, and without repeats where they merge.
  std::vector<int64_t> Spelled(const std::vector<int64_t>& path) const {
    std::vector<int64_t> spelled;
    for (size_t t = 0; t < path.size(); ++t) {
      const bool repeats = merges && t > 0 && path[t] == path[t - 1];
      if (path[t] != blank() && !repeats) spelled.push_back(path[t]);
    }
    return spelled;
  }

  // Calls visit(path, probability) for each path that spells the labels.
  void ForEachPath(const std::function<void(const std::vector<int64_t>&, double)>& visit) const {
    std::vector<int64_t> path(probabilities.size(), 0);
    for (;;) {
      double probability = 1;
      for (size_t t = 0; t < path.size(); ++t) {
        probability *= probabilities[t][static_cast<size_t>(path[t])];
      }
      if (Spelled(path) == labels) visit(path, probability);
      size_t t = 0;
      while (t < path.size() && ++path[t] > blank()) path[t++] = 0;
      if (t == path.size()) return;
    }
  }
};

std::vector<double> SoftmaxOf(const std::vector<double>& scores) {
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  std::vector<double> softmax;
  for (const double score : scores) softmax.push_back(std::exp(score) / sum);
  return softmax;
}

//   inputs [time, batch, classes], labels_indices, labels_values, sequence_length
Status CtcLoss(FiringPartials& firing) {
  if (firing.flows_from(1)) return Unimplemented("a second derivative of CTCLoss");
  TAGFLOW_ASSIGN_OR_RETURN(const bool merges, BoolAttr(firing.node(), "ctc_merge_repeated"));
  const std::vector<double> scores = ToDoubles(firing.input(0));
  const std::vector<int64_t> places = ToIntegers(firing.input(1));
  const std::vector<int64_t> labels = ToIntegers(firing.input(2));
  const std::vector<int64_t> lengths = ToIntegers(firing.input(3));
  const size_t batch = lengths.size();
  const auto classes = static_cast<size_t>(firing.input(0).dims()[2]);
  for (size_t b = 0; b < batch; ++b) {
    Spelling spelling;
    spelling.merges = merges;
    const auto at = [&](size_t t, size_t c) { return (t * batch + b) * classes + c; };
    for (size_t t = 0; t < static_cast<size_t>(lengths[b]); ++t) {
      spelling.probabilities.push_back(
          SoftmaxOf({scores.begin() + static_cast<std::ptrdiff_t>(at(t, 0)),
                     scores.begin() + static_cast<std::ptrdiff_t>(at(t, classes))}));
    }
    for (size_t i = 0; i < labels.size(); ++i) {
      if (places[2 * i] == static_cast<int64_t>(b)) spelling.labels.push_back(labels[i]);
    }
    double total = 0;
    std::vector<double> passing(spelling.probabilities.size() * classes);  // of paths, by place
    spelling.ForEachPath([&](const std::vector<int64_t>& path, double probability) {
      total += probability;
      for (size_t t = 0; t < path.size(); ++t) {
        passing[t * classes + static_cast<size_t>(path[t])] += probability;
      }
    });
    for (size_t t = 0; t < spelling.probabilities.size(); ++t) {
      for (size_t c = 0; c < classes; ++c) {
        const double softmax = spelling.probabilities[t][c];
        const double share = passing[t * classes + c] / total;
        firing.Add(0, b, 0, at(t, c), softmax - share, softmax + share);
      }
    }
  }
  return Status();
}

}  // namespace

void AddSequenceAdjoints(AdjointTable& table) {
  table.Set("CTCLoss", CtcLoss);
  table.Stop("CTCGreedyDecoder");
}

}  // namespace tagflow::reference
