#include "reference/kernels/dtype_set.h"

#include <string>

namespace tagflow::reference {

Status RequireDType(std::string_view op, DType dtype, DTypeSet supported) {
  if (supported.contains(dtype)) return Status();
  return Unimplemented("no kernel of op " + std::string(op) + " for dtype " + DTypeName(dtype));
}

Status RequireTensorDType(DType dtype) {
  if (IsTensorDType(dtype)) return Status();
  return Unimplemented("tensors cannot have elements of dtype " + DTypeName(dtype));
}

Status RequireSameDType(std::string_view op, DType a, DType b) {
  if (a == b) return Status();
  return InvalidArgument("the inputs of op " + std::string(op) + " must have one dtype, not " +
                         DTypeName(a) + " and " + DTypeName(b));
}

}  // namespace tagflow::reference
