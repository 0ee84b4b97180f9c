#include "reference/kernels/variable_access.h"

#include <string>

namespace tagflow::reference {

void LogAccess(KernelContext& context, const Variable& variable, bool is_write) {
  context.accesses.push_back({&variable, Access::kWhole, is_write, variable.name});
}

Result<std::shared_ptr<Variable>> VariableOf(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  if (input.num_elements() != 1) {
    return InvalidArgument("the handle of a variable must be a scalar, not of shape " +
                           DimsString(input.dims()));
  }
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  if (handle.type_name != kVariableTypeName) {
    return InvalidArgument(
        "Trying to access a handle's resource using the wrong type: resource '" + handle.name +
        "' is a " + (handle.type_name.empty() ? "nothing" : handle.type_name) + ", not a variable");
  }
  if (handle.object != nullptr) return std::dynamic_pointer_cast<Variable>(handle.object);
  return context.resources.FindOrCreateVariable({handle.container, handle.name}, DType::kInvalid,
                                                PartialShape());
}

std::string HandleText(const KernelContext& context) {
  const ResourceHandle& handle = *context.inputs[0].data<ResourceHandle>();
  return handle.container + "/" + handle.name;
}

Result<std::shared_ptr<Variable>> FindVariable(KernelContext& context, bool is_write) {
  TAGFLOW_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable, VariableOf(context));
  LogAccess(context, *variable, is_write);
  if (variable->value.has_value()) return variable;
  return NotFound("Could not find resource: " + HandleText(context) +
                  ": the variable was never assigned, or is destroyed");
}

Status WrongDType(const char* verb, DType expected, DType got) {
  return InvalidArgument(std::string("Trying to ") + verb +
                         " variable with wrong dtype. Expected " + DTypeName(expected) + " got " +
                         DTypeName(got));
}

Status CheckInitialized(const Variable& variable) {
  if (variable.value.has_value()) return Status();
  return FailedPrecondition("Attempting to use uninitialized value " + variable.name);
}

}  // namespace tagflow::reference
