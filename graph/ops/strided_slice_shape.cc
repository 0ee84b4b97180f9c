// The shape of StridedSlice: input[begin:end:strides] where a bit of a mask says for one position
// that it is an ellipsis, a new axis, one index (which shrinks the axis away), or without a begin
// or an end. Positions that two masks claim are an ellipsis before a new axis before an index.

#include <algorithm>

#include "graph/limits.h"
#include "graph/ops/shape_functions.h"

namespace tagflow::shapes {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

struct Slices {
  int64_t positions = 0;
  std::optional<Dims> begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};

bool Has(int64_t mask, int64_t position) { return (mask >> position & 1) != 0; }

Result<Slices> ReadSlices(const ShapeContext& context) {
  Slices slices;
  PartialShape vector = PartialShape::UnknownOfRank(1);
  for (int i = 1; i < 4; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(vector, MergeShapes(vector, context.input(i)));
  }
  slices.positions = vector.dim(0);
  slices.begin = ConstantInts(context, 1);
  slices.end = ConstantInts(context, 2);
  slices.strides = ConstantInts(context, 3);
  const std::pair<const char*, int64_t*> masks[] = {{"begin_mask", &slices.begin_mask},
                                                    {"end_mask", &slices.end_mask},
                                                    {"ellipsis_mask", &slices.ellipsis_mask},
                                                    {"new_axis_mask", &slices.new_axis_mask},
                                                    {"shrink_axis_mask", &slices.shrink_axis_mask}};
  for (const auto& [name, mask] : masks) {
    TAGFLOW_ASSIGN_OR_RETURN(*mask, IntAttr(context.node(), name));
  }
  return slices;
}

std::optional<int64_t> At(const std::optional<Dims>& values, int64_t position) {
  if (!values.has_value()) return std::nullopt;
  return (*values)[static_cast<size_t>(position)];
}

// An index or a bound counted from the front; the step says which end a missing one is.
int64_t Clamped(int64_t bound, int64_t dim, int64_t step) {
  const int64_t from_front = bound < 0 ? bound + dim : bound;
  return step > 0 ? std::clamp<int64_t>(from_front, 0, dim)
                  : std::clamp<int64_t>(from_front, -1, dim - 1);
}

// The length of the slice at `position` of a dimension `dim`.
Result<int64_t> SliceLength(const Slices& slices, int64_t position, int64_t dim) {
  const std::optional<int64_t> step = At(slices.strides, position);
  if (step == 0) {
    return InvalidArgument("strides[" + std::to_string(position) + "] must not be 0");
  }
  std::optional<int64_t> begin = At(slices.begin, position);
  std::optional<int64_t> end = At(slices.end, position);
  if (dim == kUnknown || !step.has_value()) return kUnknown;
  if (begin.has_value()) begin = Clamped(*begin, dim, *step);
  if (end.has_value()) end = Clamped(*end, dim, *step);
  if (Has(slices.begin_mask, position)) begin = *step > 0 ? 0 : dim - 1;
  if (Has(slices.end_mask, position)) end = *step > 0 ? dim : -1;
  if (!begin.has_value() || !end.has_value()) return kUnknown;
  const int64_t interval = *end - *begin;
  if (interval == 0 || (interval < 0) != (*step < 0)) return 0;
  return interval / *step + (interval % *step != 0 ? 1 : 0);
}

// Checks the index at `position`, whose axis goes away.
Status CheckIndex(const Slices& slices, int64_t position, int64_t dim) {
  if (At(slices.strides, position).value_or(1) <= 0) {
    return InvalidArgument("strides[" + std::to_string(position) +
                           "] must be positive, as shrink_axis_mask makes it an index");
  }
  const std::optional<int64_t> index = At(slices.begin, position);
  if (dim == kUnknown || !index.has_value() || (-dim <= *index && *index < dim)) return Status();
  return InvalidArgument("index " + std::to_string(*index) +
                         " is out of bounds for a dimension of " + std::to_string(dim));
}

// How many dimensions of the input the ellipsis at `position` stands for.
Result<int> EllipsisLength(const Slices& slices, int64_t position, int rank) {
  int64_t others = 0;
  for (int64_t i = 0; i < slices.positions; ++i) {
    if (i == position) continue;
    if (Has(slices.ellipsis_mask, i)) return InvalidArgument("there is more than one ellipsis");
    others += Has(slices.new_axis_mask, i) ? 0 : 1;
  }
  return static_cast<int>(std::max<int64_t>(0, rank - others));
}

}  // namespace

Status StridedSlice(ShapeContext& context) {
  for (int i = 1; i < 4; ++i) TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i, 1));
  TAGFLOW_ASSIGN_OR_RETURN(const Slices slices, ReadSlices(context));
  const PartialShape& input = context.input(0);
  const int64_t positions = slices.positions;
  if (!input.known_rank() || positions == kUnknown || positions > kMostSlicePositions)
    return Status();
  Dims dims;
  int next = 0;  // the dimension of the input that comes next
  bool has_ellipsis = false;
  auto keep = [&](int count) {
    for (; count > 0; --count) dims.push_back(input.dim(next++));
  };
  for (int64_t i = 0; i < positions; ++i) {
    if (Has(slices.ellipsis_mask, i)) {
      TAGFLOW_ASSIGN_OR_RETURN(const int length, EllipsisLength(slices, i, input.rank()));
      has_ellipsis = true;
      keep(length);
    } else if (Has(slices.new_axis_mask, i)) {
      dims.push_back(1);
    } else if (next == input.rank()) {
      return InvalidArgument("there are more indices than dimensions in " + input.ToString());
    } else if (Has(slices.shrink_axis_mask, i)) {
      TAGFLOW_RETURN_IF_ERROR(CheckIndex(slices, i, input.dim(next++)));
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(const int64_t length, SliceLength(slices, i, input.dim(next++)));
      dims.push_back(length);
    }
  }
  if (!has_ellipsis) keep(input.rank() - next);
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

}  // namespace tagflow::shapes
