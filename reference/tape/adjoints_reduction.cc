// Derivatives of the ops that fold dimensions away, and of scans along one: each element of the
// output is made of some of the input.

#include <algorithm>

#include "reference/tape/adjoint_tables.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// The elements of the input that each element of the output was made of.
Groups Folded(const FiringPartials& firing) {
  const DimsView dims = firing.input(0).dims();
  std::vector<bool> folded(dims.size(), false);
  for (int64_t axis : ToIntegers(firing.input(1))) folded[AxisOf(axis, dims.size())] = true;
  Dims kept(dims.begin(), dims.end());
  for (size_t d = 0; d < dims.size(); ++d) kept[d] = folded[d] ? 1 : dims[d];
  Groups groups(static_cast<size_t>(firing.output(0).num_elements()));
  const std::vector<size_t> group_of = BroadcastWalk(kept, dims);
  for (size_t i = 0; i < group_of.size(); ++i) groups[group_of[i]].push_back(i);
  return groups;
}

AdjointFunction Reduction(GroupSlopes slopes) {
  return [slopes](FiringPartials& firing) {
    AddGroups(firing, Folded(firing), slopes);
    return Status();
  };
}

// Along the axis, all up to each element, or all from it; without itself if exclusive.
Result<Groups> Scanned(const FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool exclusive, BoolAttr(firing.node(), "exclusive"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool reverse, BoolAttr(firing.node(), "reverse"));
  const DimsView dims = firing.input(0).dims();
  const size_t axis = AxisOf(ToIntegers(firing.input(1))[0], dims.size());
  const auto step = static_cast<size_t>(StepsOf(dims)[axis]);
  Dims along(dims.size(), 0);
  along[axis] = 1;
  const std::vector<size_t> place = Walk(dims, along);
  Groups groups(place.size());
  for (size_t o = 0; o < groups.size(); ++o) {
    const size_t first = o - place[o] * step;
    for (size_t k = 0; k < static_cast<size_t>(dims[axis]); ++k) {
      const bool before = reverse ? k > place[o] : k < place[o];
      if (before || (k == place[o] && !exclusive)) groups[o].push_back(first + k * step);
    }
  }
  return groups;
}

AdjointFunction Scan(GroupSlopes slopes) {
  return [slopes](FiringPartials& firing) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Groups groups, Scanned(firing));
    AddGroups(firing, groups, slopes);
    return Status();
  };
}

Status L2Loss(FiringPartials& firing) {
  const std::vector<double> x = ToDoubles(firing.input(0));
  for (size_t i = 0; i < x.size(); ++i) firing.Add(0, 0, 0, i, x[i]);
  return Status();
}

// Of equal elements of a row each has its share.
//   input, n -> values
Status NthElement(FiringPartials& firing) {
  const std::vector<double> x = ToDoubles(firing.input(0));
  const std::vector<double> values = ToDoubles(firing.output(0));
  const auto length = static_cast<size_t>(firing.input(0).dims().back());
  for (size_t o = 0; o < values.size(); ++o) {
    const auto row = x.begin() + static_cast<int64_t>(o * length);
    const auto equal = std::count(row, row + static_cast<int64_t>(length), values[o]);
    for (size_t k = 0; k < length; ++k) {
      const size_t i = o * length + k;
      if (x[i] == values[o]) firing.Add(0, o, 0, i, 1 / static_cast<double>(equal));
    }
  }
  return Status();
}

}  // namespace

void AddReductionAdjoints(AdjointTable& table) {
  table.Set("Sum", Reduction(OfSum));
  table.Set("Mean", Reduction(OfMean));
  table.Set("Prod", Reduction(OfProduct));
  table.Set("Max", Reduction(OfExtreme));
  table.Set("Min", Reduction(OfExtreme));
  table.Set("EuclideanNorm", Reduction(OfNorm));
  table.Set("L2Loss", L2Loss);
  table.Set("NthElement", NthElement);
  table.Set("Cumsum", Scan(OfSum));
  table.Set("Cumprod", Scan(OfProduct));
  table.Set("CumulativeLogsumexp", Scan(OfLogSumExp));
}

}  // namespace tagflow::reference
