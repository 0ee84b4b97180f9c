#ifndef TAGFLOW_OPTIMIZED_MEASURED_EXECUTABLE_H_
#define TAGFLOW_OPTIMIZED_MEASURED_EXECUTABLE_H_

// A call that either executor could run quicker: straight code, whose kernels are helped by the
// session's threads one after the other, or tokens, where threads run kernels of their own. Which
// it is depends on shapes that only steps show. So its first runs take turns, and then it stays
// with the one whose best time was the better. Results are the same.
//
// Thread safety: as any executable.
// Tested by measured_executable_test.cc.

#include <functional>
#include <memory>

#include "optimized/executable.h"

namespace tagflow::optimized {

// straight: runs the call; tokens: makes what else does, asked for once, in the second run
std::unique_ptr<Executable> MeasureExecutables(
    std::unique_ptr<Executable> straight,
    std::function<Result<std::unique_ptr<Executable>>()> tokens);

// How many runs take turns.
inline constexpr int kMeasuredRuns = 8;

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_MEASURED_EXECUTABLE_H_
