#ifndef TAGFLOW_FUZZ_GRAPHS_STATE_GADGETS_H_
#define TAGFLOW_FUZZ_GRAPHS_STATE_GADGETS_H_

// Small pieces of a graph that use a stack, an array or a reference variable, each access after the
// one before it. Now and then one of them must fail: a stack that is full, empty or closed, an
// element written twice or gone, a variable without a value.

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/graph_maker.h"

namespace tagflow::fuzz {

// Where a piece goes, and what it takes from there.
struct GadgetSite {
  int frame;
  Value number;  // an int32 of the frame
  Value truth;   // a bool of the frame
};

// A stack of each iteration ([resource.2]).
void AddStack(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// An array of each iteration, and arrays of its gradients ([resource.2], [resource.3]).
void AddArray(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// At the root: a reference that goes through the Ref forms of the primitives, is written to and
// read, soon or late ([ref.1], [ref.2], [ref.3]).
void AddReference(Choices& choices, GraphMaker& maker, const GadgetSite& site);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_STATE_GADGETS_H_
