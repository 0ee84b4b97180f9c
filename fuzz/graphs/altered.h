#ifndef TAGFLOW_FUZZ_GRAPHS_ALTERED_H_
#define TAGFLOW_FUZZ_GRAPHS_ALTERED_H_

// Graphs between the two kinds: what the builder makes of a program, with many ops, types and
// shapes, altered in a few places as no builder would. An edge comes from elsewhere, an op is
// another of its kind, a constant has another shape, a Switch goes by number, a branch has one more
// way in. Kernels may then fail, fetches be dead, loops go on for ever; what must come of it the
// reference says.

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// Each alteration leaves a graph that the validator accepts, whole. Variables are
// those that recipes (recipe.h) put in.
GraphSample MakeAltered(Choices& choices);
// The same, without variables by which a run tells what those before it did.
GraphSample MakeAlteredForgetful(Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_ALTERED_H_
