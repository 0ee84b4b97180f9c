#include "graph/control_ops.h"

namespace tagflow {

ControlOp ControlOpOf(std::string_view op) {
  if (op == "LoopCond") return ControlOp::kLoopCond;
  if (op.starts_with("Ref")) op.remove_prefix(3);
  if (op == "Switch") return ControlOp::kSwitch;
  if (op == "Merge") return ControlOp::kMerge;
  if (op == "Enter") return ControlOp::kEnter;
  if (op == "Exit") return ControlOp::kExit;
  if (op == "NextIteration") return ControlOp::kNextIteration;
  return ControlOp::kNone;
}

}  // namespace tagflow
