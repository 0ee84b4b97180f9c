#ifndef TAGFLOW_TRANSFORM_PARTITION_PARTITION_H_
#define TAGFLOW_TRANSFORM_PARTITION_PARTITION_H_

// One graph and a device for each node; out come as many graphs as there are devices, joined by
// _Send and _Recv, which together do what the one did.                         Spec: [partition.*]
//
// A tensor that a consumer on another device takes crosses once per destination, dead or live, so a
// branch needs nothing more: the dead token of the branch not taken crosses like a value. A loop
// needs more, because a device's frame begins an iteration only when a NextIteration there is live,
// and a Recv fires only in an iteration that exists. So every device that holds a node of a frame
// runs a loop of its own there, driven by the frame's one predicate; its Merge starts the Recvs of
// the iteration:
//
//     leader                                another participant
//
//     LoopCond --> Send . . . . . . . . . . . . . . . . . . . . . +
//                                                                 .
//                    start (of the frame outside, or the root)    .
//                      |                                          .
//                    Enter                                        .
//                      |        control                           v
//               +--> Merge -----------------> Recv (predicate), Recv (values) ...
//               |      |                        |
//               |    Switch <-------------------+
//               |      | true
//               +-- NextIteration
//
// Leader: the device of the LoopCond, whose loop takes the predicate without a message. A frame
// inside another is started by the Merge of the outer loop on the same device, so there is one
// instance of it per iteration of the outer frame, as where the real Enters are. A device without a
// node of the inner frame has no loop for it.
//
// Invariants, for a frame instance in which the LoopCond is true N times:
//   1. The Merges of control loops are live in iterations 0 ... N, on every participant, also where
//      the real loop is dead: the predicate of iteration 0 is dead then, which ends the loop.
//   2. No device begins iteration N+1: every NextIteration of the frame is dead when the LoopCond
//      is false or dead (loop_ends.h refuses other frames).
//   3. A node of the frame fires on its device under the tags under which it fires in the whole
//      graph, with the same tokens. (By induction over the order of firing: its inputs come from
//      its own device, or from a Recv that its iteration's Merge started and whose Send is a
//      consumer of the same token.)
//   4. So each (tensor, destination) of the frame costs N+1 messages, and each participant but the
//      leader N+1 predicates. A dead loop has N = 0.
//
// What would break 3 is a token that is not there in every iteration. There are two kinds, and
// neither crosses inside a frame: an Enter and a NextIteration run on each device that has a
// consumer of theirs, and their input crosses instead, where it is there once per instance of its
// own frame. A value that enters a loop, constant or not, so crosses once per frame and not once
// per iteration.
//
// A device on which nothing of a frame is received (all its nodes there take constants) has its
// loop too: TensorFlow, which makes loops where values arrive, leaves such a device in iteration 0
// and hangs. Nodes whose inputs are all constant Enters wait for the Merge, so that the loop is
// there wherever pruning is done afterwards.
//
// Cost: linear in the nodes and edges of what the call needs, times devices. Thread safety: none
// needed, nothing is shared. Tested by partition_test.cc, and on all small graphs by
// //fuzz/partition.
// Source: Yu et al., Dynamic Control Flow in Large-Scale Machine Learning, EuroSys 2018, 4.4.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/validate.h"

namespace tagflow {

struct Placement {
  std::vector<std::string> devices;    // those there are, all different
  std::vector<std::string> device_of;  // by node id, of every node the call needs or feeds
};

// When a Recv begins.
enum class RecvStart : uint8_t {
  kLate,    // as late as the critical path allows (late_recvs.h)
  kAtOnce,  // with its iteration
};

// How long nodes of the whole graph and messages take, in any one unit; those not said: 1.
struct StepTimes {
  std::function<double(NodeId node, int device)> firing;
  std::function<double(OutputRef tensor, int from, int to)> message;
};

// What can be put out of order, for tests that must find it.
enum class PartitionFault {
  kNone,
  kControlCrossesLive,      // a control edge that is dead arrives live                [partition.1]
  kEntersCross,             // what an Enter makes crosses, and not what it takes      [partition.2]
  kLoopsOnlyWhereReceived,  // control loops as TensorFlow has them                    [partition.3]
  kReferencesCross,         // references and handles are not refused                  [partition.4]
  kStateDoesNotWait,        // for the NextIteration that begins an iteration          [partition.5]
};

struct PartitionOptions {
  RecvStart recvs = RecvStart::kAtOnce;
  StepTimes times;  // by which late ones know how late
  // Tensors of float cross as bfloat16: their lower 16 bits are cut off, and zeros on arrival.
  bool compresses_floats = false;
  PartitionFault fault = PartitionFault::kNone;
};

struct DevicePart {
  std::string device;
  // Of the nodes that the call needs on this device, under their own names, and the fed ones; their
  // `device` is set. What is there twice, and what was added, has names that no node of the whole
  // graph has. All Sends must run, whatever of it is fetched.
  Graph graph;
};

// The parts of one call, one per device, in the order of placement.devices; some may be empty.
//   Errors: those of ValidateCall; INVALID_ARGUMENT for
//   - a node without a device, or on one that is not there
//   - a reference or a resource handle that would have to cross           ([partition.4])
//   - a frame on several devices without a LoopCond, or with a NextIteration that can be live
//     when the LoopCond is not true                                       ([partition.3])
//   each naming nodes, frame and what to do.
Result<std::vector<DevicePart>> PartitionCall(const Graph& graph, const CallSpec& call,
                                              const Placement& placement,
                                              const PartitionOptions& options = {});
// The same of a call that has been validated.
Result<std::vector<DevicePart>> PartitionCall(const Graph& graph, const CallSpec& call,
                                              const ValidatedCall& valid,
                                              const Placement& placement,
                                              const PartitionOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PARTITION_PARTITION_H_
