#ifndef TAGFLOW_FUZZ_PROPERTIES_WITH_GRADIENTS_H_
#define TAGFLOW_FUZZ_PROPERTIES_WITH_GRADIENTS_H_

// Programs whose graphs also give gradients of what they give, for properties that compare two runs
// of a graph, whatever it computes.
//
// Tested by properties_test.cc.

#include "fuzz/engines/program_run.h"
#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {

// Adds fetches: the gradients of the program's real results by its real inputs. Gives the program
// back as it is where an op on the way has no gradient.
Result<Lowered> WithGradients(Lowered lowered);

// Runs with room for more firings than the program itself takes, since gradients take their own.
Result<AllFetched> RunWithGradients(ProgramRun& run);

// Says where `actual` differs from `expected`.
//   num_own: how many of the fetches are the program's own; those behind are gradients
Violation DifferenceWithGradients(const Program& program, const Lowered& lowered, size_t num_own,
                                  const AllFetched& expected, const AllFetched& actual);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_WITH_GRADIENTS_H_
