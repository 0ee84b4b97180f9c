#ifndef TAGFLOW_TRANSFORM_PARTITION_JOIN_H_
#define TAGFLOW_TRANSFORM_PARTITION_JOIN_H_

// The parts of a partitioned call as one graph again, for a process that runs several devices: its
// executor then has all of them in one plan, with one end, one error and one set of threads.
//
// What made the parts parts stays: no edge leads from one device to another, and a frame of one
// device is not that of another, though in the whole graph they are one. So an Enter's frame_name
// gets its device behind it, and `frame_names` says what the frame is called in tags, errors and
// rendezvous keys ([rendezvous.1]): the name in the whole graph.
//
// Cost: linear in the nodes of the parts. Thread safety: none needed. Tested by join_test.cc.

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "transform/partition/partition.h"

namespace tagflow {

struct JoinedCall {
  Graph graph;
  CallSpec call;  // what the whole graph's was; and every _Send is a target
  std::unordered_map<std::string, std::string> frame_names;  // by the name in `graph`
};

// whole, call: what PartitionCall made the parts of.
//   Errors: those of a frame_name that is no string (INVALID_ARGUMENT)
Result<JoinedCall> JoinParts(const Graph& whole, const CallSpec& call,
                             const std::vector<DevicePart>& parts);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PARTITION_JOIN_H_
