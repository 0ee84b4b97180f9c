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

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_LIMITS_H_
