#ifndef TAGFLOW_FUZZ_HARNESS_DESCRIBE_PROGRAMS_H_
#define TAGFLOW_FUZZ_HARNESS_DESCRIBE_PROGRAMS_H_

// What the programs of a run were like, for its report.

#include <string>
#include <vector>

#include "fuzz/harness/campaign.h"

namespace tagflow::fuzz {

// By claim, a JSON object with the features (fuzz/features) of the first thousand programs it was
// held to; "" for a property that is not about programs. They are made again, in a process of its
// own.
std::vector<std::string> DescribePrograms(const Campaign& campaign, const Outcome& outcome);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_DESCRIBE_PROGRAMS_H_
