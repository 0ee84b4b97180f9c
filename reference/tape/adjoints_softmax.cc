// Derivatives of softmax and of the losses made of it, row by row.
//
// TensorFlow takes softmax - labels for the derivative of a cross entropy, which it is where the
// labels of a row add up to 1, as probabilities do; and so do we.

#include <algorithm>
#include <cmath>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

std::vector<double> SoftmaxOf(const std::vector<double>& row) {
  const double most = *std::max_element(row.begin(), row.end());
  std::vector<double> softmax;
  double sum = 0;
  for (double x : row) sum += softmax.emplace_back(std::exp(x - most));
  for (double& value : softmax) value /= sum;
  return softmax;
}

// Elements [begin, begin + classes) of output `port` are softmax of those elements of input 0 that
// `at` names, or its logarithm, or that plus something.
void AddRow(FiringPartials& firing, size_t port, size_t begin, const std::vector<double>& softmax,
            const std::vector<size_t>& at, bool logarithm) {
  for (size_t i = 0; i < softmax.size(); ++i) {
    for (size_t j = 0; j < softmax.size(); ++j) {
      const double same = i == j ? 1 : 0;
      const double factor = logarithm ? 1 : softmax[i];
      firing.Add(port, begin + i, 0, at[j], factor * (same - softmax[j]),
                 factor * (same + softmax[j]));
    }
  }
}

// Calls row(begin, at, x) for each row of `port`: where it begins, where its elements are in input
// 0, which may be broadcast, and what they are.
template <typename Row>
void ForRows(FiringPartials& firing, size_t port, Row row) {
  const DimsView dims = firing.output(port).dims();
  const std::vector<double> x = ToDoubles(firing.input(0));
  const std::vector<size_t> x_at = BroadcastWalk(firing.input(0).dims(), dims);
  const auto classes = static_cast<size_t>(dims.back());
  for (size_t begin = 0; begin < x_at.size(); begin += classes) {
    std::vector<size_t> at;
    std::vector<double> values;
    for (size_t i = 0; i < classes; ++i) {
      at.push_back(x_at[begin + i]);
      values.push_back(x[at.back()]);
    }
    row(begin, at, values);
  }
}

AdjointFunction Softmax(bool logarithm) {
  return [logarithm](FiringPartials& firing) {
    ForRows(firing, 0,
            [&](size_t begin, const std::vector<size_t>& at, const std::vector<double>& x) {
              AddRow(firing, 0, begin, SoftmaxOf(x), at, logarithm);
            });
    return Status();
  };
}

// Outputs: a loss for each row, and backprop.
void AddLossByFeatures(FiringPartials& firing) {
  const std::vector<double> backprop = ToDoubles(firing.output(1));
  ForRows(firing, 1,
          [&](size_t begin, const std::vector<size_t>& at, const std::vector<double>& x) {
            const std::vector<double> softmax = SoftmaxOf(x);
            AddRow(firing, 1, begin, softmax, at, false);
            for (size_t j = 0; j < x.size(); ++j) {
              const double slope = backprop[begin + j];
              firing.Add(0, begin / x.size(), 0, at[j], slope, std::fabs(slope) + 2 * softmax[j]);
            }
          });
}

Status CrossEntropy(FiringPartials& firing) {
  AddLossByFeatures(firing);
  const auto labels_at = BroadcastWalk(firing.input(1).dims(), firing.output(1).dims());
  ForRows(firing, 1, [&](size_t begin, const std::vector<size_t>&, const std::vector<double>& x) {
    const std::vector<double> softmax = SoftmaxOf(x);
    for (size_t j = 0; j < x.size(); ++j) {
      firing.Add(0, begin / x.size(), 1, labels_at[begin + j], -std::log(softmax[j]),
                 1 + std::fabs(std::log(softmax[j])));
      firing.Add(1, begin + j, 1, labels_at[begin + j], -1);
    }
  });
  return Status();
}

Status SparseCrossEntropy(FiringPartials& firing) {
  AddLossByFeatures(firing);
  return Status();
}

}  // namespace

void AddSoftmaxAdjoints(AdjointTable& table) {
  table.Set("Softmax", Softmax(false));
  table.Set("LogSoftmax", Softmax(true));
  table.Set("SoftmaxCrossEntropyWithLogits", CrossEntropy);
  table.Set("SparseSoftmaxCrossEntropyWithLogits", SparseCrossEntropy);
}

}  // namespace tagflow::reference
