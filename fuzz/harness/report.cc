#include "fuzz/harness/report.h"

#include <algorithm>
#include <cmath>

namespace tagflow::fuzz {
namespace {

double Rate(double what, double seconds) { return seconds > 0 ? what / seconds : 0; }

std::string Decimal(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, std::isfinite(value) ? value : 0.0);
  return text;
}

// "key":value pairs in braces.
class JsonObject {
 public:
  JsonObject& Raw(std::string_view key, std::string_view value) {
    text_ += text_.empty() ? "{" : ",";
    text_ += JsonString(key) + ":";
    text_ += value;
    return *this;
  }
  JsonObject& Text(std::string_view key, std::string_view value) {
    return Raw(key, JsonString(value));
  }
  JsonObject& Count(std::string_view key, uint64_t value) {
    return Raw(key, std::to_string(value));
  }
  JsonObject& Number(std::string_view key, double value) { return Raw(key, Decimal(value, 3)); }
  std::string End() const { return (text_.empty() ? "{" : text_) + "}"; }

 private:
  std::string text_;
};

std::string JsonArray(const std::vector<std::string>& elements) {
  std::string text = "[";
  for (const std::string& element : elements) text += (text.size() > 1 ? "," : "") + element;
  return text + "]";
}

void AddTally(const Tally& tally, double seconds, JsonObject& object) {
  object.Count("programs", tally.programs)
      .Count("failures", tally.failures)
      .Count("unsupported", tally.unsupported)
      .Number("programs_per_s", Rate(static_cast<double>(tally.programs), seconds))
      .Count("firings", tally.firings)
      .Number("firings_per_s", Rate(static_cast<double>(tally.firings), seconds))
      .Number("busy_s", tally.busy_s)
      .Number("programs_per_busy_s", Rate(static_cast<double>(tally.programs), tally.busy_s));
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
        .Number("shrink_s", failure.shrink_s());
  }
  if (!failure.tokens().empty()) object.Text("tokens", failure.tokens());
  if (!failure.note().empty()) object.Text("note", failure.note());
  return object.End();
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (byte < 0x20 || byte > 0x7e) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
      json += escaped;
    } else {
      json += c;
    }
  }
  return json + "\"";
}

std::string SummaryLine(const Outcome& outcome) {
  const Tally total = outcome.Total();
  return "programs " + std::to_string(total.programs) + ", failures " +
         std::to_string(total.failures) + ", programs/s " +
         Decimal(Rate(static_cast<double>(total.programs), outcome.seconds), 1);
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
      .Number("seconds", outcome.seconds)
      .Raw("interrupted", outcome.interrupted ? "true" : "false");
  AddTally(outcome.Total(), outcome.seconds, object);
  object.Raw("properties", JsonArray(properties)).Raw("failure_details", JsonArray(failures));
  return object.End() + "\n";
}

std::string ProgressLine::Text(const Tally& total, double seconds) const {
  std::string text = std::to_string(total.programs);
  if (campaign_.count.has_value()) {
    text += " of " + std::to_string(*campaign_.count);
  }
  text += " programs, " + Decimal(Rate(static_cast<double>(total.programs), seconds), 0) + "/s, " +
          std::to_string(total.failures) + " failures, " + Decimal(seconds, 0) + " s";
  if (campaign_.seconds.has_value()) text += " of " + Decimal(*campaign_.seconds, 0) + " s";
  return text;
}

void ProgressLine::Update(const Tally& total) {
  if (stream_ == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < (live_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(5000))) {
    return;
  }
  last_ = now;
  const std::string text = Text(total, std::chrono::duration<double>(now - began_).count());
  std::fprintf(stream_, live_ ? "\r\033[K%s  (Ctrl-C stops)" : "%s\n", text.c_str());
  std::fflush(stream_);
  shown_ = live_;
}

void ProgressLine::Wipe() {
  if (!shown_) return;
  std::fprintf(stream_, "\r\033[K");
  std::fflush(stream_);
  shown_ = false;
}

}  // namespace tagflow::fuzz
