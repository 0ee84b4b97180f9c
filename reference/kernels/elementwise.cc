// Tested by conformance/ops/math.ops.

#include "reference/kernels/elementwise.h"

#include <algorithm>

namespace tagflow::reference {

Status RequireSameShape(const KernelContext& context) {
  const DimsView x = context.inputs[0].dims();
  const DimsView y = context.inputs[1].dims();
  if (std::ranges::equal(x, y)) return Status();
  return InvalidArgument("the inputs of op " + context.node.op + " must have one shape, not " +
                         DimsString(x) + " and " + DimsString(y));
}

}  // namespace tagflow::reference
