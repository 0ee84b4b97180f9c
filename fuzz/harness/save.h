#ifndef TAGFLOW_FUZZ_HARNESS_SAVE_H_
#define TAGFLOW_FUZZ_HARNESS_SAVE_H_

// Failures on disk: what people read, what `tagflow fuzz --replay` reads back, and a case that any
// engine can be held to.

#include <string>
#include <string_view>

#include "fuzz/harness/campaign.h"
#include "fuzz/harness/sample.h"

namespace tagflow::fuzz {

// Writes NAME.program (or NAME.choices) and NAME.case into campaign.save, which is made if it is
// not there; NAME is property-seed-index. Sets files, replay and, when something could not be
// written, note.
void Save(const Campaign& campaign, const Sample& sample, Failure& failure);

// The command that runs the sample again as it was generated.
std::string ReplayOfIndex(const Campaign& campaign, const Failure& failure);

// What a saved file says of itself: "# property: equal" and the like.
struct Saved {
  std::string property;
  EngineChoice engines;  // the mutant by name only
  Sample sample;
};
// Reads a file that Save wrote, or a program without a header, or with a part of it.
//   Errors: INVALID_ARGUMENT or DATA_LOSS naming line and column.
Result<Saved> ReadSaved(std::string_view text);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_SAVE_H_
