// RaggedTensorToTensor: the rows of a ragged tensor cut off, or filled up, to one length.
//
// Rows are cut by splits, or by the number of the row of each element (VALUE_ROWIDS), whose first
// dimension then is told by its size. Dimension by dimension, from the first, it is found where in
// the output each row goes; a row that is cut off goes nowhere.

#include <algorithm>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

using Numbers = std::vector<int64_t>;

// One dimension.
struct Partition {
  bool by_splits = false;
  Numbers numbers;

  // The length of the longest row; of row numbers, the longest run of one.
  int64_t Width() const {
    int64_t width = 0, run = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (by_splits) {
        if (i > 0) width = std::max(width, numbers[i] - numbers[i - 1]);
      } else {
        run = i > 0 && numbers[i] == numbers[i - 1] ? run + 1 : 1;
        width = std::max(width, run);
      }
    }
    return width;
  }
};

struct Ragged {
  int64_t rows = 0;
  std::vector<Partition> partitions;
};

//   Errors: INVALID_ARGUMENT
Result<Ragged> ReadPartitions(const KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(context.node, "row_partition_types"));
  const size_t count = context.inputs.size() - 3;
  if (list.strings.size() != count) {
    return InvalidArgument("there must be as many row_partition_types as row_partition_tensors");
  }
  Ragged ragged;
  for (size_t i = 0; i < count; ++i) {
    const std::string& kind = list.strings[i];
    if (context.inputs[3 + i].rank() != (kind == "FIRST_DIM_SIZE" ? 0 : 1)) {
      return InvalidArgument("row_partition_tensors must be vectors, and FIRST_DIM_SIZE a scalar");
    }
    TAGFLOW_ASSIGN_OR_RETURN(Numbers numbers, IndexValues(context.inputs[3 + i]));
    if (i == 0 && numbers.empty()) return InvalidArgument("Invalid first partition input.");
    if (kind == "FIRST_DIM_SIZE" && i == 0 && count > 1 && list.strings[1] == "VALUE_ROWIDS") {
      ragged.rows = numbers[0];
      continue;
    }
    if (kind == "VALUE_ROWIDS" && i > 0) {
      ragged.partitions.push_back({false, std::move(numbers)});
      continue;
    }
    if (kind != "ROW_SPLITS") {
      return InvalidArgument("row_partition_types cannot be " + kind + " there");
    }
    if (i == 0) ragged.rows = std::ssize(numbers) - 1;
    const bool starts = numbers.empty() || numbers.front() == 0;
    if (!starts || !std::ranges::is_sorted(numbers)) {
      return InvalidArgument("Invalid row split size.");
    }
    ragged.partitions.push_back({true, std::move(numbers)});
  }
  if (ragged.rows < 0) return InvalidArgument("there cannot be fewer than 0 rows");
  return ragged;
}

// What the input `shape` says, with what it leaves open.
//   Errors: INVALID_ARGUMENT
Result<Dims> OutputDims(const KernelContext& context, const Ragged& ragged) {
  const Tensor& shape = context.inputs[0];
  const DimsView values = context.inputs[1].dims();
  TAGFLOW_ASSIGN_OR_RETURN(Dims dims, IndexValues(shape));
  const size_t outer = ragged.partitions.size() + 1, rank = outer + values.size() - 1;
  if (shape.rank() == 0 && dims[0] == -1) dims = Dims(rank, -1);
  if (shape.rank() > 1 || dims.size() != rank) {
    return InvalidArgument("rt_input.shape and shape are incompatible");
  }
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < -1)
      return InvalidArgument("Dimension " + std::to_string(dims[i]) + " must be >= -1");
    const int64_t natural = i == 0      ? ragged.rows
                            : i < outer ? ragged.partitions[i - 1].Width()
                                        : values[i - outer + 1];
    if (dims[i] == -1) dims[i] = natural;
    if (i >= outer && dims[i] != natural) {
      return InvalidArgument("rt_input.shape and shape are incompatible");
    }
  }
  return dims;
}

// The default value is as wide as an element of the values, or less in its first dimensions.
//   Errors: INVALID_ARGUMENT
Status CheckDefault(const Tensor& values, const Tensor& otherwise) {
  if (otherwise.rank() >= values.rank()) {
    return InvalidArgument("default_value.rank must be less than rt_input.flat_values.rank");
  }
  for (int i = 0; i < static_cast<int>(otherwise.rank()); ++i) {
    if (otherwise.dim(i) == 1 || otherwise.dim(i) == values.dim(i + 1)) continue;
    return InvalidArgument("default_value and rt_input.flat_values are incompatible");
  }
  return Status();
}

constexpr int64_t kNowhere = -1;

