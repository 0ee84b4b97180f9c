#ifndef TAGFLOW_FUZZ_HARNESS_EQUAL_GRAPHS_H_
#define TAGFLOW_FUZZ_HARNESS_EQUAL_GRAPHS_H_

// Holds any engine to the properties of fuzz/graphs. Graphs that no tree stands behind reach what
// no program does: dead frames, late control inputs, starvation, races, graphs to be refused.

#include "conformance/case.pb.h"
#include "fuzz/graphs/properties.h"
#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

// Draws a graph and checks it. The reference in this process (or the mutant of it) is held to the
// property's claim, against a second executor, other orders, and the error that must come; any
// other engine to the reference, where all orders have one outcome.
Finding CheckGraph(const GraphProperty& property, Choices& choices, Setting& setting);

// The case that CheckGraph draws from the same choices.
Result<conformance::Case> CaseOfGraph(const GraphProperty& property, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_EQUAL_GRAPHS_H_
