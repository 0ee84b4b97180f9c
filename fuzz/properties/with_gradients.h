#ifndef TAGFLOW_FUZZ_PROPERTIES_WITH_GRADIENTS_H_
#define TAGFLOW_FUZZ_PROPERTIES_WITH_GRADIENTS_H_

// Programs whose graphs also give gradients of what they give, for properties that compare two runs
// of a graph, whatever it computes.
//
// Tested by properties_test.cc.

#include "fuzz/engines/program_run.h"
#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {

// Fetches the gradients of its real results by its real inputs, too; the same program where there
// are none to be had.
Result<Lowered> WithGradients(Lowered lowered);

// Gradients take more firings than the program is known to.
Result<AllFetched> RunWithGradients(ProgramRun& run);

// In what the second differs from the first.
//   num_own: how many of its fetches are the program's own; gradients come behind
Violation DifferenceWithGradients(const Program& program, const Lowered& lowered, size_t num_own,
                                  const AllFetched& expected, const AllFetched& actual);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_WITH_GRADIENTS_H_
