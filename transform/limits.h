#ifndef TAGFLOW_TRANSFORM_LIMITS_H_
#define TAGFLOW_TRANSFORM_LIMITS_H_

// The fixed limits of the transformations. What goes beyond one is either refused by an error that
// tells the number, or done in another way, which is said here.

#include <cstddef>
#include <cstdint>

namespace tagflow {

// Nested branches that a node may be in where branches are made jumps or are simplified: more of
// them cost more than tokens do, which such a graph is left to. Gradients have no such limit.
// Told by Structure::irregular. Test: structure_test.cc.
inline constexpr int32_t kMostNestedBranches = 64;

// Loops and conds within each other that recovery makes functions of; what is deeper stays as
// primitives, with this as the reason. Calls may be within each other 100 times ([functional.
// recursion]), and some of them are for whoever calls the graph. Test: recover_functions_test.cc.
inline constexpr int32_t kMostNestedRegions = 64;

// Nodes of functions that call themselves, of all calls of a graph together, that lowering puts in
// their places; and nodes of all functions. What goes beyond has an error in its place
// ([functional.recursion]). Test: lower_test.cc.
inline constexpr int64_t kMostRecursiveNodes = 100'000;
inline constexpr int64_t kMostLoweredNodes = 2'000'000;

// Saved states of a loop that is rematerialized with a number of them: the first sweep has a table
// of those that it saves. More are an error. Test: fuzz/gradient/rematerialize_test.cc.
inline constexpr int64_t kMostSavedStates = 1'000'000;

// Bytes of a constant that is compared with others, to be one node with its equal: larger ones
// would take longer than they are worth, and stay apart. Test: merge_equal_nodes_test.cc.
inline constexpr size_t kMostBytesCompared = 64 << 10;

// Nodes that are looked at, of those that run before the consumers of one Recv, for the one after
// which the Recv is to begin. Beyond them the latest of those found is taken, or the Recv begins
// with the step. Test: late_recvs_test.cc.
inline constexpr int kMostNodesBeforeRecv = 2000;

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_LIMITS_H_
