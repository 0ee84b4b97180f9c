#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_EMITTER_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_EMITTER_H_

// From scheduled items to instructions.
//
// Tested by straight_executable_test.cc.

#include <vector>

#include "graph/feed_set.h"
#include "optimized/executable.h"
#include "optimized/straight/code.h"
#include "optimized/straight/schedule.h"
#include "optimized/straight/values.h"
#include "transform/deadness/structure.h"

namespace tagflow::optimized {

// REQUIRES: `values` has bound the nodes of the structure.
Code EmitCode(const ExecutableSpec& spec, const FeedSet& fed, Structure& structure,
              const std::vector<std::vector<Item>>& schedule, Values& values);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_EMITTER_H_
