#ifndef TAGFLOW_FUZZ_GRAPHS_PLACED_PROPERTY_H_
#define TAGFLOW_FUZZ_GRAPHS_PLACED_PROPERTY_H_

// A graph cut over devices gives what it gives whole.                     Spec: [partition.*]

#include "fuzz/engines/engine.h"
#include "fuzz/graphs/properties.h"

namespace tagflow::fuzz {

// Runs that have one outcome whatever the order give it on a drawn placement, too, and one that
// some firing fails ends with an error. Left out are graphs that the partitioner refuses, as it
// says, and steps that wait on a device for what does not come on one, either, where nobody misses
// it. The engine runs the parts; what must come of them the reference says.
Problem SurvivesCutting(const GraphSample& sample, Choices& choices, const Engine& engine);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_PLACED_PROPERTY_H_
