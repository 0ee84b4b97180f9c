// RaggedTensorToTensor: the rows of a ragged tensor cut off, or filled up, to one length.
//
// Dimension by dimension, from the first, it is found where in the output each row begins; a row
// that is cut off begins nowhere. Then the output is filled with the default value, and values that
// lie side by side in both are copied as one run.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr int64_t kNowhere = -1;

// What the node says of the partitions: which are cut by splits, and not by the number of the row
// of each element; and whether a size comes before them.
struct DenseRule {
  bool has_size = false;
  std::vector<bool> by_splits;
};

struct Partition {
  bool by_splits;
  IntView numbers;

  // The length of the longest row, or the longest run of one row's number.
  int64_t Width() const {
    int64_t width = 0;
    if (by_splits) {
      for (int64_t i = 1; i < numbers.size(); ++i) {
        width = std::max(width, numbers[i] - numbers[i - 1]);
      }
      return width;
    }
    for (int64_t i = 0, begin = 0; i < numbers.size(); ++i) {
      if (numbers[i] != numbers[begin]) begin = i;
      width = std::max(width, i - begin + 1);
    }
    return width;
  }
  // How many rows it says anything of.
  int64_t Rows() const {
    if (by_splits) return std::max<int64_t>(numbers.size() - 1, 0);
    int64_t rows = 0;
    for (int64_t i = 0; i < numbers.size(); ++i) {
      rows = std::max(rows, std::min(numbers[i], std::numeric_limits<int64_t>::max() - 1) + 1);
    }
    return rows;
  }
  // Of splits, where the last row ends.
  int64_t End() const { return numbers.size() == 0 ? 0 : numbers[numbers.size() - 1]; }
};

struct Ragged {
  int64_t rows = 0;
  std::vector<Partition> partitions;
};

//   Errors: INVALID_ARGUMENT
Result<Ragged> ReadPartitions(const DenseRule& rule, const KernelContext& context) {
  Ragged ragged;
  int input = 3;
  if (rule.has_size) {
    TAGFLOW_ASSIGN_OR_RETURN(ragged.rows, ScalarInt(context.input(input++), "FIRST_DIM_SIZE"));
    if (ragged.rows < 0) return InvalidArgument("there cannot be fewer than 0 rows");
  }
  for (const bool by_splits : rule.by_splits) {
    const Tensor& tensor = context.input(input++);
    if (tensor.rank() != 1) return InvalidArgument("row_partition_tensors must be vectors");
    TAGFLOW_ASSIGN_OR_RETURN(IntView numbers, IntView::Of(tensor));
    if (ragged.partitions.empty() && by_splits) {
      if (numbers.size() == 0) return InvalidArgument("Invalid first partition input.");
      ragged.rows = numbers.size() - 1;
    }
    for (int64_t i = 0; by_splits && i < numbers.size(); ++i) {
      const bool fits = i == 0 ? numbers[0] == 0 : numbers[i] >= numbers[i - 1];
      if (!fits) return InvalidArgument("Invalid row split size.");
    }
    ragged.partitions.push_back({by_splits, std::move(numbers)});
  }
  return ragged;
}

// What the input `shape` says, with what it leaves open.
//   Errors: INVALID_ARGUMENT
Result<Dims> OutputDims(const KernelContext& context, const Ragged& ragged) {
  const Tensor& shape = context.input(0);
  const DimsView values = context.input(1).dims();
  Dims natural = {ragged.rows};
  for (const Partition& partition : ragged.partitions) natural.push_back(partition.Width());
  const size_t outer = natural.size();
  natural.insert(natural.end(), values.begin() + 1, values.end());
  TAGFLOW_ASSIGN_OR_RETURN(const IntView asked, IntView::Of(shape));
  if (shape.rank() == 0 && asked[0] == -1) return natural;
  if (shape.rank() != 1 || asked.size() != std::ssize(natural)) {
    return InvalidArgument("rt_input.shape and shape are incompatible");
  }
  for (size_t i = 0; i < natural.size(); ++i) {
    const int64_t dim = asked[static_cast<int64_t>(i)];
    if (dim < -1) return InvalidArgument("Dimension " + std::to_string(dim) + " must be >= -1");
    if (dim == -1) continue;
    if (i >= outer && dim != natural[i]) {
      return InvalidArgument("rt_input.shape and shape are incompatible");
    }
    natural[i] = dim;
  }
  return natural;
}

