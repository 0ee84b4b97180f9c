#ifndef TAGFLOW_FUZZ_HARNESS_CAMPAIGN_H_
#define TAGFLOW_FUZZ_HARNESS_CAMPAIGN_H_

// A run of the fuzzer: what it is to do, and what came of it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/profile.h"
#include "fuzz/harness/messages.pb.h"
#include "fuzz/harness/property.h"
#include "fuzz/harness/sample.h"
#include "fuzz/harness/worker_engines.h"

namespace tagflow::fuzz {

// A property and the programs it is held to.
struct Claim {
  Property property;
  Profile profile;
  int weight = 1000;  // its share of the samples, beside the weights of the others
};

struct Campaign {
  std::vector<Claim> claims;
  EngineChoice engines;
  uint64_t seed = 1;
  uint64_t first = 0;             // index of the first sample
  std::optional<uint64_t> count;  // samples of all claims; else as many as the time allows
  std::optional<double> seconds;
  uint64_t stop_at = 0;  // end after so many failures; 0: never
  int jobs = 1;          // processes
  // How failures are treated.
  double shrink_s = 10;       // per failure
  uint64_t examine_max = 10;  // shrunk and saved, of each property; all others are counted
  std::string save = "tagflow_fuzz";
};

inline SampleName NameOf(const Campaign& campaign, const Failure& failure) {
  return {campaign.seed, failure.index(),
          campaign.claims[static_cast<size_t>(failure.property())].profile};
}

// Of one property.
struct Tally {
  uint64_t programs = 0;
  uint64_t failures = 0;
  uint64_t unsupported = 0;
  uint64_t firings = 0;  // of the reference
  double busy_s = 0;     // of all workers together, without shrinking
  void Add(const Tally& other) {
    programs += other.programs;
    failures += other.failures;
    unsupported += other.unsupported;
    firings += other.firings;
    busy_s += other.busy_s;
  }
};

struct Outcome {
  std::vector<Tally> tallies;     // by claim
  std::vector<Failure> failures;  // in the order of (property, index)
  double seconds = 0;             // wall clock, without what came after the last sample
  bool interrupted = false;
  Tally Total() const {
    Tally total;
    for (const Tally& tally : tallies) total.Add(tally);
    return total;
  }
};

struct Listener {
  std::function<void(const Failure&)> on_failure;             // examined; may be null
  std::function<void(const Tally&, double seconds)> on_time;  // now and then; may be null
  std::function<bool()> interrupted;                          // may be null
};

// Runs the campaign in `jobs` processes forked from this one, which must have one thread.
//   Errors: an engine cannot be started; the system gives no processes.
Result<Outcome> RunCampaign(const Campaign& campaign, const Listener& listener);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_CAMPAIGN_H_
