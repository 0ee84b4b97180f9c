// Derivatives of ragged tensors: which element is which.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

using Numbers = std::vector<int64_t>;

// How many elements a row of the values has.
int64_t SizeOf(const Tensor& values) { return Product(values.dims(), 1, values.dims().size()); }

// Each row that an index names is one of the first splits, and holds those of the next.
Status RaggedGather(FiringPartials& firing) {
  const size_t values = firing.num_inputs() - 2, port = firing.num_outputs() - 1;
  std::vector<Numbers> splits;
  for (size_t i = 0; i < values; ++i) splits.push_back(ToIntegers(firing.input(i)));
  const int64_t size = SizeOf(firing.input(values));
  size_t o = 0;
  for (const int64_t row : ToIntegers(firing.input(values + 1))) {
    int64_t begin = row, end = row + 1;
    for (const Numbers& of : splits) {
      begin = of[static_cast<size_t>(begin)];
      end = of[static_cast<size_t>(end)];
    }
    for (int64_t i = begin * size; i < end * size; ++i) {
      firing.Add(port, o++, values, static_cast<size_t>(i), 1);
    }
  }
  return Status();
}

Status RaggedTensorToSparse(FiringPartials& firing) {
  const size_t values = firing.num_inputs() - 1;
  for (size_t i = 0; i < static_cast<size_t>(firing.input(values).num_elements()); ++i) {
    firing.Add(1, i, values, i, 1);
  }
  return Status();
}

// An element of a row: the number that it has in the next partition, or of the value that it is.
struct RowElement {
  int64_t number;
  int64_t column;
};
// The elements of row `row`, by splits or by the numbers of their rows. Where such a number comes
// again behind another, the row begins anew.
std::vector<RowElement> ElementsOf(const Numbers& partition, bool by_splits, int64_t row) {
  std::vector<RowElement> elements;
  const auto r = static_cast<size_t>(row);
  if (by_splits && r + 1 < partition.size()) {
    for (int64_t i = partition[r]; i < partition[r + 1]; ++i) {
      elements.push_back({i, i - partition[r]});
    }
  }
  int64_t column = 0;
  for (size_t i = 0; i < partition.size() && !by_splits; ++i) {
    column = i > 0 && partition[i] == partition[i - 1] ? column + 1 : 0;
    if (partition[i] == row) elements.push_back({static_cast<int64_t>(i), column});
  }
  return elements;
}

// Rows of rows, each as long as the output's dimension, go to where they are; elsewhere is the
// default value.
Status RaggedTensorToTensor(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList kinds, ListAttr(firing.node(), "row_partition_types"));
  std::vector<Numbers> partitions;
  std::vector<bool> by_splits;
  for (size_t i = 0; i < kinds.strings.size(); ++i) {
    if (kinds.strings[i] == "FIRST_DIM_SIZE") continue;
    partitions.push_back(ToIntegers(firing.input(3 + i)));
    by_splits.push_back(kinds.strings[i] == "ROW_SPLITS");
  }
  const DimsView dims = firing.output(0).dims();
  const int64_t size = Product(dims, partitions.size() + 1, dims.size());
  Numbers value_at(static_cast<size_t>(Product(dims, 0, partitions.size() + 1)), -1);
  const std::function<void(size_t, int64_t, int64_t)> visit = [&](size_t level, int64_t row,
                                                                  int64_t place) {
    if (level == partitions.size()) {
      int64_t& value = value_at[static_cast<size_t>(place)];
      value = std::max(value, row);  // of several the last
      return;
    }
    for (const RowElement& element : ElementsOf(partitions[level], by_splits[level], row)) {
      if (element.column >= dims[level + 1]) continue;
      visit(level + 1, element.number, place * dims[level + 1] + element.column);
    }
  };
  for (int64_t row = 0; row < dims[0]; ++row) visit(0, row, row);
  const std::vector<size_t> from =
      BroadcastWalk(firing.input(2).dims(), dims.subspan(partitions.size() + 1));
  size_t o = 0;
  for (const int64_t value : value_at) {
    for (size_t i = 0; i < static_cast<size_t>(size); ++i, ++o) {
      if (value >= 0) {
        firing.Add(0, o, 1, static_cast<size_t>(value * size) + i, 1);
      } else {
        firing.Add(0, o, 2, from[i], 1);
      }
    }
  }
  return Status();
}

}  // namespace

void AddRaggedAdjoints(AdjointTable& table) {
  table.Set("RaggedGather", RaggedGather);
  table.Set("RaggedTensorToSparse", RaggedTensorToSparse);
  table.Set("RaggedTensorToTensor", RaggedTensorToTensor);
  table.Stop("RaggedRange");
}

}  // namespace tagflow::reference
