#ifndef TAGFLOW_FUZZ_GRAPHS_GADGETS_H_
#define TAGFLOW_FUZZ_GRAPHS_GADGETS_H_

// Small pieces of a graph in which one rule decides what comes out, and which actions that add one
// node at a time hardly ever put together.

#include <utility>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/graph_maker.h"

namespace tagflow::fuzz {

// Where a gadget goes, and what it takes from there.
struct GadgetSite {
  int frame;
  Value number;  // an int32 of the frame
  Value truth;   // a bool of the frame
};

// A loop with a Merge of what comes from outside and from inside: ordinary and constant Enters,
// late, dead or with a control input, values that die in the last iteration ([merge.1]).
void AddHeaderGadget(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// A Merge with control inputs of which one is late; at the root a variable tells whether it waited
// ([merge.2]).
void AddWaitingMerge(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// What waits for a Switch by a control edge ([control.1]).
void AddSwitchControl(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// A _SwitchN, its index in range or not, and the Merge of its outputs ([switch.1]).
void AddSwitchN(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// A frame that is never begun, since what would enter it waits for an iteration that never comes;
// what is in it is owed to nobody who asks for it ([step.2]).
void AddUnbegunFrame(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// At the root: a node in a branch and a Merge that depends on whether that node is dead ([feed.1]).
// Returns the node's value, which may be fed.
Value AddFedBranch(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// At the root: a placeholder with a default, and what waits for it. Returns its value, which may be
// fed ([feed.2]).
Value AddDefault(Choices& choices, GraphMaker& maker, const GadgetSite& site);

// Values of the root that must be fed, since without the feed they were none of the root, or none
// at all: what belongs to a frame ([feed.2], [feed.3]),
Value AddFedInside(Choices& choices, GraphMaker& maker, const GadgetSite& site);
// and at the root, where a cycle is cut ([feed.1], [feed.4]).
Value AddFedCycle(Choices& choices, GraphMaker& maker, const GadgetSite& site);

// Under which a Send and a Recv meet, but for the tag ([rendezvous.1]).
struct MessageKey {
  std::string name;
  bool is_on_host = false;  // by _HostSend and _HostRecv, which is no part of the key
  int sender = 0;           // numbers of devices
  int receiver = 0;
};

// Makes a Send or a Recv one end of the message of that key.
void SetMessage(Graph& graph, NodeId end, const MessageKey& key);

// A Send of the value and its Recv, which waits for `control`; in that order. The frame does not
// know them yet.
std::pair<NodeId, NodeId> AddMessage(GraphMaker& maker, const Value& value, NodeId control,
                                     const MessageKey& key);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_GADGETS_H_
