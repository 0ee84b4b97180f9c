#include "graph/ops/shape_functions.h"

#include <algorithm>

#include "graph/limits.h"

namespace tagflow::shapes {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

template <typename T>
Dims Widened(const Tensor& tensor) {
  const auto values = tensor.flat<T>();
  return Dims(values.begin(), values.end());
}

std::string RankText(int rank) {
  return rank == 0 ? "a scalar" : "of rank " + std::to_string(rank);
}

Status BadRank(const ShapeContext& context, int i, const std::string& wanted) {
  return InvalidArgument("input '" + InputName(context, i) + "' must be " + wanted +
                         ", but has shape " + context.input(i).ToString());
}

// Which dimensions of `rank` the constant `axes` name.
Result<std::vector<bool>> ReducedDims(const ShapeContext& context, const Dims& axes, int rank) {
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (const int64_t axis : axes) {
    TAGFLOW_ASSIGN_OR_RETURN(const int i, NormalizeAxis(context, axis, rank));
    if (reduced[static_cast<size_t>(i)]) {
      return InvalidArgument("dimension " + std::to_string(i) + " is to be reduced twice");
    }
    reduced[static_cast<size_t>(i)] = true;
  }
  return reduced;
}

}  // namespace

Status Unchanged(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, context.input(0));
  return Status();
}

Status AllUnchanged(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, context.input(i));
  return Status();
}

Status Merged(ShapeContext& context) {
  PartialShape merged;
  for (int i = 0; i < context.num_inputs(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(merged, MergeShapes(merged, context.input(i)));
  }
  context.set_output(0, std::move(merged));
  return Status();
}

Status Broadcast(ShapeContext& context) {
  PartialShape shape = context.input(0);
  for (int i = 1; i < context.num_inputs(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(shape, BroadcastShapes(shape, context.input(i)));
  }
  context.set_output(0, std::move(shape));
  return Status();
}

Status Scalar(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, PartialShape::Scalar());
  return Status();
}

Status Unknown(ShapeContext&) { return Status(); }

Status NoOutputs(ShapeContext&) { return Status(); }

Status FromShapeAttr(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ShapeAttr(context.node(), "shape"));
  // A dimension below -1 is as unknown as -1.
  const bool is_odd = shape.known_rank() && std::ranges::any_of(shape.dims(), [](int64_t dim) {
                        return dim < PartialShape::kUnknownDim;
                      });
  context.set_output(0, is_odd ? PartialShape::UnknownOfRank(shape.rank()) : std::move(shape));
  return Status();
}

