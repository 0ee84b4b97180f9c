#ifndef TAGFLOW_TRANSFORM_STRUCTURE_ARRANGE_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_ARRANGE_H_

// The items of a program in blocks. The items of one place go into one block, each after what it
// waits for. Those below it, in a region, are taken together: all that hang together by edges and
// Merges, once everything that they wait for outside is there, are one choice. Only where items of
// a region wait for each other by way of something outside of it (a cond, a value computed from its
// result, the same cond again) are several choices made, of what can run each time.
//
// So nothing waits for itself in a tree, whatever the graph.
//
// Cost: n log n for each level of nesting. Calls itself as deep as places are, at most
// kMostNestedRegions times 2. Tested by structure_text_test.cc.

#include <vector>

#include "transform/structure/tree.h"
#include "transform/structure/work.h"

namespace tagflow::recovery {

struct Arrangement {
  Tree tree;
  std::vector<BlockId> home;  // by item: the block that has it; a way's is its branch
  // Where an item waits for itself: the items that could not be put anywhere. Then there is no
  // tree.
  std::vector<int32_t> stuck;
};

Arrangement Arrange(Recovery& of, const Work& work);

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_ARRANGE_H_
