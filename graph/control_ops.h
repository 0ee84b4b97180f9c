#ifndef TAGFLOW_GRAPH_CONTROL_OPS_H_
#define TAGFLOW_GRAPH_CONTROL_OPS_H_

// Which control-flow primitive an op is. The Ref forms move references and obey the same rules as
// the plain ones.

#include <cstdint>
#include <string_view>

#include "graph/graph.h"

namespace tagflow {

enum class ControlOp : uint8_t { kNone, kSwitch, kMerge, kEnter, kExit, kNextIteration, kLoopCond };

ControlOp ControlOpOf(std::string_view op);

inline bool IsSwitch(const Node& node) { return ControlOpOf(node.op) == ControlOp::kSwitch; }
inline bool IsMerge(const Node& node) { return ControlOpOf(node.op) == ControlOp::kMerge; }
inline bool IsEnter(const Node& node) { return ControlOpOf(node.op) == ControlOp::kEnter; }
inline bool IsExit(const Node& node) { return ControlOpOf(node.op) == ControlOp::kExit; }
inline bool IsNextIteration(const Node& node) {
  return ControlOpOf(node.op) == ControlOp::kNextIteration;
}
inline bool IsLoopCond(const Node& node) { return ControlOpOf(node.op) == ControlOp::kLoopCond; }

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_CONTROL_OPS_H_