// Where the elements of the rows at `places` go, of which `size` are kept, each `step` behind the
// one before. Of splits no more than `needed` are told.
//   Errors: INVALID_ARGUMENT for rows that are not there
Result<Numbers> PlacesInRows(const Partition& partition, const Numbers& places, int64_t size,
                             int64_t step, size_t needed) {
  Numbers inner;
  const Numbers& numbers = partition.numbers;
  const auto place = [&](int64_t row, int64_t column) {
    const int64_t begin = places[static_cast<size_t>(row)];
    return begin == kNowhere || column >= size ? kNowhere : begin + column * step;
  };
  if (!partition.by_splits) {
    int64_t column = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < 0 || numbers[i] >= std::ssize(places)) {
        return InvalidArgument("Got a row number of " + std::to_string(numbers[i]) +
                               " which is not less than " + std::to_string(places.size()));
      }
      column = i > 0 && numbers[i] == numbers[i - 1] ? column + 1 : 0;
      inner.push_back(place(numbers[i], column));
    }
    return inner;
  }
  if (std::ssize(numbers) - 1 > std::ssize(places)) {
    return InvalidArgument("Row partition size is greater than output size");
  }
  for (size_t row = 0; row + 1 < numbers.size(); ++row) {
    const int64_t length = numbers[row + 1] - numbers[row];
    for (int64_t column = 0; column < length && inner.size() < needed; ++column) {
      inner.push_back(place(static_cast<int64_t>(row), column));
    }
  }
  return inner;
}

// How many rows a partition has that is cut by the next one.
size_t RowsNeeded(const Partition& partition) {
  const Numbers& numbers = partition.numbers;
  if (partition.by_splits) return numbers.empty() ? 0 : numbers.size() - 1;
  int64_t rows = 0;
  for (const int64_t row : numbers) rows = std::max(rows, row == INT64_MAX ? row : row + 1);
  return static_cast<size_t>(rows);
}

// Where each of the values goes, in steps of whole values.
//   Errors: INVALID_ARGUMENT
Result<Numbers> PlacesOf(const Ragged& ragged, const Dims& dims, int64_t values) {
  const size_t count = ragged.partitions.size();
  const auto step_of = [&](size_t level) { return ProductOf(dims, level + 1, count + 1); };
  Numbers places;
  const int64_t rows =
      std::min(ragged.rows, static_cast<int64_t>(RowsNeeded(ragged.partitions[0])));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{rows}));
  for (int64_t row = 0; row < rows; ++row) {
    places.push_back(row < dims[0] ? row * step_of(0) : kNowhere);
  }
  for (size_t level = 0; level < count; ++level) {
    const Partition& partition = ragged.partitions[level];
    const bool is_last = level + 1 == count;
    if (is_last && partition.by_splits && !partition.numbers.empty() &&
        partition.numbers.back() > values) {
      return InvalidArgument("Invalid row split size.");
    }
    const size_t needed =
        is_last ? static_cast<size_t>(values) : RowsNeeded(ragged.partitions[level + 1]);
    if (partition.by_splits && !partition.numbers.empty()) {
      const int64_t all = std::min(partition.numbers.back(), static_cast<int64_t>(needed));
      TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{all}));
    }
    TAGFLOW_ASSIGN_OR_RETURN(
        places, PlacesInRows(partition, places, dims[level + 1], step_of(level + 1), needed));
  }
  if (std::ssize(places) > values) {
    return InvalidArgument("there are fewer values than the rows have elements");
  }
  return places;
}

//   shape: the output's, -1 where a dimension is as large as need be, or -1 for all;  values:
//   [n, ...];  default_value: for places without a value;  row_partition_tensors: as
//   row_partition_types say
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status RaggedTensorToTensor(KernelContext& context) {
  const Tensor& values = context.inputs[1];
  const Tensor& otherwise = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, values.dtype(), kValues));
  TAGFLOW_RETURN_IF_ERROR(CheckDefault(values, otherwise));
  TAGFLOW_ASSIGN_OR_RETURN(const Ragged ragged, ReadPartitions(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, OutputDims(context, ragged));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(values.dtype(), dims));
  context.outputs[0] = out;
  const size_t outer = ragged.partitions.size() + 1;
  if (ProductOf(dims, 0, outer) == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const Numbers places, PlacesOf(ragged, dims, values.dim(0)));
  const Dims element(dims.begin() + static_cast<std::ptrdiff_t>(outer), dims.end());
  const int64_t size = *NumElements(element);
  if (size == 0) return Status();
  Numbers from(static_cast<size_t>(size), 0);
  if (otherwise.num_elements() == size) {
    for (int64_t i = 0; i < size; ++i) from[static_cast<size_t>(i)] = i;
  } else if (otherwise.num_elements() != 1) {
    const Result<Dims> both = BroadcastShape(otherwise.dims(), element);
    if (!both.ok() || *both != element) return InvalidArgument("Error broadcasting default_value");
    from = BroadcastIndices(otherwise.dims(), element);
  }
  Tensor filled = out;
  for (int64_t i = 0; i < out.num_elements(); ++i) {
    CopyElement(otherwise, from[static_cast<size_t>(i % size)], filled, i);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == kNowhere) continue;
    CopyElements(values, static_cast<int64_t>(i) * size, filled, places[i] * size, size);
  }
  context.outputs[0] = filled;
  return Status();
}

}  // namespace

Status RegisterRaggedDenseKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RaggedTensorToTensor", RaggedTensorToTensor}});
}

}  // namespace tagflow::reference
