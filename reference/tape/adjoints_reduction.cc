// Derivatives of the ops that fold dimensions away. A maximum that several elements share is shared
// out among them equally, as in TensorFlow.

#include <functional>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// The elements of the input that each element of the output was made of.
std::vector<std::vector<size_t>> Groups(const FiringPartials& firing) {
  const DimsView dims = firing.input(0).dims();
  std::vector<bool> folded(dims.size(), false);
  for (int64_t axis : ToIntegers(firing.input(1))) folded[AxisOf(axis, dims.size())] = true;
  Dims kept(dims.begin(), dims.end());
  for (size_t d = 0; d < dims.size(); ++d) kept[d] = folded[d] ? 1 : dims[d];
  std::vector<std::vector<size_t>> groups(static_cast<size_t>(firing.output(0).num_elements()));
  const std::vector<size_t> group_of = BroadcastWalk(kept, dims);
  for (size_t i = 0; i < group_of.size(); ++i) groups[group_of[i]].push_back(i);
  return groups;
}

// The partial derivatives of one output by the elements of its group, in their order.
using GroupSlopes = std::function<std::vector<double>(const std::vector<double>& x, double y)>;

AdjointFunction Reduction(GroupSlopes slopes) {
  return [slopes = std::move(slopes)](FiringPartials& firing) {
    const std::vector<double> x = ToDoubles(firing.input(0));
    const std::vector<double> y = ToDoubles(firing.output(0));
    const auto groups = Groups(firing);
    for (size_t o = 0; o < groups.size(); ++o) {
      std::vector<double> members;
      for (size_t i : groups[o]) members.push_back(x[i]);
      const std::vector<double> partials = slopes(members, y[o]);
      for (size_t k = 0; k < partials.size(); ++k) firing.Add(0, o, 0, groups[o][k], partials[k]);
    }
    return Status();
  };
}

std::vector<double> OfSum(const std::vector<double>& x, double) {
  return std::vector<double>(x.size(), 1.0);
}

std::vector<double> OfMean(const std::vector<double>& x, double) {
  return std::vector<double>(x.size(), 1.0 / static_cast<double>(x.size()));
}

// The product of all the others.
std::vector<double> OfProduct(const std::vector<double>& x, double) {
  std::vector<double> partials(x.size(), 1.0);
  for (size_t k = 0; k < x.size(); ++k) {
    for (size_t other = 0; other < x.size(); ++other) {
      if (other != k) partials[k] *= x[other];
    }
  }
  return partials;
}

std::vector<double> OfExtreme(const std::vector<double>& x, double y) {
  double equals = 0;
  for (double value : x) equals += value == y ? 1 : 0;
  std::vector<double> partials;
  for (double value : x) partials.push_back(value == y ? 1 / equals : 0.0);
  return partials;
}

}  // namespace

void AddReductionAdjoints(AdjointTable& table) {
  table.Set("Sum", Reduction(OfSum));
  table.Set("Mean", Reduction(OfMean));
  table.Set("Prod", Reduction(OfProduct));
  table.Set("Max", Reduction(OfExtreme));
  table.Set("Min", Reduction(OfExtreme));
}

}  // namespace tagflow::reference
