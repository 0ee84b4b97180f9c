#ifndef TAGFLOW_TOOLS_GROWTH_FAMILIES_H_
#define TAGFLOW_TOOLS_GROWTH_FAMILIES_H_

// Families of graphs, each of which grows in one direction: deeper, wider or longer. What the
// stages of the product cost on such a family shows whether they are quadratic, or worse, in that
// direction (growth.cc).

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::growth {

struct Member {
  Graph graph;
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
  std::string of;   // a gradient of this tensor …
  std::string wrt;  // … by this one
};

struct Family {
  std::string_view name;
  std::string_view grows;  // what there is n of, for people
  int least;               // the smallest n that is measured; the others are its doubles
  Result<Member> (*make)(int n);
};

const std::vector<Family>& Families();
const Family* FindFamily(std::string_view name);

}  // namespace tagflow::growth

#endif  // TAGFLOW_TOOLS_GROWTH_FAMILIES_H_
