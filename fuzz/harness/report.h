#ifndef TAGFLOW_FUZZ_HARNESS_REPORT_H_
#define TAGFLOW_FUZZ_HARNESS_REPORT_H_

// How a run of the fuzzer is told: to people while it goes, in one line at its end, and as JSON.

#include <string>
#include <vector>

#include "fuzz/harness/campaign.h"

namespace tagflow::fuzz {

// "programs 1200, failures 1, programs/s 340.2", the last line; before it, where there are any, how
// many programs held only because the engine cannot run them.
std::string SummaryText(const Outcome& outcome);

// A failure, in some lines, each ended: what, where, what was saved, how to see it again.
std::string FailureText(const Campaign& campaign, const Failure& failure);

// An object: seed, engine, against, seconds, totals, a record for each property and one for each
// failure. `features`: by property, a JSON object that describes its programs, or "".
std::string ReportJson(const Campaign& campaign, const Outcome& outcome,
                       const std::vector<std::string>& features);

// "12,340 programs, 411/s, 2 failures, 30 s of 60 s".
std::string ProgressText(const Campaign& campaign, const Tally& total, double seconds);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_REPORT_H_
