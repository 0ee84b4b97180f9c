#include "transform/simplify/droppable.h"

#include "graph/control_ops.h"
#include "transform/simplify/cannot_fail.h"

namespace tagflow {

bool TouchesState(const CallView& view, const Node& node) {
  if (view.fed().IsFedPlaceholder(node)) return false;
  if (view.TakesReference(node) || view.Has(node.id, kReference)) return true;
  if (view.Has(node.id, kForwards | kConst | kPure)) return false;
  return ControlOpOf(node.op) == ControlOp::kNone && node.op != "NoOp";
}

bool MayBeDropped(const CallView& view, const Node& node) {
  if (TouchesState(view, node)) return false;
  return !view.Has(node.id, kPure) || CannotFail(view, node);
}

}  // namespace tagflow
