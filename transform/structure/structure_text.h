#ifndef TAGFLOW_TRANSFORM_STRUCTURE_STRUCTURE_TEXT_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_STRUCTURE_TEXT_H_

// A graph as nested pseudo-code, for people to read:
//
//   limit = 10
//   loop f:
//     m = start, next add              a variable: what it is first, and what it is next
//     less = Less(m, limit)
//     while less:
//       if odd:
//         t = Neg(m)
//         join = t                     a Merge
//       else:
//         join = m
//       add = AddV2(join, m)
//   exit = m
//
// Switches, pivots and Enters are not shown, but for their values. What stays as primitives is at
// its place, with the reason; a frame that stays is shown with all that is in it. Functions that
// nodes call follow the graph. "^x": it waits for x.
//
// Cost: that of RecoverTree. Tested by structure_text_test.cc.

#include <string>

#include "graph/graph.h"

namespace tagflow {

// Of everything in the graph. A graph that no call can be made of is a list of its nodes, with the
// reason.
std::string StructureText(const Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_STRUCTURE_TEXT_H_
