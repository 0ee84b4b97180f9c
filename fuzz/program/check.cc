#include "fuzz/program/check.h"

#include "fuzz/program/passes.h"
#include "fuzz/program/statement_text.h"

namespace tagflow::fuzz {

MaybeFault FindFault(const Program& program) {
  TAGFLOW_RETURN_IF_FAULT(CheckScopes(program));
  TAGFLOW_RETURN_IF_FAULT(CheckTypes(program));
  TAGFLOW_RETURN_IF_FAULT(CheckLinearUse(program));
  return CheckLoops(program);
}

Status Check(const Program& program) {
  const MaybeFault fault = FindFault(program);
  if (!fault) return Status();
  if (fault->where == nullptr) return InvalidArgument(fault->what);
  return InvalidArgument("'" + StatementText(program, *fault->where) + "': " + fault->what);
}

}  // namespace tagflow::fuzz
