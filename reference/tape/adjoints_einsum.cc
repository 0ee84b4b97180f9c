// The derivative of Einsum: for every way to give its labels places, one product of elements is
// added to one element of the output.

#include <algorithm>
#include <map>
#include <string>

#include "graph/ops/einsum_equation.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// How far apart in a tensor neighbours along each label are; a label may come twice, and one of
// "..." is stood still on where the tensor has it once.
std::map<int, int64_t> StepsBy(const EinsumLabels& labels, DimsView dims) {
  const Dims steps = StepsOf(dims);
  std::map<int, int64_t> by_label;
  for (size_t d = 0; d < labels.size(); ++d) {
    if (labels[d] >= 0 || dims[d] != 1) by_label[labels[d]] += steps[d];
  }
  return by_label;
}

// The places of a tensor for all values of all labels.
std::vector<size_t> PlacesOf(const EinsumLabels& labels, DimsView dims,
                             const std::map<int, int64_t>& sizes) {
  const std::map<int, int64_t> by_label = StepsBy(labels, dims);
  Dims all, steps;
  for (const auto& [label, size] : sizes) {
    all.push_back(size);
    const auto found = by_label.find(label);
    steps.push_back(found == by_label.end() ? 0 : found->second);
  }
  return Walk(all, steps);
}

Status Einsum(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, StringAttr(firing.node(), "equation"));
  const size_t count = firing.num_inputs();
  TAGFLOW_ASSIGN_OR_RETURN(const EinsumEquation equation, EinsumEquation::Parse(text, count));
  std::vector<EinsumLabels> labels;
  std::map<int, int64_t> sizes;
  int ellipsis_rank = 0;
  for (size_t slot = 0; slot < count; ++slot) {
    const DimsView dims = firing.input(slot).dims();
    const int rank = static_cast<int>(dims.size());
    TAGFLOW_ASSIGN_OR_RETURN(labels.emplace_back(), equation.InputLabels(slot, rank));
    ellipsis_rank = std::max(ellipsis_rank, equation.EllipsisRank(slot, rank));
    for (size_t d = 0; d < dims.size(); ++d) {
      int64_t& size = sizes.try_emplace(labels[slot][d], dims[d]).first->second;
      if (size == 1) size = dims[d];
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(const EinsumLabels output, equation.OutputLabels(ellipsis_rank));
  const std::vector<size_t> z_at = PlacesOf(output, firing.output(0).dims(), sizes);
  std::vector<std::vector<size_t>> at;
  std::vector<std::vector<double>> values;
  for (size_t slot = 0; slot < count; ++slot) {
    at.push_back(PlacesOf(labels[slot], firing.input(slot).dims(), sizes));
    values.push_back(ToDoubles(firing.input(slot)));
  }
  for (size_t k = 0; k < z_at.size(); ++k) {
    for (size_t slot = 0; slot < count; ++slot) {
      const size_t other = 1 - slot;
      firing.Add(0, z_at[k], slot, at[slot][k], count == 1 ? 1 : values[other][at[other][k]]);
    }
  }
  return Status();
}

}  // namespace

void AddEinsumAdjoints(AdjointTable& table) { table.Set("Einsum", Einsum); }

}  // namespace tagflow::reference
