#ifndef TAGFLOW_GRAPH_TEST_NODE_H_
#define TAGFLOW_GRAPH_TEST_NODE_H_

// For tests: a node of one op, apart from any graph.

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"

namespace tagflow {

// The attrs that say the types and counts of the inputs need not be given.
//   Errors: NOT_FOUND when there is no such op
Result<Node> TestNode(const std::string& name, const std::string& op,
                      const std::vector<DType>& inputs, AttrMap attrs);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_TEST_NODE_H_
