#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_LISTING_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_LISTING_H_

// A loop as it was compiled, for people: a line for each instruction, with the names of nodes.
//
//      4     while/Less:bool = Less(while/Enter:int32, n:int32)
//      5     unless while/Less:bool to 9
//      6     while/Add:int32 = AddV2(while/Enter:int32, 1)
//      7  *  while/GatherV2 = GatherV2(table, while/Add:int32, 0)
//      8     while/Enter:int32 = while/Add:int32
//            repeat from 4
//
// A name with a dtype is a register, one with a shape a tensor whose elements machine code has; the
// machine runs a line with a star.
//
// Tested by loop_source_test.cc.

#include <string>

#include "graph/call.h"
#include "graph/graph.h"
#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

// The graph and the call that code was made of, whose names a listing has. Feed i is slot i.
struct ListedCall {
  const Graph& graph;
  const CallSpec& call;
};
std::string ListLoop(const ListedCall& listed, const LoopToCompile& loop, const LoopValues& values);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_LISTING_H_
