#ifndef TAGFLOW_GRAPH_NAMES_FUNCTIONS_H_
#define TAGFLOW_GRAPH_NAMES_FUNCTIONS_H_

#include <algorithm>

#include "graph/op_def.h"

namespace tagflow {

// Whether a node of this op names functions of the graph's library in its attrs: If, While, …
inline bool NamesFunctions(const OpDef& op) {
  return std::ranges::any_of(op.attrs, [](const AttrDef& attr) {
    return attr.kind == AttrKind::kFunction || attr.kind == AttrKind::kListFunction;
  });
}

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_NAMES_FUNCTIONS_H_
