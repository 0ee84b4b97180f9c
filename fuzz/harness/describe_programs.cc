#include "fuzz/harness/describe_programs.h"

#include <algorithm>

#include "fuzz/direct/direct.h"
#include "fuzz/features/features.h"
#include "fuzz/features/report.h"
#include "fuzz/harness/child.h"
#include "fuzz/harness/sample.h"
#include "fuzz/program/check.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kProgramsMost = 1000;
constexpr double kSecondsMost = 120;

std::string Describe(const Campaign& campaign, const Claim& claim, uint64_t programs) {
  Report report;
  for (uint64_t i = 0; i < programs; ++i) {
    const SampleName name{campaign.seed, campaign.first + i, claim.profile};
    const Result<Sample> sample = Draw(claim.property, name);
    if (!sample.ok() || !Check(*sample->program).ok()) {
      report.AddInvalid();
      continue;
    }
    Activity activity;
    DirectOptions options;
    options.activity = &activity;
    const bool ran = Evaluate(*sample->program, options).ok();
    report.Add(FeaturesOf(*sample->program, ran ? &activity : nullptr));
  }
  return report.programs() > 0 ? report.Json() : "";
}

}  // namespace

std::vector<std::string> DescribePrograms(const Campaign& campaign, const Outcome& outcome) {
  std::vector<std::string> features;
  for (size_t i = 0; i < campaign.claims.size(); ++i) {
    const Claim& claim = campaign.claims[i];
    const uint64_t programs = std::min(outcome.tallies[i].programs, kProgramsMost);
    features.emplace_back();
    if (!claim.property.is_of_programs() || programs == 0) continue;
    const Result<std::string> json =
        CallInChild([&] { return Describe(campaign, claim, programs); }, kSecondsMost);
    if (json.ok()) features.back() = *json;
  }
  return features;
}

}  // namespace tagflow::fuzz
