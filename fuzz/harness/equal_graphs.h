#ifndef TAGFLOW_FUZZ_HARNESS_EQUAL_GRAPHS_H_
#define TAGFLOW_FUZZ_HARNESS_EQUAL_GRAPHS_H_

// Equal results on graphs that no tree stands behind: the share of the default property's samples
// that Profile::graphs says. They reach what no program does: dead frames, late control inputs,
// starvation, races, graphs to be refused.

#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

// Lets `equal` be held to graphs too. The reference in this process (or the mutant of it) is held
// to what fuzz/graphs claims of it, against a second executor, other orders, and the error that
// must come; any other engine to the reference, where all orders have one outcome.
void AddGraphs(Property& equal);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_EQUAL_GRAPHS_H_
