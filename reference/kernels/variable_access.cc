// Tested by conformance/ops/variable.ops.

#include "reference/kernels/variable_access.h"

#include <string>
#include <utility>

namespace tagflow::reference {

void LogAccess(KernelContext& context, const Variable& variable, bool is_write) {
  const bool is_first = is_write && !variable.value.has_value();
  const int64_t part = is_first ? Access::kWhole : Access::kValue;
  context.accesses.push_back({&variable, part, is_write, variable.name});
}

void LogQuestion(KernelContext& context, const Variable& variable) {
  context.accesses.push_back({&variable, Access::kPresence, false, variable.name});
}

Result<std::shared_ptr<Variable>> VariableOf(KernelContext& context, size_t i) {
  const Tensor& input = context.inputs[i];
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

Kernel OnValue(Kernel kernel) {
  return [kernel = std::move(kernel)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto variable, FindVariable(context, false));
    const DType wanted = context.signature.outputs[0].dtype;
    if (variable->value.dtype() != wanted) {
      return WrongDType("read", wanted, variable->value.dtype());
    }
    context.inputs[0] = variable->value;
    return kernel(context);
  };
}

Kernel Replacing(By by, Kernel kernel) {
  return [by, kernel = std::move(kernel)](KernelContext& context) -> Status {
    std::shared_ptr<Variable> variable = context.variables[0];
    if (by == By::kHandle) {
      TAGFLOW_ASSIGN_OR_RETURN(variable, FindVariable(context, true));
    } else {
      LogAccess(context, *variable, true);
      TAGFLOW_RETURN_IF_ERROR(CheckInitialized(*variable));
    }
    context.inputs[0] = variable->value;
    context.outputs.resize(1);
    TAGFLOW_RETURN_IF_ERROR(kernel(context));
    variable->value = std::move(context.outputs[0]);
    context.outputs.assign(by == By::kHandle ? 0 : 1, Tensor());
    if (by == By::kReference) context.output_variables[0] = std::move(variable);
    return Status();
  };
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
