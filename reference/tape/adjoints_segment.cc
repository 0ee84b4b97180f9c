// Derivatives of reductions of the rows of a tensor, grouped by an id for each row; and of counts.

#include <cmath>
#include <string>

#include "reference/tape/adjoint_tables.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// Row rows[k] of the data, of `row_size` elements, belongs to group ids[k]; negative: to none.
Groups GroupsOf(const FiringPartials& firing, const std::vector<int64_t>& rows,
                const std::vector<int64_t>& ids, size_t row_size) {
  Groups groups(static_cast<size_t>(firing.output(0).num_elements()));
  for (size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] < 0) continue;
    for (size_t j = 0; j < row_size; ++j) {
      groups[static_cast<size_t>(ids[k]) * row_size + j].push_back(
          static_cast<size_t>(rows[k]) * row_size + j);
    }
  }
  return groups;
}

size_t RowSize(const FiringPartials& firing, size_t first_dim) {
  const DimsView dims = firing.input(0).dims();
  return static_cast<size_t>(Product(dims, first_dim, dims.size()));
}

//   data, segment_ids: the first dimensions of the data
AdjointFunction Segments(GroupSlopes slopes) {
  return [slopes](FiringPartials& firing) {
    const std::vector<int64_t> ids = ToIntegers(firing.input(1));
    std::vector<int64_t> rows;
    for (size_t k = 0; k < ids.size(); ++k) rows.push_back(static_cast<int64_t>(k));
    const size_t row_size = RowSize(firing, firing.input(1).dims().size());
    AddGroups(firing, GroupsOf(firing, rows, ids, row_size), slopes);
    return Status();
  };
}

//   data, indices, segment_ids
AdjointFunction SparseSegments(GroupSlopes slopes) {
  return [slopes](FiringPartials& firing) {
    AddGroups(firing,
              GroupsOf(firing, ToIntegers(firing.input(1)), ToIntegers(firing.input(2)),
                       RowSize(firing, 1)),
              slopes);
    return Status();
  };
}

std::vector<double> OfSumOverRoot(const std::vector<double>& x, double) {
  return std::vector<double>(x.size(), 1 / std::sqrt(static_cast<double>(x.size())));
}

// What an element counts in a segment of so many.
using Weight = double (*)(double count);
double Whole(double) { return 1; }
double Part(double count) { return 1 / count; }
double RootPart(double count) { return 1 / std::sqrt(count); }

// Inputs: the gradient of segments, indices, segment_ids, rows. Row ids[k] of the gradient,
// weighed, is added to row indices[k] of the output; or where output 1 holds the indices, to the
// row that the index has there.
AdjointFunction SparseGrad(Weight weight) {
  return [weight](FiringPartials& firing) {
    const std::vector<int64_t> indices = ToIntegers(firing.input(1));
    const std::vector<int64_t> ids = ToIntegers(firing.input(2));
    std::vector<double> counts(static_cast<size_t>(firing.input(0).dims()[0]));
    for (const int64_t id : ids) ++counts[static_cast<size_t>(id)];
    const size_t row_size = RowSize(firing, 1);
    for (size_t k = 0; k < ids.size(); ++k) {
      int64_t row = indices[k];
      if (firing.num_outputs() > 1) {
        row = 0;
        for (const int64_t named : ToIntegers(firing.output(1))) row += named < indices[k] ? 1 : 0;
      }
      const auto id = static_cast<size_t>(ids[k]);
      for (size_t j = 0; j < row_size; ++j) {
        firing.Add(0, static_cast<size_t>(row) * row_size + j, 0, id * row_size + j,
                   weight(counts[id]));
      }
    }
    return Status();
  };
}

// Inputs: numbers, size, weights: of each number, added to its bin in its row, or none at all.
// Output: [rows, size], or [size].
Status Bincount(FiringPartials& firing) {
  bool is_binary = false;
  if (firing.node().op == "DenseBincount") {
    TAGFLOW_ASSIGN_OR_RETURN(is_binary, BoolAttr(firing.node(), "binary_output"));
  }
  if (is_binary || firing.input(2).num_elements() == 0) return Status();
  const std::vector<int64_t> numbers = ToIntegers(firing.input(0));
  const DimsView dims = firing.output(0).dims();
  const int64_t size = dims.back();
  const size_t per_row = numbers.size() / static_cast<size_t>(Product(dims, 0, dims.size() - 1));
  for (size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] >= size) continue;
    const size_t row = k / per_row;
    firing.Add(0, row * static_cast<size_t>(size) + static_cast<size_t>(numbers[k]), 2, k, 1);
  }
  return Status();
}

}  // namespace

void AddSegmentAdjoints(AdjointTable& table) {
  table.Set("SegmentSum", Segments(OfSum));
  table.Set("SegmentMean", Segments(OfMean));
  table.Set("SegmentProd", Segments(OfProduct));
  table.Set("SegmentMax", Segments(OfExtreme));
  table.Set("SegmentMin", Segments(OfExtreme));
  table.Set("UnsortedSegmentSum", Segments(OfSum));
  table.Set("UnsortedSegmentProd", Segments(OfProduct));
  table.Set("UnsortedSegmentMax", Segments(OfExtreme));
  table.Set("UnsortedSegmentMin", Segments(OfExtreme));
  table.Set("SparseSegmentSum", SparseSegments(OfSum));
  table.Set("SparseSegmentMean", SparseSegments(OfMean));
  table.Set("SparseSegmentSqrtN", SparseSegments(OfSumOverRoot));
  table.Set("SparseSegmentSumWithNumSegments", SparseSegments(OfSum));
  table.Set("SparseSegmentMeanWithNumSegments", SparseSegments(OfMean));
  table.Set("SparseSegmentSqrtNWithNumSegments", SparseSegments(OfSumOverRoot));
  for (const std::string version : {"Grad", "GradV2"}) {
    table.Set("SparseSegmentSum" + version, SparseGrad(Whole));
    table.Set("SparseSegmentMean" + version, SparseGrad(Part));
    table.Set("SparseSegmentSqrtN" + version, SparseGrad(RootPart));
  }
  table.Set("Bincount", Bincount);
  table.Set("DenseBincount", Bincount);
}

}  // namespace tagflow::reference
