#ifndef TAGFLOW_TRANSFORM_PARTITION_LATE_RECVS_H_
#define TAGFLOW_TRANSFORM_PARTITION_LATE_RECVS_H_

// Recvs that begin as late as the critical path allows, so that what they bring does not take the
// memory of their device long before it is needed. A Recv is held back by a control edge from a
// node of its device:
//
//     A --> X --> C            R waits for A: while X runs, the tensor comes
//     |           ^
//     +==> R -----+
//
// Which A: no Recv, and one from which an edge, or a chain of them through nodes of the device and
// frame, leads to every consumer of the Recv; none of them into a Merge or a ControlTrigger, out of
// a Recv, or of a fed tensor. So a consumer waits for A as it is, and
//
//   1. it fires, and is dead, when it was before: where A does not fire, it does not; where A is
//      dead, it is. (The Recv is dead then too, and still meets its Send, [rendezvous.2].)
//   2. nobody but Recvs waits for anything that they did not wait for before, so no step can hang
//      that would not have hung: in a circle of waiting, the way from A over the Recv to a consumer
//      can be replaced by the chain. This holds across devices, frames and iterations. (Two Recvs
//      of one consumer could wait for each other: so A is none.)
//
// A Recv that a Merge takes, or a node that takes nothing else, begins with its iteration.
//
// How late: the nodes between A and each consumer take at least as long as the message (ALAP: what
// is needed when the consumer would begin, less the message). Of those, A is the one that ends
// last. Messages to a device come one after the other, and so a late one may meet others on its
// way; so the parts are simulated, with and without, a loop's body run once. Where the whole takes
// longer, twice as much time is left for messages, at most eight times; and then Recvs begin at
// once.
//
// Cost: linear in the nodes and edges of the parts, times log; and for each Recv that of looking at
// no more than so many nodes before its consumers. Thread safety: none needed.
// Tested by late_recvs_test.cc, and on all small graphs by //fuzz/partition:late_recvs_test.
// Source: Abadi et al., TensorFlow: Large-Scale Machine Learning on Heterogeneous Distributed
// Systems, 2015, 5.2.

#include <vector>

#include "transform/partition/partition.h"
#include "transform/partition/parts.h"

namespace tagflow {

struct PartAbout {
  std::vector<NodeId> whole;   // by node id: the node of the whole graph; kNone: it was added
  std::vector<OutputRef> fed;  // sorted
  const Parts::Received* received = nullptr;
};

// about: by device, as the parts.
void DelayRecvs(std::vector<DevicePart>& parts, const std::vector<PartAbout>& about,
                const PartitionOptions& options);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PARTITION_LATE_RECVS_H_
