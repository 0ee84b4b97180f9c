#ifndef TAGFLOW_FUZZ_PARTITION_TOGETHER_H_
#define TAGFLOW_FUZZ_PARTITION_TOGETHER_H_

// Which nodes must be on one device, by [partition.4] and what nodes ask for ("loc:@…"); read anew,
// with nothing of transform/placement.
//
// Tested by placements_test.cc.

#include <vector>

#include "graph/graph.h"

namespace tagflow::fuzz {

// By node id: the least id of its group.
//   fed: tensors that are values from outside, whatever would make them
std::vector<NodeId> MustBeTogether(const Graph& graph, const std::vector<OutputRef>& fed);

// Whether the node is wherever something takes it ([partition.2]).
bool IsCopied(const Node& node);

// Whether what the output holds, a reference or a handle, does not cross; where it is fed, it does.
bool StaysOnDevice(const Graph& graph, const std::vector<OutputRef>& fed, OutputRef output);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_TOGETHER_H_
