#include "fuzz/harness/shares.h"

#include <algorithm>

namespace tagflow::fuzz {
namespace {

constexpr double kBatchSeconds = 0.2;
constexpr uint64_t kFirstBatch = 4;      // of a claim, while it is not known how long samples take
constexpr uint64_t kBatchPerWeight = 4;  // so that a claim of little weight runs no share ahead

// How many samples each claim has of the count: as its weight says, rounded so that they add up.
std::vector<uint64_t> QuotasOf(const Campaign& campaign) {
  uint64_t total = 0;
  for (const Claim& claim : campaign.claims) total += static_cast<uint64_t>(claim.weight);
  std::vector<uint64_t> quotas;
  uint64_t weights = 0, given = 0;
  for (const Claim& claim : campaign.claims) {
    weights += static_cast<uint64_t>(claim.weight);
    const uint64_t until = (2 * *campaign.count * weights + total) / (2 * total);
    quotas.push_back(until - given);
    given = until;
  }
  return quotas;
}

}  // namespace

Shares::Shares(const Campaign& campaign)
    : campaign_(campaign), next_(campaign.claims.size(), campaign.first) {
  if (campaign.count.has_value()) quotas_ = QuotasOf(campaign);
}

std::optional<Batch> Shares::Next(const std::vector<Tally>& tallies, size_t workers) {
  const std::optional<size_t> claim = NextClaim();
  if (!claim.has_value()) return std::nullopt;
  Batch batch;
  batch.set_property(static_cast<int>(*claim));
  batch.set_first(next_[*claim]);
  batch.set_count(std::min(Left(*claim), BatchSize(*claim, tallies[*claim], workers)));
  next_[*claim] += batch.count();
  return batch;
}

// Of those with samples left, the one that was given the least for its weight.
std::optional<size_t> Shares::NextClaim() const {
  std::optional<size_t> next;
  for (size_t claim = 0; claim < next_.size(); ++claim) {
    if (Left(claim) > 0 && (!next.has_value() || Given(claim) < Given(*next))) next = claim;
  }
  return next;
}

double Shares::Given(size_t claim) const {
  const uint64_t samples = next_[claim] - campaign_.first + 1;
  return static_cast<double>(samples) / campaign_.claims[claim].weight;
}

uint64_t Shares::Left(size_t claim) const {
  if (quotas_.empty()) return ~uint64_t{0};
  return campaign_.first + quotas_[claim] - next_[claim];
}

// As many as take a fifth of a second, by what is known; near the end of a count, fewer, so that
// all workers end together.
uint64_t Shares::BatchSize(size_t claim, const Tally& tally, size_t workers) const {
  if (tally.programs == 0) return kFirstBatch;
  const double each_s = std::max(tally.busy_s / static_cast<double>(tally.programs), 1e-6);
  auto size = static_cast<uint64_t>(std::clamp(kBatchSeconds / each_s, 1.0, 1e6));
  if (campaign_.count.has_value()) size = std::min(size, Left(claim) / workers + 1);
  const auto weight = static_cast<uint64_t>(campaign_.claims[claim].weight);
  return std::clamp<uint64_t>(size, 1, kBatchPerWeight * weight);
}

}  // namespace tagflow::fuzz