//   Errors: INVALID_ARGUMENT
Status CheckDefault(DimsView values, DimsView otherwise) {
  if (otherwise.size() >= values.size()) {
    return InvalidArgument("default_value.rank must be less than rt_input.flat_values.rank");
  }
  for (size_t i = 0; i < otherwise.size(); ++i) {
    if (otherwise[i] == 1 || otherwise[i] == values[i + 1]) continue;
    return InvalidArgument("default_value and rt_input.flat_values are incompatible");
  }
  return Status();
}

// ---- Places ----

// Where the elements of rows go: of each row `size`, `step` from one to the next.
struct RowLayout {
  int64_t size, step;

  int64_t At(int64_t begin, int64_t column) const {
    return begin == kNowhere || column >= size ? kNowhere : begin + column * step;
  }
};

// Room for that many places.
//   Errors: RESOURCE_EXHAUSTED
Result<std::vector<int64_t>> RoomFor(int64_t places) {
  TAGFLOW_RETURN_IF_ERROR(Tensor::AllocateUninitialized(DType::kInt64, Dims{places}).status());
  std::vector<int64_t> room;
  room.reserve(static_cast<size_t>(places));
  return room;
}

//   Errors: INVALID_ARGUMENT for rows that are not there
Result<std::vector<int64_t>> EnterRows(const Partition& partition,
                                       const std::vector<int64_t>& places, const RowLayout& layout,
                                       int64_t needed) {
  const IntView& numbers = partition.numbers;
  if (!partition.by_splits) {
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> inner, RoomFor(numbers.size()));
    for (int64_t i = 0, begin = 0; i < numbers.size(); ++i) {
      const int64_t row = numbers[i];
      if (row != numbers[begin]) begin = i;
      if (row < 0 || row >= std::ssize(places)) {
        return InvalidArgument("Got a row number of " + std::to_string(row) +
                               " which is not less than " + std::to_string(places.size()));
      }
      inner.push_back(layout.At(places[static_cast<size_t>(row)], i - begin));
    }
    return inner;
  }
  if (partition.Rows() > std::ssize(places)) {
    return InvalidArgument("Row partition size is greater than output size");
  }
  const int64_t count = std::min(partition.End(), needed);
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> inner, RoomFor(count));
  for (int64_t row = 0; row < partition.Rows() && std::ssize(inner) < count; ++row) {
    const int64_t length = std::min(numbers[row + 1], count) - numbers[row];
    for (int64_t column = 0; column < length; ++column) {
      inner.push_back(layout.At(places[static_cast<size_t>(row)], column));
    }
  }
  return inner;
}

// Where each of the values goes, in steps of whole values. No more places are found than anything
// is said of.
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Result<std::vector<int64_t>> PlacesOf(const Ragged& ragged, const Dims& dims, int64_t values) {
  const size_t count = ragged.partitions.size();
  std::vector<int64_t> steps(count + 1, 1);
  for (size_t level = count; level-- > 0;) steps[level] = steps[level + 1] * dims[level + 1];
  const int64_t rows = std::min(ragged.rows, ragged.partitions[0].Rows());
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> places, RoomFor(rows));
  for (int64_t row = 0; row < rows; ++row) {
    places.push_back(row < dims[0] ? row * steps[0] : kNowhere);
  }
  for (size_t level = 0; level < count; ++level) {
    const Partition& partition = ragged.partitions[level];
    const bool is_last = level + 1 == count;
    if (is_last && partition.by_splits && partition.End() > values) {
      return InvalidArgument("Invalid row split size.");
    }
    const int64_t needed = is_last ? values : ragged.partitions[level + 1].Rows();
    TAGFLOW_ASSIGN_OR_RETURN(
        places, EnterRows(partition, places, {dims[level + 1], steps[level + 1]}, needed));
  }
  if (std::ssize(places) > values) {
    return InvalidArgument("there are fewer values than the rows have elements");
  }
  return places;
}

// ---- Elements ----

