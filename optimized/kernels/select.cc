// Select and SelectV2: each element from x where the condition holds, else from y.
//
// Elements are moved as so many bytes, whatever they mean.

#include <algorithm>

#include "graph/variant.h"
#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/select_shapes.h"

namespace tagflow::optimized {
namespace {

// A step is 1, or 0 for an element that all of the row share.
struct ChoiceRow {
  const bool* condition;
  int64_t condition_step;
  const void* x;
  int64_t x_step;
  const void* y;
  int64_t y_step;
  void* out;
  int64_t count;
};
using Choose = void (*)(const ChoiceRow& row);

template <typename T>
void ChooseRow(const ChoiceRow& row) {
  const bool* condition = row.condition;
  const T* x = static_cast<const T*>(row.x);
  const T* y = static_cast<const T*>(row.y);
  T* out = static_cast<T*>(row.out);
  const int64_t count = row.count;
  if (row.condition_step == 0) {
    const T* chosen = *condition ? x : y;
    const int64_t step = *condition ? row.x_step : row.y_step;
    TAGFLOW_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = chosen[i * step];
  } else if (row.x_step == 1 && row.y_step == 1) {
    TAGFLOW_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = condition[i] ? x[i] : y[i];
  } else {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = condition[i] ? x[i * row.x_step] : y[i * row.y_step];
    }
  }
}

// Bytes that may be part of an element of any type.
template <typename Bits>
struct [[gnu::may_alias]] Unit {
  Bits bits;
};
struct TwoWords {
  uint64_t low, high;
};

Choose ChooseOf(DType dtype) {
  if (dtype == DType::kString) return ChooseRow<std::string>;
  if (dtype == DType::kResource) return ChooseRow<ResourceHandle>;
  if (dtype == DType::kVariant) return ChooseRow<Variant>;
  switch (DTypeSize(dtype)) {
    case 1:
      return ChooseRow<Unit<uint8_t>>;
    case 2:
      return ChooseRow<Unit<uint16_t>>;
    case 4:
      return ChooseRow<Unit<uint32_t>>;
    case 8:
      return ChooseRow<Unit<uint64_t>>;
    default:
      return ChooseRow<Unit<TwoWords>>;
  }
}

struct Chooser {
  DType dtype;
  Choose choose;

  // Output 0 from inputs that all have the shape `dims`.
  Status InOneRow(KernelContext& context, DimsView dims) const {
    const Tensor& condition = context.input(0);
    const Tensor& x = context.input(1);
    const Tensor& y = context.input(2);
    const int64_t count = x.num_elements();
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims, {1, 2}));
    choose({condition.data<bool>(), 1, x.raw_data(), 1, y.raw_data(), 1, out->mutable_raw_data(),
            count});
    return Status();
  }

  // Output 0 of shape `dims`, to which the condition, seen as of shape `condition_dims`, and the
  // other inputs broadcast.
  Status InRows(KernelContext& context, DimsView condition_dims, DimsView dims) const {
    const Tensor& x = context.input(1);
    const Tensor& y = context.input(2);
    const BroadcastRows rows({condition_dims, x.dims(), y.dims()}, dims);
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims, {1, 2}));
    const auto size = static_cast<int64_t>(DTypeSize(dtype));
    const bool* condition = context.input(0).data<bool>();
    const char* from_x = static_cast<const char*>(x.raw_data());
    const char* from_y = static_cast<const char*>(y.raw_data());
    char* to = static_cast<char*>(out->mutable_raw_data());
    rows.ForEach([&](const int64_t* offsets) {
      choose({condition + offsets[0], rows.step(0), from_x + offsets[1] * size, rows.step(1),
              from_y + offsets[2] * size, rows.step(2), to, rows.row_size()});
      to += rows.row_size() * size;
      return true;
    });
    return Status();
  }
};

// A condition for the whole of x and y, which have one shape: a value is handed on.
Status ChooseWhole(KernelContext& context) {
  context.output(0) = context.Take(context.input(0).inline_value<bool>() ? 1 : 2);
  return Status();
}

// The shape a condition of Select has once its missing inner dimensions are written as 1s.
//   Errors: INVALID_ARGUMENT unless it is a scalar, a vector over x's rows, or of x's shape
Result<Dims> AlignedCondition(DimsView condition, DimsView x) {
  Dims aligned(x.size(), 1);
  if (condition.empty()) return aligned;
  if (std::ranges::equal(condition, x)) return Dims(x.begin(), x.end());
  if (condition.size() == 1 && !x.empty() && condition[0] == x[0]) {
    aligned[0] = x[0];
    return aligned;
  }
  return InvalidArgument(
      "the condition of Select must be a scalar, a vector with an element for each row of x, or "
      "of x's shape: it is " +
      DimsString(condition) + ", x is " + DimsString(x));
}

}  // namespace

Result<SelectShapes> ShapesOfSelect(DimsView condition, DimsView x, DimsView y) {
  if (!std::ranges::equal(x, y)) {
    return InvalidArgument("'then' and 'else' must have the same size, but received: " +
                           DimsString(x) + " vs. " + DimsString(y));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Dims aligned, AlignedCondition(condition, x));
  return SelectShapes{std::move(aligned), Dims(x.begin(), x.end())};
}

Result<SelectShapes> ShapesOfSelectV2(DimsView condition, DimsView x, DimsView y) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims values, BroadcastShape(x, y));
  TAGFLOW_ASSIGN_OR_RETURN(Dims dims, BroadcastShape(condition, values));
  return SelectShapes{Dims(condition.begin(), condition.end()), std::move(dims)};
}

namespace {

// x and y have one shape, which is the output's.
//   inputs[0]: bool, as AlignedCondition says;  inputs[1], inputs[2]: any one dtype
Result<BoundKernel> BindSelect(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!IsTensorDType(dtype)) return NoKernelFor(binding, dtype);
  const Chooser chooser = {dtype, ChooseOf(dtype)};
  return BindPart(ChoicePart{dtype, false}, [chooser](KernelContext& context) -> Status {
    const Tensor& condition = context.input(0);
    const DimsView x = context.input(1).dims(), y = context.input(2).dims();
    if (std::ranges::equal(x, y)) {
      if (condition.is_inline()) return ChooseWhole(context);
      if (std::ranges::equal(condition.dims(), x)) return chooser.InOneRow(context, x);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const SelectShapes shapes, ShapesOfSelect(condition.dims(), x, y));
    return chooser.InRows(context, shapes.condition, shapes.output);
  });
}

// All three inputs broadcast.
Result<BoundKernel> BindSelectV2(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!IsTensorDType(dtype)) return NoKernelFor(binding, dtype);
  const Chooser chooser = {dtype, ChooseOf(dtype)};
  return BindPart(ChoicePart{dtype, true}, [chooser](KernelContext& context) -> Status {
    const Tensor& condition = context.input(0);
    const DimsView x = context.input(1).dims(), y = context.input(2).dims();
    if (std::ranges::equal(x, y)) {
      if (condition.is_inline()) return ChooseWhole(context);
      if (std::ranges::equal(condition.dims(), x)) return chooser.InOneRow(context, x);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const SelectShapes shapes, ShapesOfSelectV2(condition.dims(), x, y));
    return chooser.InRows(context, shapes.condition, shapes.output);
  });
}

}  // namespace

Status RegisterSelectKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Select", BindSelect}, {"SelectV2", BindSelectV2}});
}

}  // namespace tagflow::optimized
