#ifndef TAGFLOW_FUZZ_HARNESS_EXAMINE_H_
#define TAGFLOW_FUZZ_HARNESS_EXAMINE_H_

// What is done about one failure: it is seen again, shrunk, explained and saved.

#include "fuzz/harness/campaign.h"

namespace tagflow::fuzz {

// In this process. A failure that is not seen again is saved as it was, with a note.
Failure Examine(const Campaign& campaign, const Examination& examination, Setting& setting);

// For samples that end or hang the process: every try is a process of its own. When the sample
// alone does no harm, the shortest run of samples before it in its batch that is needed is looked
// for, and the replay command runs those too.
Failure ExamineIsolated(const Campaign& campaign, const Examination& examination);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_EXAMINE_H_
