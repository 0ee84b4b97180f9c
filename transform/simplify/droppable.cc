#include "transform/simplify/droppable.h"

#include "graph/control_ops.h"
#include "transform/simplify/cannot_fail.h"

namespace tagflow {
namespace {

// Whether it asks no predicate that may not be a scalar ([switch.2]). What a LoopCond passes on is
// one; the LoopCond itself looks at it first, and decides whether its loop ends at all.
bool AsksSafely(const CallView& view, const Node& node) {
  if (IsLoopCond(node)) return false;
  if (!view.Has(node.id, kSwitch)) return true;
  const OutputRef predicate = node.inputs[1];
  if (const Tensor* value = view.ConstantOf(predicate)) return value->dims().empty();
  return !view.IsFed(predicate) && IsLoopCond(view.graph().node(predicate.node));
}

}  // namespace

bool TouchesState(const CallView& view, const Node& node) {
  if (view.fed().IsFedPlaceholder(node)) return false;
  if (view.TakesReference(node) || view.Has(node.id, kReference)) return true;
  if (view.Has(node.id, kForwards | kConst | kPure)) return false;
  return ControlOpOf(node.op) == ControlOp::kNone && node.op != "NoOp";
}

bool MayBeDropped(const CallView& view, const Node& node) {
  if (TouchesState(view, node) || !AsksSafely(view, node)) return false;
  return !view.Has(node.id, kPure) || CannotFail(view, node);
}

}  // namespace tagflow
