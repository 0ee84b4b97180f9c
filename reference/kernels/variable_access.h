#ifndef TAGFLOW_REFERENCE_KERNELS_VARIABLE_ACCESS_H_
#define TAGFLOW_REFERENCE_KERNELS_VARIABLE_ACCESS_H_

// How kernels come to the variable that their first input is the handle of, or the reference to.
// The value of a variable is replaced, never changed: what was read before stays as it was.

#include <memory>

#include "graph/status.h"
#include "reference/kernel.h"

namespace tagflow::reference {

// The type name in the handle of a variable.
inline constexpr char kVariableTypeName[] = "tensorflow::Var";

// Declares a touch of the variable's value, and of whether it has one where it had none, for the
// race detector. Before the value changes.
void LogAccess(KernelContext& context, const Variable& variable, bool is_write);
// … of whether it has a value.
void LogQuestion(KernelContext& context, const Variable& variable);

// The variable of the handle in input i, initialized or not.
//   Errors: INVALID_ARGUMENT for what is no handle of a variable
Result<std::shared_ptr<Variable>> VariableOf(KernelContext& context, size_t i = 0);
// The same, and the touch declared.
//   Errors: as above; NOT_FOUND for a variable that was never assigned, or is destroyed
Result<std::shared_ptr<Variable>> FindVariable(KernelContext& context, bool is_write);
// "container/name". REQUIRES: the first input is a handle.
std::string HandleText(const KernelContext& context);

// The kernel over the value of the variable that the first input is the handle of.
//   Errors: also of FindVariable; INVALID_ARGUMENT when the variable is not of output 0's dtype
Kernel OnValue(Kernel kernel);
enum class By { kReference, kHandle };
// The kernel over the value of the variable of the first input. Its output 0 is what the variable
// then holds; the reference is handed on.
Kernel Replacing(By by, Kernel kernel);

// FAILED_PRECONDITION for a reference variable without a value.
Status CheckInitialized(const Variable& variable);

// INVALID_ARGUMENT "Trying to `verb` variable with wrong dtype. …"
Status WrongDType(const char* verb, DType expected, DType got);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_VARIABLE_ACCESS_H_
