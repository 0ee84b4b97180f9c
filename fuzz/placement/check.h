#ifndef TAGFLOW_FUZZ_PLACEMENT_CHECK_H_
#define TAGFLOW_FUZZ_PLACEMENT_CHECK_H_

// What holds of every placement:
//   1. Each node is on a device of the catalog, which can run it where a call needs it, and there
//      are words for why.
//   2. Nodes that must be together are.
//   3. A node that is needed is on a device that it asks for; softly, or its words begin with why
//   not.
//   4. PartitionCall takes it, for every call.
//   5. What was returned is estimated, apart from the report, at what the report says, and no
//      candidate that fits the memory of the devices as well at less. All on one device, where
//      nothing speaks against it, is a candidate.
//   6. A second time gives the same.
//
// Tested by check_test.cc.

#include <optional>
#include <string>

#include "fuzz/placement/question.h"

namespace tagflow::fuzz {

// What does not hold of a placement; nothing: all does.
std::optional<std::string> CheckPlacement(const PlacementQuestion& question,
                                          const PlacementReport& report);

// What is wrong with an error that Place gave: it is one although everything was asked softly, or
// for nothing; or it names no node.
std::optional<std::string> CheckRefusal(const PlacementQuestion& question, const Status& status);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PLACEMENT_CHECK_H_
