// Derivatives of the ops on sparse tensors, by the values and by dense inputs.

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "reference/tape/adjoint.h"
#include "reference/tape/adjoint_tables.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

using Coordinates = std::vector<Dims>;

// The rows of a matrix of indices; of a vector or a scalar, each index is a row.
Coordinates RowsOf(const Tensor& indices) {
  const std::vector<int64_t> numbers = ToIntegers(indices);
  Coordinates rows;
  if (indices.rank() < 2) {
    for (const int64_t number : numbers) rows.push_back({number});
    return rows;
  }
  const int64_t rank = indices.dims()[1];
  for (int64_t i = 0; i < indices.dims()[0]; ++i) {
    rows.emplace_back(numbers.begin() + i * rank, numbers.begin() + (i + 1) * rank);
  }
  return rows;
}

// Their numbers in the order of the rows, equal ones as they are.
std::vector<size_t> SortedOrder(const Coordinates& rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  return order;
}

size_t NumberIn(const Dims& row, DimsView dims) { return PlaceOf(row, StepsOf(dims)); }

// ---- Values that are moved ----

//   sparse_indices, output_shape, sparse_values, default_value
Status SparseToDense(FiringPartials& firing) {
  const DimsView dims = firing.output(0).dims();
  std::map<size_t, size_t> writer;  // the last value for each place
  const Coordinates rows = RowsOf(firing.input(0));
  for (size_t i = 0; i < rows.size(); ++i) {
    writer[NumberIn(rows[i], dims)] = firing.input(2).rank() == 0 ? 0 : i;
  }
  for (size_t o = 0; o < static_cast<size_t>(firing.output(0).num_elements()); ++o) {
    const auto found = writer.find(o);
    if (found == writer.end()) {
      firing.Add(0, o, 3, 0, 1);
    } else {
      firing.Add(0, o, 2, found->second, 1);
    }
  }
  return Status();
}

//   input_indices, input_values, input_shape
Status SparseReorder(FiringPartials& firing) {
  const std::vector<size_t> order = SortedOrder(RowsOf(firing.input(0)));
  for (size_t k = 0; k < order.size(); ++k) firing.Add(1, k, 1, order[k], 1);
  return Status();
}

//   indices, values, dense_shape, default_value; output 3: where each value came
Status SparseFillEmptyRows(FiringPartials& firing) {
  std::vector<bool> is_given(static_cast<size_t>(firing.output(1).num_elements()), false);
  const std::vector<int64_t> came_to = ToIntegers(firing.output(3));
  for (size_t i = 0; i < came_to.size(); ++i) {
    firing.Add(1, static_cast<size_t>(came_to[i]), 1, i, 1);
    is_given[static_cast<size_t>(came_to[i])] = true;
  }
  for (size_t o = 0; o < is_given.size(); ++o) {
    if (!is_given[o]) firing.Add(1, o, 3, 0, 1);
  }
  return Status();
}

//   reverse_index_map, grad_values
Status SparseFillEmptyRowsGrad(FiringPartials& firing) {
  std::vector<bool> is_named(static_cast<size_t>(firing.input(1).num_elements()), false);
  const std::vector<int64_t> map = ToIntegers(firing.input(0));
  for (size_t i = 0; i < map.size(); ++i) {
    firing.Add(0, i, 1, static_cast<size_t>(map[i]), 1);
    is_named[static_cast<size_t>(map[i])] = true;
  }
  for (size_t k = 0; k < is_named.size(); ++k) {
    if (!is_named[k]) firing.Add(1, 0, 1, k, 1);
  }
  return Status();
}

//   all indices, all values, all shapes
Status SparseConcat(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, IntAttr(firing.node(), "concat_dim"));
  const size_t lists = firing.num_inputs() / 3;
  Coordinates rows;
  std::vector<std::pair<size_t, size_t>> values;  // input, element
  int64_t offset = 0;
  for (size_t list = 0; list < lists; ++list) {
    const std::vector<int64_t> dims = ToIntegers(firing.input(2 * lists + list));
    const size_t axis = AxisOf(given, dims.size());
    for (Dims row : RowsOf(firing.input(list))) {
      values.emplace_back(lists + list, values.empty() || values.back().first != lists + list
                                            ? 0
                                            : values.back().second + 1);
      row[axis] += offset;
      rows.push_back(std::move(row));
    }
    offset += dims[axis];
  }
  const std::vector<size_t> order = SortedOrder(rows);
  for (size_t k = 0; k < order.size(); ++k) {
    firing.Add(1, k, values[order[k]].first, values[order[k]].second, 1);
  }
  return Status();
}

//   split_dim, indices, values, shape; outputs: all indices, all values, all shapes
Status SparseSplit(FiringPartials& firing) {
  const Coordinates rows = RowsOf(firing.input(1));
  const size_t parts = firing.num_outputs() / 3;
  const std::vector<int64_t> dims = ToIntegers(firing.input(3));
  const size_t axis = AxisOf(ToIntegers(firing.input(0))[0], dims.size());
  const int64_t count = static_cast<int64_t>(parts);
  int64_t begin = 0;
  for (size_t part = 0; part < parts; ++part) {
    const int64_t end =
        begin + dims[axis] / count + (static_cast<int64_t>(part) < dims[axis] % count ? 1 : 0);
    size_t next = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i][axis] < begin || rows[i][axis] >= end) continue;
      firing.Add(parts + part, next++, 2, i, 1);
    }
    begin = end;
  }
  return Status();
}

