#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_REMOVE_IDENTITIES_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_REMOVE_IDENTITIES_H_

// Leads edges past nodes that hand on their input: Identity, StopGradient, PreventGradient, and a
// Merge of one input. The nodes that nobody then needs are left to pruning; those that are fed,
// fetched or targets stay, with their names.
//
// Where an edge is not moved, because it would mean something else:
//   - The node has control inputs: they say when it fires, and whether it is dead.
//   - Its input is a reference, which it reads when it fires ([ref.2]).
//   - A control edge whose other end would be a Switch: that is live towards both branches, and an
//     Identity behind it, the pivot, towards one ([control.1]). So too with any other control
//     primitive, and with a fed output, whose node the call may not even run.
//   - A data edge into a Merge whose other end would be an Enter or a NextIteration: in which
//     iterations a Merge has an input depends on that ([merge.1]).
//
// Cost: linear. Tested by remove_identities_test.cc.

#include <cstdint>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow {

// Returns how many edges were moved.
int64_t RemoveIdentities(Graph& graph, const CallSpec& call);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_REMOVE_IDENTITIES_H_
