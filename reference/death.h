#ifndef TAGFLOW_REFERENCE_DEATH_H_
#define TAGFLOW_REFERENCE_DEATH_H_

// Why a token is dead, and how that is told.                                     Spec: [fetch.1]
//
// A death leads back to what made its instance dead, up to a Switch that sent its value the other
// way, a Recv that another partition sent a dead token, or another instance that left an output
// empty. What has several dead inputs is explained by the first of them, data inputs before control
// inputs; so the explanation does not depend on the order of firings. A Merge is dead because all
// its inputs are.
//
// Deaths are shared: a chain takes memory once, however many tokens and frames it passed.
// Thread safety: none.   Tested by death_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/tag.h"

namespace tagflow::reference {

// The tag of an iteration, as a step further than that of the iteration its frame is in; null
// stands for the root's. As a text it would be as long as the frames are deep, for each iteration.
struct TagLink {
  std::shared_ptr<const TagLink> parent;
  const std::string* frame_name;
  int64_t iteration;
};
using TagPtr = std::shared_ptr<const TagLink>;
Tag ToTag(const TagPtr& tag);

struct Death;
using DeathPtr = std::shared_ptr<Death>;

struct Death {
  ~Death();

  const Node* node = nullptr;
  TagPtr tag;
  std::string reason;  // of the chain's end: "predicate false"; empty elsewhere
  int way = -1;        // of a Switch: the output that its value took
  // Of a Merge every dead input with its slot, else at most one; empty at the chain's end.
  std::vector<std::pair<int, DeathPtr>> because;
  DeathPtr next_to_go;  // while a chain is destroyed
};

// Where the chain of first causes ends.
const Death& OriginOf(const Death& death);

// ": Switch 's' at tag f[0] sent its value the other way (predicate false); path: s -> a -> b";
// or, where a Merge on the way is dead for several reasons, each of them. What to fetch instead, if
// some Merge joins the branches.
std::string Explain(const Graph& graph, OutputRef fetch, const Death& death);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_DEATH_H_