//   indices, values, shape, start, size
Status SparseSlice(FiringPartials& firing) {
  const Coordinates rows = RowsOf(firing.input(0));
  const std::vector<int64_t> start = ToIntegers(firing.input(3));
  const std::vector<int64_t> size = ToIntegers(firing.input(4));
  size_t next = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    bool is_in = true;
    for (size_t d = 0; d < start.size(); ++d) {
      is_in = is_in && rows[i][d] >= start[d] && rows[i][d] - start[d] < size[d];
    }
    if (is_in) firing.Add(1, next++, 1, i, 1);
  }
  return Status();
}

//   backprop_val_grad, input_indices, input_start, output_indices
Status SparseSliceGrad(FiringPartials& firing) {
  const Coordinates inputs = RowsOf(firing.input(1)), outputs = RowsOf(firing.input(3));
  const std::vector<int64_t> start = ToIntegers(firing.input(2));
  // Both are gone through in order, for some rows may come twice.
  size_t k = 0;
  for (size_t i = 0; i < inputs.size() && k < outputs.size(); ++i) {
    Dims row = outputs[k];
    for (size_t d = 0; d < row.size(); ++d) row[d] += start[d];
    if (inputs[i] == row) firing.Add(0, i, 0, k++, 1);
  }
  return Status();
}

// ---- Sums: elements that have one place ----

// Calls visit(i, k) for each pair of equal rows, both gone through in order: whose rows are in
// another order, or come twice, has the gradients that SparseAddGrad finds on the way.
template <typename F>
void ForEachPair(const Coordinates& a, const Coordinates& b, F visit) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const bool passes_a = a[i] <= b[k], passes_b = b[k] <= a[i];
    if (passes_a && passes_b) visit(i, k);
    if (passes_a) ++i;
    if (passes_b) ++k;
  }
}

//   a, b: indices, values, shape each; thresh
Status SparseAdd(FiringPartials& firing) {
  const Coordinates sum = RowsOf(firing.output(0));
  for (const size_t side : {0, 3}) {
    ForEachPair(RowsOf(firing.input(side)), sum,
                [&](size_t i, size_t k) { firing.Add(1, k, side + 1, i, 1); });
  }
  return Status();
}

//   backprop_val_grad, a_indices, b_indices, sum_indices
Status SparseAddGrad(FiringPartials& firing) {
  const Coordinates sum = RowsOf(firing.input(3));
  for (const size_t side : {0, 1}) {
    ForEachPair(RowsOf(firing.input(side + 1)), sum,
                [&](size_t i, size_t k) { firing.Add(side, i, 0, k, 1); });
  }
  return Status();
}

// ---- With dense tensors ----

//   a: indices, values, shape; b
Status SparseTensorDenseAdd(FiringPartials& firing) {
  const DimsView dims = firing.output(0).dims();
  for (size_t o = 0; o < static_cast<size_t>(firing.output(0).num_elements()); ++o) {
    firing.Add(0, o, 3, o, 1);
  }
  const Coordinates rows = RowsOf(firing.input(0));
  for (size_t i = 0; i < rows.size(); ++i) firing.Add(0, NumberIn(rows[i], dims), 1, i, 1);
  return Status();
}

//   a: indices, values, shape; b
Status SparseTensorDenseMatMul(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool turns_a, BoolAttr(firing.node(), "adjoint_a"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool turns_b, BoolAttr(firing.node(), "adjoint_b"));
  const std::vector<double> a = ToDoubles(firing.input(1)), b = ToDoubles(firing.input(3));
  const Coordinates rows = RowsOf(firing.input(0));
  const auto columns = static_cast<size_t>(firing.output(0).dims()[1]);
  const auto width = static_cast<size_t>(firing.input(3).dims()[1]);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i][turns_a ? 1 : 0]);
    const auto inner = static_cast<size_t>(rows[i][turns_a ? 0 : 1]);
    for (size_t column = 0; column < columns; ++column) {
      const size_t of_b = turns_b ? column * width + inner : inner * width + column;
      firing.Add(0, row * columns + column, 1, i, b[of_b]);
      firing.Add(0, row * columns + column, 3, of_b, a[i]);
    }
  }
  return Status();
}

// For each element of the sparse tensor that inputs 0 and 2 are the places and the shape of, the
// element of a tensor of shape `dense` that broadcasting puts there.
std::vector<size_t> BroadcastPlaces(const FiringPartials& firing, DimsView dense) {
  const Dims steps = StepsOf(dense);
  std::vector<size_t> places;
  for (const Dims& row : RowsOf(firing.input(0))) {
    const size_t missing = row.size() - dense.size();
    int64_t place = 0;
    for (size_t d = 0; d < dense.size(); ++d) {
      place += dense[d] == 1 ? 0 : row[missing + d] * steps[d];
    }
    places.push_back(static_cast<size_t>(place));
  }
  return places;
}

