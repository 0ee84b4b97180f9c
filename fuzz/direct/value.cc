#include "fuzz/direct/value.h"

#include <string>

namespace tagflow::fuzz {

bool IsEvaluated(DType dtype) {
  return IsFloating(dtype) || dtype == DType::kBool ||
         (IsInteger(dtype) && dtype != DType::kUInt64);
}

Status CheckDTypes(const Program& program) {
  for (const Type& type : program.types) {
    if (!IsEvaluated(type.dtype)) {
      return Unimplemented("values of " + DTypeName(type.dtype) + " are not evaluated");
    }
  }
  for (const Variable& variable : program.variables) {
    if (!IsEvaluated(variable.initial.dtype())) {
      return Unimplemented("variables of " + DTypeName(variable.initial.dtype()) +
                           " are not evaluated");
    }
  }
  return Status();
}

}  // namespace tagflow::fuzz