Status Reduction(ShapeContext& context) {
  const PartialShape& input = context.input(0);
  if (context.input(1).known_rank() && context.input(1).rank() > 1) {
    return BadRank(context, 1, "a scalar or a vector");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const bool keep_dims, BoolAttr(context.node(), "keep_dims"));
  const std::optional<Dims> axes = ConstantInts(context, 1);
  if (!input.known_rank()) return Status();
  if (!axes.has_value()) {
    if (keep_dims) context.set_output(0, PartialShape::UnknownOfRank(input.rank()));
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<bool> reduced,
                           ReducedDims(context, *axes, input.rank()));
  Dims dims;
  for (int i = 0; i < input.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) {
      dims.push_back(input.dim(i));
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

std::string InputName(const ShapeContext& context, int i) {
  const auto& args = context.node().def->inputs;
  // An argument that repeats takes the places of several: the name of the last one is near enough
  // only where no argument before it repeats, else the number is said.
  const auto index = static_cast<size_t>(i);
  const auto repeats = [](const ArgDef& arg) {
    return !arg.number_attr.empty() || !arg.type_list_attr.empty();
  };
  for (size_t k = 0; k <= index && k < args.size(); ++k) {
    if (repeats(args[k])) return std::to_string(i);
  }
  return index < args.size() ? args[index].name : std::to_string(i);
}

Status RequireRank(const ShapeContext& context, int i, int rank) {
  const PartialShape& shape = context.input(i);
  if (!shape.known_rank() || shape.rank() == rank) return Status();
  return BadRank(context, i, RankText(rank));
}

Status RequireRankAtLeast(const ShapeContext& context, int i, int rank) {
  const PartialShape& shape = context.input(i);
  if (!shape.known_rank() || shape.rank() >= rank) return Status();
  return BadRank(context, i, "of rank " + std::to_string(rank) + " or more");
}

std::optional<Dims> ConstantInts(const ShapeContext& context, int i) {
  const Tensor* constant = context.constant(i);
  if (constant == nullptr) return std::nullopt;
  switch (constant->dtype()) {
    case DType::kInt8:
      return Widened<int8_t>(*constant);
    case DType::kInt16:
      return Widened<int16_t>(*constant);
    case DType::kInt32:
      return Widened<int32_t>(*constant);
    case DType::kInt64:
      return Widened<int64_t>(*constant);
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> ConstantInt(const ShapeContext& context, int i) {
  const std::optional<Dims> values = ConstantInts(context, i);
  if (!values.has_value() || values->size() != 1) return std::nullopt;
  return (*values)[0];
}

Result<PartialShape> ShapeFromInput(const ShapeContext& context, int i) {
  TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i, 1));
  if (const std::optional<Dims> dims = ConstantInts(context, i)) {
    for (const int64_t dim : *dims) {
      if (dim >= kUnknown) continue;
      return InvalidArgument("input '" + InputName(context, i) + "' holds the dimension " +
                             std::to_string(dim));
    }
    return PartialShape(*dims);
  }
  const PartialShape& length = context.input(i);
  if (!length.fully_known() || length.dim(0) > kMostDimensions) return PartialShape();
  return PartialShape::UnknownOfRank(static_cast<int>(length.dim(0)));
}

Result<int> NormalizeAxis(const ShapeContext& context, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis " + std::to_string(axis) + " is outside of [" +
                           std::to_string(-rank) + ", " + std::to_string(rank) + ") for op " +
                           context.node().op);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

int64_t AddDims(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (a == kUnknown || b == kUnknown || __builtin_add_overflow(a, b, &sum)) return kUnknown;
  return sum;
}

int64_t MultiplyDims(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t product = 0;
  if (a == kUnknown || b == kUnknown || __builtin_mul_overflow(a, b, &product)) return kUnknown;
  return product;
}

Result<int64_t> MergeDims(int64_t a, int64_t b) {
  if (a == kUnknown) return b;
  if (b == kUnknown || a == b) return a;
  return InvalidArgument("dimensions " + std::to_string(a) + " and " + std::to_string(b) +
                         " must be equal");
}

int64_t ElementCount(const PartialShape& shape) {
  if (!shape.known_rank()) return kUnknown;
  int64_t count = 1;
  for (const int64_t dim : shape.dims()) count = MultiplyDims(count, dim);
  return count;
}

PartialShape Subshape(const PartialShape& shape, int begin, int end) {
  if (!shape.known_rank()) return PartialShape();
  return PartialShape(Dims(shape.dims().begin() + begin, shape.dims().begin() + end));
}

PartialShape Concatenated(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return PartialShape();
  Dims dims = a.dims();
  dims.insert(dims.end(), b.dims().begin(), b.dims().end());
  return PartialShape(std::move(dims));
}

Status CheckScatteredSlices(const PartialShape& into, const PartialShape& indices,
                            const PartialShape& updates) {
  if (!indices.known_rank() || !updates.known_rank() || indices.rank() < 1) return Status();
  const int outer = indices.rank() - 1;
  if (updates.rank() < outer) {
    return InvalidArgument("updates of shape " + updates.ToString() +
                           " must begin as the indices of shape " + indices.ToString() + " do");
  }
  TAGFLOW_RETURN_IF_ERROR(
      MergeShapes(Subshape(indices, 0, outer), Subshape(updates, 0, outer)).status());
  const int64_t depth = indices.dim(outer);
  if (!into.known_rank() || depth == PartialShape::kUnknownDim || depth > into.rank()) {
    return Status();
  }
  return MergeShapes(Subshape(into, static_cast<int>(depth), into.rank()),
                     Subshape(updates, outer, updates.rank()))
      .status();
}

}  // namespace tagflow::shapes
