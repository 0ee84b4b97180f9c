#ifndef TAGFLOW_GRAPH_NEAR_NAMES_H_
#define TAGFLOW_GRAPH_NEAR_NAMES_H_

// "Did you mean …": names of nodes that look like one that is not there.

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace tagflow {

// At most three names of nodes, the nearest first: the same letters in another case, the same last
// part in another scope, or a few typing slips away.
std::vector<std::string> NearNames(const Graph& graph, std::string_view name);

// NOT_FOUND for a node that is not there, with its near names.
Status NoSuchNode(const Graph& graph, std::string_view name);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_NEAR_NAMES_H_
