// Tested by conformance/ops/variable.ops.
#include "optimized/kernels/variable_access.h"

#include <algorithm>

namespace tagflow::optimized {
namespace {

std::string HandleText(const KernelContext& context) {
  const ResourceHandle& handle = *context.input(0).data<ResourceHandle>();
  return handle.container + "/" + handle.name;
}

}  // namespace

Result<std::shared_ptr<Variable>> VariableOf(KernelContext& context, int i) {
  const Tensor& input = context.input(i);
  if (input.num_elements() != 1) {
    return InvalidArgument("the handle of a variable must be a scalar, but it has shape " +
                           DimsString(input.dims()));
  }
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  if (handle.type_name != kVariableTypeName) {
    return InvalidArgument("'" + handle.name + "' is the handle of a " +
                           (handle.type_name.empty() ? "nothing" : handle.type_name) +
                           ", not of a variable");
  }
  if (handle.object == nullptr) {
    return context.session().FindOrCreateVariable({handle.container, handle.name}, DType::kInvalid,
                                                  PartialShape());
  }
  auto variable = std::dynamic_pointer_cast<Variable>(handle.object);
  if (variable != nullptr) return variable;
  return InvalidArgument("the handle '" + handle.name + "' says variable, but it holds none");
}

Status NeverAssigned(const KernelContext& context) {
  return NotFound("Could not find resource: " + HandleText(context) +
                  ": the variable was never assigned, or is destroyed");
}

Status Uninitialized(const Variable& variable) {
  return FailedPrecondition("Attempting to use uninitialized value " + variable.name());
}

Status WrongDType(std::string_view verb, DType expected, DType got) {
  return InvalidArgument("Trying to " + std::string(verb) +
                         " variable with wrong dtype. Expected " + DTypeName(expected) + " got " +
                         DTypeName(got));
}

Status CheckUpdate(const Variable::Contents& contents, const Tensor& by) {
  if (contents.dtype != by.dtype()) return WrongDType("update", contents.dtype, by.dtype());
  if (std::ranges::equal(contents.value.dims(), by.dims())) return Status();
  return InvalidArgument("Cannot update variable with shape " + DimsString(contents.value.dims()) +
                         " using a Tensor with shape " + DimsString(by.dims()) +
                         ", shapes must be equal.");
}

Result<Tensor> ValueOfHandle(KernelContext& context, DType wanted) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable, VariableOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor value, variable->ValueOnHost());
  if (!value.has_value()) return NeverAssigned(context);
  if (value.dtype() != wanted) return WrongDType("read", wanted, value.dtype());
  return value;
}

}  // namespace tagflow::optimized
