#ifndef TAGFLOW_FUZZ_GRAPHS_RACE_GADGETS_H_
#define TAGFLOW_FUZZ_GRAPHS_RACE_GADGETS_H_

// Small pieces of a graph in which two nodes use one variable, and one rule decides whether they
// race.

#include "fuzz/graphs/gadgets.h"

namespace tagflow::fuzz {

// One of them hangs on an end of a branch, or both on places in and behind a loop ([order.1]).
//   handle: of a variable with a value, in the frame, which nothing else uses
void AddRace(Choices& choices, GraphMaker& maker, const GadgetSite& site, const Value& handle);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_RACE_GADGETS_H_
