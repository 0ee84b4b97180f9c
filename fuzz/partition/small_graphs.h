#ifndef TAGFLOW_FUZZ_PARTITION_SMALL_GRAPHS_H_
#define TAGFLOW_FUZZ_PARTITION_SMALL_GRAPHS_H_

// All small graphs of conds and loops, for proofs by exhaustion.
//
// A body is a sequence of ops over int32. Its values are x (which the body changes), c (a constant
// of the loop) and the outputs of its ops:
//   Neg(a)         AddV2(a, b)       Identity(a, ^b)
//   Switch(a, q)   of an a that no Switch led here      q: whether this is the first iteration
//   Merge(a, b)    of an a that is live when q is false and a b that is live when it is true
// Inputs of one op are different and live together; every op leads to the last one, which is live
// whenever x is. Bodies that differ in the order of ops alone, or of what is added, come once.
//
// A body stands in one of four surroundings. Each can be left out as a whole by `alive`, a fed
// predicate outside, and then everything in it is dead, but for what comes from c alone:
//   kCond      the root; q is fed
//   kLoop      while (i++ < n) x = body(x)
//   kWaiting   the same, where the Merge of x waits for Identity(c)
//   kNested    while (i++ < n) { j = 0; while (j++ < i + m) x = body(x); }
//
// What can be placed is a unit: each op of the body; the Merge, the Switch and the Exit of x; of
// each loop what counts and decides, together; the rest, which is outside, together and on the
// first device.                                      Tested by small_graphs_test.cc.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "reference/session.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

enum class BodyOp { kNeg, kAdd, kWait, kSwitch, kMerge };

struct BodyNode {
  BodyOp op;
  int a = 0;  // values: 0 is x, 1 is c; an op's outputs come after those of the ops before it
  int b = -1;
  friend auto operator<=>(const BodyNode&, const BodyNode&) = default;
};
using Body = std::vector<BodyNode>;

int OutputsOf(const BodyNode& node);

// The same ops in the least of their orders: equal for bodies that make the same graph.
Body InLeastOrder(const Body& body);

// Calls `each` for every body of `size` ops until it returns false. Returns how many there were.
int64_t ForEachBody(int size, const std::function<bool(const Body&)>& each);

enum class Surroundings { kCond, kLoop, kWaiting, kNested };

struct SmallGraph {
  struct Call {
    reference::NamedTensors feeds;  // the same names in each
    std::string about;              // "2 trips"
  };
  Graph graph;
  std::vector<std::vector<NodeId>> units;  // of all nodes; the first: what is outside
  size_t first_op_unit = 0;                // of the body; those of its other ops follow
  size_t x_unit = 0;                       // of what makes x for the body
  size_t out_unit = 0;                     // of what takes what the body makes
  std::vector<Call> calls;                 // 0 to 2 trips, alive; and left out
  std::string fetch;
};

SmallGraph BuildSmallGraph(const Body& body, Surroundings surroundings,
                           int64_t parallel_iterations);

// devices: by unit; 0 is "a".
Placement PlaceUnits(const SmallGraph& small, const std::vector<int>& devices);

// One node a line.
std::string TextOf(const SmallGraph& graph);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_SMALL_GRAPHS_H_
