#ifndef TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_ACCESS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_ACCESS_H_

// How kernels come to a variable: by the handle or by the reference in an input. What was read is a
// snapshot; a change is made in place while nobody holds one, else in a copy.
//                                                                     Spec: [ref.2], [resource.1]

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "graph/status.h"
#include "optimized/kernel.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

// The type name in the handle of a variable.
inline constexpr std::string_view kVariableTypeName = "tensorflow::Var";

enum class By : uint8_t { kReference, kHandle };

// The variable that input i is the handle of, initialized or not.
//   Errors: INVALID_ARGUMENT for what is no handle of a variable
Result<std::shared_ptr<Variable>> VariableOf(KernelContext& context, int i = 0);

// NOT_FOUND: the variable of the handle in input 0 has no value.
Status NeverAssigned(const KernelContext& context);
// FAILED_PRECONDITION: the reference variable has no value.
Status Uninitialized(const Variable& variable);
// INVALID_ARGUMENT "Trying to `verb` variable with wrong dtype. …"
Status WrongDType(std::string_view verb, DType expected, DType got);

// INVALID_ARGUMENT unless `by` has the dtype and the shape of the value.
Status CheckUpdate(const Variable::Contents& contents, const Tensor& by);

// Calls change(contents) of the variable of input 0, which has a value, with its lock held. When
// that went well, a reference is handed on as output 0.
//   Errors: of `change`, which leaves the contents whole then; INVALID_ARGUMENT, NOT_FOUND or
//   FAILED_PRECONDITION as above
template <typename F>
Status ChangeVariable(KernelContext& context, By by, F change) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable,
                           by == By::kHandle ? VariableOf(context) : context.variable(0));
  TAGFLOW_RETURN_IF_ERROR(variable->With([&](Variable::Contents& contents) -> Status {
    if (contents.value.has_value()) return change(contents);
    return by == By::kHandle ? NeverAssigned(context) : Uninitialized(*variable);
  }));
  if (by == By::kReference) context.output(0) = context.Take(0);
  return Status();
}

// The value of the variable that input 0 is the handle of.
//   Errors: INVALID_ARGUMENT, also when it is not of dtype `wanted`; NOT_FOUND
Result<Tensor> ValueOfHandle(KernelContext& context, DType wanted);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_ACCESS_H_
