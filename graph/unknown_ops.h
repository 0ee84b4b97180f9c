#ifndef TAGFLOW_GRAPH_UNKNOWN_OPS_H_
#define TAGFLOW_GRAPH_UNKNOWN_OPS_H_

// Ops that nobody defined, in a graph that is to be run or changed. Such a node harms only where it
// is live ([graph.1]), so whoever takes a graph puts a *stand-in* in its place: a node of an op
// that is stateful and has no kernel, with as many inputs as the node has, and the outputs that
// others take of it, of the types that they take them for. To all that follows it is a node like
// any other.
//
// Tested by unknown_ops_test.cc.

#include <string>
#include <string_view>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/validate.h"

namespace tagflow {

bool IsStandIn(const Node& node);

// Puts stand-ins in the place of all nodes of unknown ops, but for one of which an absurd number of
// outputs is taken: that stays what it is.
void StandInForUnknownOps(Graph& graph);
// Makes stand-ins the nodes again that they stand for.
void RestoreUnknownOps(Graph& graph);

// What the graph that came calls the node's op.
std::string OpNameOf(const Node& node);
// Whether it is an output of a stand-in, and nothing that takes it says what type it has: then
// anything may be fed for it.
bool IsOfAnyType(const Graph& graph, OutputRef output);

// Of a node whose op is known, and which cannot run all the same: CannotRun gives the reason.
void NoteCannotRun(Graph& graph, NodeId id, const Status& why);
// Whether no kernel will be found for it, on whatever device: of a stand-in, and where it is noted.
bool RunsNowhere(const Node& node);
// Whether it is noted of a functional node; its op may have a kernel all the same. Quick for
// others.
bool IsRefused(const Node& node);

// That the node cannot run: what was noted; else UNIMPLEMENTED, since its op is not defined or has
// no kernel.
//   engine: "CPU", "reference": whose kernel is missing
Status CannotRun(const Node& node, std::string_view engine);

// Of the nodes that cannot run, those that no Switch can kill are refused before the step, all of
// them named in one error (UNIMPLEMENTED, for the first). The others are for the step: their
// kernels return CannotRun.                                                        Spec: [graph.1]
Status RefuseWhatMustRun(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                         const std::vector<NodeId>& cannot_run, std::string_view engine);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_UNKNOWN_OPS_H_
