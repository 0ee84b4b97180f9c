#ifndef TAGFLOW_TRANSFORM_STRUCTURE_WIRES_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_WIRES_H_

// What goes into the branches and loops of a tree and comes out of them, and whether it may:
//
//   capture   a value that a branch takes from outside: an input of the If
//   export    a value of one branch that is used behind it, by who is live in that branch alone: a
//             result of the If, for which the other branches give a value that nobody reads
//   again     what a loop computes in every iteration, the last one too, and its body or what
//             follows it uses, as gradients do: it is computed there once more
//   wait      a control edge, between what contains its ends in their common block
//
// An If is live where all of its inputs are ([functional.strict]), and a node in it no more where
// it was live before: so it is checked that the inputs are live wherever anything of the region is,
// that whoever hung on a literal of a recovered region is still in it, and that what a function
// returns is live in it. Regions, and frames, where that does not hold are declined; the tree is
// then to be made again.
//
// Cost: linear in edges, times the depth that an edge goes through. Tested by
// structure_text_test.cc.

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "transform/structure/arrange.h"
#include "transform/structure/roles.h"
#include "transform/structure/work.h"

namespace tagflow::recovery {

struct ChoiceWires {
  std::vector<Value> captures;
  std::vector<std::pair<Value, size_t>> exports;  // and the branch that it is made in
};
struct LoopWires {
  std::set<NodeId> again_in_body;
  std::set<NodeId> again_after;
};

struct Wires {
  std::vector<ChoiceWires> choices;
  std::vector<LoopWires> loops;
  // By block: item, and an item that waits for it.
  std::map<BlockId, std::vector<std::pair<TreeItem, TreeItem>>> waits;
  std::vector<int32_t> loop_of_frame;  // the loop's index, or -1
};

// `declined` is set where something was declined, and the wires are of no use then.
Wires FindWires(Recovery& of, const Roles& roles, const Work& work, const Arrangement& arranged,
                bool& declined);

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_WIRES_H_
