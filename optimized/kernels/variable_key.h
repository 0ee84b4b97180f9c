#ifndef TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_KEY_H_
#define TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_KEY_H_

#include <string>
#include <utility>

#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

// The container, "localhost" unless given, and the name that the node's variable is known by: the
// node's own unless given.                                                     Spec: [resource.1]
inline Result<SessionState::Key> VariableKey(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(std::string container, StringAttr(node, "container"));
  TAGFLOW_ASSIGN_OR_RETURN(std::string name, StringAttr(node, "shared_name"));
  if (container.empty()) container = "localhost";
  if (name.empty()) name = node.name;
  return SessionState::Key(std::move(container), std::move(name));
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_VARIABLE_KEY_H_