// Fills the output with the default value, which is spread over elements of that shape.
//   Errors: INVALID_ARGUMENT
Status FillWith(const Tensor& otherwise, DimsView element, Tensor& out) {
  const Mover& mover = MoverOf(out.dtype());
  const int64_t total = out.num_elements();
  void* to = out.mutable_raw_data();
  if (otherwise.num_elements() == 1) {
    mover.fill(otherwise.raw_data(), to, total);
    return Status();
  }
  int64_t size = 1;
  for (const int64_t dim : element) size *= dim;
  std::vector<int64_t> sources;
  if (otherwise.num_elements() == size) {
    for (int64_t i = 0; i < size; ++i) sources.push_back(i);
  } else {
    const Result<Dims> both = BroadcastShape(otherwise.dims(), element);
    if (!both.ok() || !std::ranges::equal(*both, element)) {
      return InvalidArgument("Error broadcasting default_value");
    }
    const BroadcastRows rows({otherwise.dims()}, *both);
    rows.ForEach([&](const int64_t* offsets) {
      for (int64_t i = 0; i < rows.row_size(); ++i)
        sources.push_back(offsets[0] + i * rows.step(0));
      return true;
    });
  }
  for (int64_t at = 0; at < total; at += size) {
    mover.pick(otherwise.raw_data(), sources.data(), mover.At(to, at), size);
  }
  return Status();
}

// Copies the values to their places, each of `size` elements.
void CopyTo(const std::vector<int64_t>& places, int64_t size, const Tensor& values, Tensor& out) {
  const Mover& mover = MoverOf(out.dtype());
  for (size_t i = 0; i < places.size();) {
    if (places[i] == kNowhere) {
      ++i;
      continue;
    }
    const size_t first = i++;
    while (i < places.size() && places[i] == places[i - 1] + 1) ++i;
    mover.run(mover.At(values.raw_data(), static_cast<int64_t>(first) * size),
              mover.At(out.mutable_raw_data(), places[first] * size),
              static_cast<int64_t>(i - first) * size);
  }
}

//   shape: the output's, -1 where a dimension is as large as need be, or -1 for all;  values:
//   [n, ...];  default_value: for places without a value;  row_partition_tensors: vectors, as the
//   rule says
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status RaggedTensorToTensor(const DenseRule& rule, KernelContext& context) {
  const Tensor values = context.input(1), otherwise = context.input(2);
  TAGFLOW_RETURN_IF_ERROR(CheckDefault(values.dims(), otherwise.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(const Ragged ragged, ReadPartitions(rule, context));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, OutputDims(context, ragged));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, values.dtype(), dims));
  const auto outer = static_cast<std::ptrdiff_t>(ragged.partitions.size()) + 1;
  if (std::any_of(dims.begin(), dims.begin() + outer, [](int64_t dim) { return dim == 0; })) {
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> places,
                           PlacesOf(ragged, dims, values.dim(0)));
  if (out->num_elements() == 0) return Status();
  const Dims element(dims.begin() + outer, dims.end());
  TAGFLOW_RETURN_IF_ERROR(FillWith(otherwise, element, *out));
  int64_t size = 1;
  for (const int64_t dim : element) size *= dim;
  CopyTo(places, size, values, *out);
  return Status();
}

//   Errors: INVALID_ARGUMENT for kinds that do not fit each other
Result<DenseRule> RuleOf(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(binding.node, "row_partition_types"));
  const std::vector<std::string>& kinds = list.strings;
  if (kinds.size() + 3 != binding.signature.inputs.size()) {
    return InvalidArgument("there must be as many row_partition_types as row_partition_tensors");
  }
  DenseRule rule;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == "FIRST_DIM_SIZE" && i == 0 && kinds.size() > 1 && kinds[1] == "VALUE_ROWIDS") {
      rule.has_size = true;
    } else if (kinds[i] == "ROW_SPLITS" || (kinds[i] == "VALUE_ROWIDS" && i > 0)) {
      rule.by_splits.push_back(kinds[i] == "ROW_SPLITS");
    } else {
      return InvalidArgument("row_partition_types cannot be " + kinds[i] + " there");
    }
  }
  return rule;
}

Result<BoundKernel> BindRaggedTensorToTensor(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(1),
                                       kNumbers | SetOf(DType::kBool, DType::kString)));
  TAGFLOW_ASSIGN_OR_RETURN(const DenseRule rule, RuleOf(binding));
  return BoundKernel(
      [rule](KernelContext& context) { return RaggedTensorToTensor(rule, context); });
}

}  // namespace

Status RegisterRaggedDenseKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RaggedTensorToTensor", BindRaggedTensorToTensor}});
}

}  // namespace tagflow::optimized
