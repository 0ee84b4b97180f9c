// Select and SelectV2: each element from x where the condition holds, else from y.

#include <algorithm>

#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// Element i of the output is x[x_of[i]] where condition[condition_of[i]], else y[y_of[i]].
struct Choice {
  std::vector<int64_t> condition_of, x_of, y_of;
};

Status Choose(KernelContext& context, DimsView dims, const Choice& choice) {
  const Tensor& condition = context.inputs[0];
  const Tensor& x = context.inputs[1];
  const Tensor& y = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, condition.dtype(), {DType::kBool}));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, x.dtype(), y.dtype()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(x.dtype(), dims));
  for (int64_t i = 0; i < out.num_elements(); ++i) {
    if (condition.data<bool>()[choice.condition_of[i]]) {
      CopyElement(x, choice.x_of[i], out, i);
    } else {
      CopyElement(y, choice.y_of[i], out, i);
    }
  }
  context.outputs[0] = std::move(out);
  return Status();
}

// The shape a condition of Select has once its missing inner dimensions are written as 1s.
//   Errors: INVALID_ARGUMENT unless it is a scalar, a vector over x's rows, or of x's shape
Result<Dims> AlignedCondition(DimsView condition, DimsView x) {
  if (condition.empty()) return Dims(x.size(), 1);
  if (std::ranges::equal(condition, x)) return Dims(x.begin(), x.end());
  if (condition.size() == 1 && !x.empty() && condition[0] == x[0]) {
    Dims aligned(x.size(), 1);
    aligned[0] = x[0];
    return aligned;
  }
  return InvalidArgument(
      "Select's condition must be a scalar, a vector with one element for each " +
      std::string("row of x, or of x's shape: it is ") + DimsString(condition) + ", x is " +
      DimsString(x));
}

// x and y have one shape, which is the output's.
//   inputs[0]: bool, as AlignedCondition says;  inputs[1], inputs[2]: any one dtype
Status Select(KernelContext& context) {
  const DimsView x = context.inputs[1].dims();
  const DimsView y = context.inputs[2].dims();
  if (!std::ranges::equal(x, y)) {
    return InvalidArgument("'then' and 'else' must have the same size, but received: " +
                           DimsString(x) + " vs. " + DimsString(y));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims condition, AlignedCondition(context.inputs[0].dims(), x));
  const Dims dims(x.begin(), x.end());
  return Choose(context, dims,
                {BroadcastIndices(condition, dims), BroadcastIndices(dims, dims),
                 BroadcastIndices(dims, dims)});
}

// All three inputs broadcast.
Status SelectV2(KernelContext& context) {
  const DimsView condition = context.inputs[0].dims();
  const DimsView x = context.inputs[1].dims();
  const DimsView y = context.inputs[2].dims();
  TAGFLOW_ASSIGN_OR_RETURN(const Dims values, BroadcastShape(x, y));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(condition, values));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  return Choose(
      context, dims,
      {BroadcastIndices(condition, dims), BroadcastIndices(x, dims), BroadcastIndices(y, dims)});
}

}  // namespace

Status RegisterSelectKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Select", Select));
  return registry.Register("SelectV2", SelectV2);
}

}  // namespace tagflow::reference
