#ifndef TAGFLOW_FUZZ_HARNESS_SHARES_H_
#define TAGFLOW_FUZZ_HARNESS_SHARES_H_

// Which samples of a campaign are run next: batches of each claim, so that every claim has the
// share of the samples that its weight says.   Tested by campaign_test.cc.

#include <cstdint>
#include <optional>
#include <vector>

#include "fuzz/harness/campaign.h"

namespace tagflow::fuzz {

class Shares {
 public:
  explicit Shares(const Campaign& campaign);

  // The next batch; nothing where all samples of the count are given out. tallies: by claim, what
  // samples took so far; workers: how many run batches
  std::optional<Batch> Next(const std::vector<Tally>& tallies, size_t workers);

 private:
  std::optional<size_t> NextClaim() const;
  double Given(size_t claim) const;
  uint64_t Left(size_t claim) const;
  uint64_t BatchSize(size_t claim, const Tally& tally, size_t workers) const;

  const Campaign& campaign_;
  std::vector<uint64_t> next_;    // by claim: the index that no batch has had
  std::vector<uint64_t> quotas_;  // by claim, of Campaign::count; empty without one
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_SHARES_H_
