#include "fuzz/harness/report.h"

#include <cmath>
#include <cstdio>

#include "conformance/command/json.h"

namespace tagflow::fuzz {
namespace {

double Rate(double what, double seconds) { return seconds > 0 ? what / seconds : 0; }

std::string Decimal(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, std::isfinite(value) ? value : 0.0);
  return text;
}

void AddTally(const Tally& tally, double seconds, JsonObject& object) {
  object.Count("programs", tally.programs)
      .Count("failures", tally.failures)
      .Count("unsupported", tally.unsupported)
      .Raw("programs_per_s", Decimal(Rate(static_cast<double>(tally.programs), seconds), 3))
      .Count("firings", tally.firings)
      .Raw("firings_per_s", Decimal(Rate(static_cast<double>(tally.firings), seconds), 3))
      .Raw("busy_s", Decimal(tally.busy_s, 3))
      .Raw("programs_per_busy_s",
           Decimal(Rate(static_cast<double>(tally.programs), tally.busy_s), 3));
}

std::string FailureJson(const Campaign& campaign, const Failure& failure) {
  std::vector<std::string> files;
  for (const std::string& file : failure.files()) files.push_back(JsonString(file));
  JsonObject object;
  object.Text("property", campaign.claims[static_cast<size_t>(failure.property())].property.name)
      .Count("index", failure.index())
      .Text("kind", KindName(static_cast<Finding::Kind>(failure.kind())))
      .Text("why", failure.why())
      .Text("replay", failure.replay())
      .Raw("files", JsonArray(files));
  if (failure.size_before() > 0) {
    object.Count("size_before", static_cast<uint64_t>(failure.size_before()))
        .Count("size_after", static_cast<uint64_t>(failure.size_after()))
        .Raw("shrink_s", Decimal(failure.shrink_s(), 3));
  }
  if (!failure.tokens().empty()) object.Text("tokens", failure.tokens());
  if (!failure.note().empty()) object.Text("note", failure.note());
  return object.End();
}

}  // namespace

std::string SummaryText(const Outcome& outcome) {
  const Tally total = outcome.Total();
  std::string text;
  if (total.unsupported > 0) {
    text = "unsupported " + std::to_string(total.unsupported) +
           ": the engine has not what these programs or the property ask for\n";
  }
  return text + "programs " + std::to_string(total.programs) + ", failures " +
         std::to_string(total.failures) + ", programs/s " +
         Decimal(Rate(static_cast<double>(total.programs), outcome.seconds), 1) + "\n";
}

std::string FailureText(const Campaign& campaign, const Failure& failure) {
  const Claim& claim = campaign.claims[static_cast<size_t>(failure.property())];
  std::string text = claim.property.name + " " +
                     KindName(static_cast<Finding::Kind>(failure.kind())) + ", program " +
                     std::to_string(failure.index()) + " of seed " + std::to_string(campaign.seed) +
                     ": " + failure.why() + "\n";
  if (failure.size_after() < failure.size_before()) {
    text += "  shrunk from " + std::to_string(failure.size_before()) + " to " +
            std::to_string(failure.size_after()) +
            (claim.property.is_of_programs() ? " tree nodes" : " choices") + " in " +
            Decimal(failure.shrink_s(), 1) + " s\n";
  }
  if (!failure.note().empty()) text += "  note: " + failure.note() + "\n";
  for (const std::string& file : failure.files()) text += "  saved " + file + "\n";
  text += "  replay: " + failure.replay() + "\n";
  return text + failure.tokens();
}

std::string ReportJson(const Campaign& campaign, const Outcome& outcome,
                       const std::vector<std::string>& features) {
  std::vector<std::string> properties;
  for (size_t i = 0; i < campaign.claims.size(); ++i) {
    const Claim& claim = campaign.claims[i];
    JsonObject object;
    object.Text("name", claim.property.name).Text("profile", claim.profile.name);
    AddTally(outcome.tallies[i], outcome.seconds, object);
    if (i < features.size() && !features[i].empty()) object.Raw("features", features[i]);
    properties.push_back(object.End());
  }
  std::vector<std::string> failures;
  for (const Failure& failure : outcome.failures) {
    failures.push_back(FailureJson(campaign, failure));
  }
  JsonObject object;
  object.Text("engine", campaign.engines.engine).Text("against", campaign.engines.against);
  if (!campaign.engines.mutant.empty()) object.Text("mutant", campaign.engines.mutant);
  object.Count("seed", campaign.seed)
      .Count("first_index", campaign.first)
      .Count("jobs", static_cast<uint64_t>(campaign.jobs))
      .Raw("seconds", Decimal(outcome.seconds, 3))
      .Raw("interrupted", outcome.interrupted ? "true" : "false");
  AddTally(outcome.Total(), outcome.seconds, object);
  object.Raw("properties", JsonArray(properties)).Raw("failure_details", JsonArray(failures));
  return object.End() + "\n";
}

std::string ProgressText(const Campaign& campaign, const Tally& total, double seconds) {
  std::string text = std::to_string(total.programs);
  if (campaign.count.has_value()) text += " of " + std::to_string(*campaign.count);
  text += " programs, " + Decimal(Rate(static_cast<double>(total.programs), seconds), 0) + "/s, " +
          std::to_string(total.failures) + " failures, " + Decimal(seconds, 0) + " s";
  if (campaign.seconds.has_value()) text += " of " + Decimal(*campaign.seconds, 0) + " s";
  return text;
}

}  // namespace tagflow::fuzz
