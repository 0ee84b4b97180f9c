#ifndef TAGFLOW_FUZZ_HARNESS_REPORT_H_
#define TAGFLOW_FUZZ_HARNESS_REPORT_H_

// How a run of the fuzzer is told: to people while it goes, in one line at its end, and as JSON.

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/harness/campaign.h"

namespace tagflow::fuzz {

// "programs 1200, failures 1, programs/s 340.2"
std::string SummaryLine(const Outcome& outcome);

// A failure, in some lines, each ended: what, where, what was saved, how to see it again.
std::string FailureText(const Campaign& campaign, const Failure& failure);

// An object: seed, engine, against, seconds, totals, a record for each property and one for each
// failure. `features`: by property, a JSON object that describes its programs, or "".
std::string ReportJson(const Campaign& campaign, const Outcome& outcome,
                       const std::vector<std::string>& features);

// A JSON string, quotes included. Bytes that are not ASCII are escaped one by one, as Latin-1.
std::string JsonString(std::string_view text);

// "12,340 programs, 411/s, 2 failures, 30 s of 60 s": a line that is rewritten on a terminal, else
// one every few seconds.
class ProgressLine {
 public:
  // Null: silent. `live`: the stream is a terminal.
  ProgressLine(std::FILE* stream, bool live, const Campaign& campaign)
      : stream_(stream), live_(live), campaign_(campaign) {}
  ~ProgressLine() { Wipe(); }
  void Update(const Tally& total);
  // Clears the line, so that something else can be printed.
  void Wipe();

 private:
  using Clock = std::chrono::steady_clock;
  std::string Text(const Tally& total, double seconds) const;

  std::FILE* const stream_;
  const bool live_;
  const Campaign& campaign_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point last_ = Clock::now();
  bool shown_ = false;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_REPORT_H_