//   sp: indices, values, shape; dense
AdjointFunction WithDense(Slopes slopes) {
  return [slopes](FiringPartials& firing) {
    const std::vector<size_t> places = BroadcastPlaces(firing, firing.input(3).dims());
    const std::vector<double> x = ToDoubles(firing.input(1)), y = ToDoubles(firing.input(3)),
                              z = ToDoubles(firing.output(0));
    for (size_t i = 0; i < places.size(); ++i) {
      const auto [by_x, by_y] = slopes(x[i], y[places[i]], z[i]);
      firing.Add(0, i, 1, i, by_x);
      firing.Add(0, i, 3, places[i], by_y);
    }
    return Status();
  };
}

// ---- Reductions ----

// The elements of input 1 that each of `count` results is made of.
Groups GroupsOf(const std::vector<size_t>& places, size_t count) {
  Groups groups(count);
  for (size_t i = 0; i < places.size(); ++i) groups[places[i]].push_back(i);
  return groups;
}

//   input: indices, values, shape; reduction_axes
AdjointFunction Reduction(GroupSlopes slopes) {
  return [slopes](FiringPartials& firing) {
    Dims kept = ToIntegers(firing.input(2));
    for (const int64_t axis : ToIntegers(firing.input(3))) kept[AxisOf(axis, kept.size())] = 1;
    const std::vector<double> x = ToDoubles(firing.input(1)), y = ToDoubles(firing.output(0));
    const Groups groups = GroupsOf(BroadcastPlaces(firing, kept), y.size());
    for (size_t o = 0; o < groups.size(); ++o) {
      std::vector<double> of_group;
      for (const size_t i : groups[o]) of_group.push_back(x[i]);
      const std::vector<double> partials = slopes(of_group, y[o]);
      for (size_t k = 0; k < groups[o].size(); ++k) firing.Add(0, o, 1, groups[o][k], partials[k]);
    }
    return Status();
  };
}

//   sp: indices, values, shape
Status SparseSoftmax(FiringPartials& firing) {
  Dims kept = ToIntegers(firing.input(2));
  kept.back() = 1;
  const auto rows = static_cast<size_t>(Product(kept, 0, kept.size()));
  const std::vector<double> y = ToDoubles(firing.output(0));
  for (const auto& row : GroupsOf(BroadcastPlaces(firing, kept), rows)) {
    for (const size_t i : row) {
      for (const size_t j : row) {
        const double same = i == j ? 1 : 0;
        firing.Add(0, i, 1, j, y[i] * (same - y[j]), y[i] * (same + y[j]));
      }
    }
  }
  return Status();
}

//   indices, values, dense_shape, size, weights: one for each value, or none
Status SparseBincount(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_binary, BoolAttr(firing.node(), "binary_output"));
  if (is_binary || firing.input(4).num_elements() == 0) return Status();
  const std::vector<int64_t> numbers = ToIntegers(firing.input(1));
  const Coordinates rows = RowsOf(firing.input(0));
  const int64_t size = firing.output(0).dims().back();
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= size) continue;
    const int64_t row = firing.output(0).rank() == 1 ? 0 : rows[i][0];
    firing.Add(0, static_cast<size_t>(row * size + numbers[i]), 4, i, 1);
  }
  return Status();
}

}  // namespace

void AddSparseAdjoints(AdjointTable& table) {
  table.Set("SparseToDense", SparseToDense);
  table.Set("SparseReorder", SparseReorder);
  table.Set("SparseFillEmptyRows", SparseFillEmptyRows);
  table.Set("SparseFillEmptyRowsGrad", SparseFillEmptyRowsGrad);
  table.Set("SparseConcat", SparseConcat);
  table.Set("SparseSplit", SparseSplit);
  table.Set("SparseSlice", SparseSlice);
  table.Set("SparseSliceGrad", SparseSliceGrad);
  table.Set("SparseAdd", SparseAdd);
  table.Set("SparseAddGrad", SparseAddGrad);
  table.Set("SparseTensorDenseAdd", SparseTensorDenseAdd);
  table.Set("SparseTensorDenseMatMul", SparseTensorDenseMatMul);
  table.Set("SparseDenseCwiseMul",
            WithDense([](double x, double y, double) { return std::pair(y, x); }));
  table.Set("SparseDenseCwiseDiv",
            WithDense([](double, double y, double z) { return std::pair(1 / y, -z / y); }));
  table.Set("SparseDenseCwiseAdd",
            WithDense([](double, double, double) { return std::pair(1.0, 1.0); }));
  table.Set("SparseReduceSum", Reduction(OfSum));
  table.Set("SparseReduceMax", Reduction(OfExtreme));
  table.Set("SparseSoftmax", SparseSoftmax);
  table.Set("SparseBincount", SparseBincount);
}

}  // namespace tagflow::reference
