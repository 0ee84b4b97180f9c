// Tested by conformance/ops/training.ops.
#include "optimized/kernels/trained_variables.h"

#include <algorithm>
#include <string>

#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {
namespace {

Status NotLike(const Variable& variable, DimsView dims, const Tensor& gradient) {
  return InvalidArgument("variable '" + variable.name() + "' of shape " + DimsString(dims) +
                         " and a gradient of shape " + DimsString(gradient.dims()) +
                         " do not have the same shape");
}

}  // namespace

Status CheckTrainedRows(const Tensor& rows, int64_t limit) {
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(rows));
  for (int64_t i = 0; i < view.size(); ++i) {
    if (view[i] >= 0 && view[i] < limit) continue;
    return InvalidArgument("Index " + std::to_string(view[i]) + " at offset " + std::to_string(i) +
                           " in indices is out of range");
  }
  return Status();
}

Status TrainedVariables::CheckValue(const Variable& variable, const Tensor& value) const {
  if (value.has_value()) return Status();
  if (by_ == By::kReference) return Uninitialized(variable);
  return Internal("variable '" + variable.name() +
                  "' has no value: run what assigns it before it is trained");
}

Result<TrainedVariables> TrainedVariables::Find(KernelContext& context, const training::Form& form,
                                                Extent extent, By by) {
  TrainedVariables found(form, extent, by);
  for (int i = 0; i < form.slots; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(auto variable,
                             by == By::kHandle ? VariableOf(context, i) : context.variable(i));
    TAGFLOW_RETURN_IF_ERROR(found.CheckValue(*variable, variable->value()));
    found.order_.push_back(variable.get());
    found.variables_.push_back(std::move(variable));
  }
  std::ranges::sort(found.order_);
  found.order_.erase(std::unique(found.order_.begin(), found.order_.end()), found.order_.end());
  found.contents_.resize(found.variables_.size());
  return found;
}

// What the variables must be like: of the same shape as the gradient, or as many rows as the first
// of them has.
//   Errors: INVALID_ARGUMENT
Result<Dims> TrainedVariables::WantedDims(const KernelContext& context) const {
  const Tensor& gradient = context.input(form_.gradient);
  const Tensor& variable = contents_[0]->value;
  Dims dims(gradient.dims().begin(), gradient.dims().end());
  if (extent_ == Extent::kAll) return dims;
  const Tensor& indices = context.input(form_.gradient + 1);
  if (indices.rank() != 1) return InvalidArgument("indices must be one-dimensional");
  if (dims.empty() || dims[0] != indices.dim(0)) {
    return InvalidArgument("grad must be the same size as indices in the first dimension.");
  }
  if (variable.rank() == 0) return InvalidArgument("var must be at least 1 dimensional");
  dims[0] = variable.dim(0);
  return dims;
}

Status TrainedVariables::Check(const KernelContext& context) const {
  const Tensor& gradient = context.input(form_.gradient);
  for (size_t k = 0; k < variables_.size(); ++k) {
    const Tensor& value = contents_[k]->value;
    TAGFLOW_RETURN_IF_ERROR(CheckValue(*variables_[k], value));
    if (value.dtype() != gradient.dtype()) {
      return WrongDType("train", value.dtype(), gradient.dtype());
    }
  }
  for (int i = form_.slots; i < context.num_inputs(); ++i) {
    const bool are_rows = extent_ == Extent::kRows && i == form_.gradient + 1;
    if (i == form_.gradient || are_rows || context.input(i).rank() == 0) continue;
    return InvalidArgument("input " + std::to_string(i) + " must be a scalar, but has shape " +
                           DimsString(context.input(i).dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims wanted, WantedDims(context));
  for (size_t k = 0; k < variables_.size(); ++k) {
    const DimsView dims = contents_[k]->value.dims();
    if (!std::ranges::equal(dims, wanted)) return NotLike(*variables_[k], dims, gradient);
  }
  return Status();
}

}  // namespace tagflow::optimized
