#include "fuzz/harness/examine.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "fuzz/harness/explain.h"
#include "fuzz/harness/sample.h"
#include "fuzz/harness/save.h"
#include "fuzz/harness/shrink_sample.h"
#include "fuzz/harness/slots.h"

namespace tagflow::fuzz {
namespace {

// A smaller sample of one that hangs is given up earlier than the sample itself.
constexpr double kHangSeconds = 2;

// Shrinks, explains, saves. `check` holds the property to a sample.
void Treat(const Campaign& campaign, const Examination& examination,
           const std::function<Finding(const Sample&)>& check, Sample sample, Failure& failure) {
  const auto kind = static_cast<Finding::Kind>(failure.kind());
  const int64_t began = NowNs();
  failure.set_size_before(SizeOf(sample));
  if (examination.shrink_s() > 0) {
    sample = ShrinkSample(
        std::move(sample), [&](const Sample& smaller) { return check(smaller).kind == kind; },
        examination.shrink_s());
    const Finding finding = check(sample);
    if (finding.kind == kind) failure.set_why(finding.why);
  }
  failure.set_size_after(SizeOf(sample));
  failure.set_shrink_s(static_cast<double>(NowNs() - began) * 1e-9);
  if (sample.program.has_value() && kind == Finding::Kind::kFails && examination.shrink_s() > 0) {
    failure.set_tokens(Explain(*sample.program, campaign.engines));
  }
  Save(campaign, sample, failure);
}

// How many samples before the failing one must run in the same process for it to do harm again, or
// nothing when it does none whatever came before. Fewer first.
std::optional<uint64_t> PredecessorsNeeded(const Campaign& campaign, const Examination& examination,
                                           double timeout_s) {
  const Failure& failure = examination.failure();
  const uint64_t most = failure.index() - std::min(failure.index(), examination.batch_first());
  const Property& property = campaign.claims[static_cast<size_t>(failure.property())].property;
  for (uint64_t before = 1; most > 0; before = std::min(before * 2, most)) {
    const Finding finding = Isolated(
        [&]() -> Finding {
          Result<std::unique_ptr<WorkerEngines>> engines = WorkerEngines::Make(campaign.engines);
          if (!engines.ok()) return {Finding::Kind::kUnsupported, engines.status().message(), 0};
          SampleName name = NameOf(campaign, failure);
          for (name.index -= before; name.index < failure.index(); ++name.index) {
            (void)DrawAndCheck(property, name, (*engines)->setting());
          }
          return DrawAndCheck(property, name, (*engines)->setting());
        },
        timeout_s + 10);
    if (finding.bad()) return before;
    if (before == most) break;
  }
  return std::nullopt;
}

}  // namespace

Failure Examine(const Campaign& campaign, const Examination& examination, Setting& setting) {
  Failure failure = examination.failure();
  const Property& property = campaign.claims[static_cast<size_t>(failure.property())].property;
  const auto check = [&](const Sample& sample) { return CheckSample(property, sample, setting); };
  Sample sample;
  const Finding again = DrawAndCheck(property, NameOf(campaign, failure), setting, &sample);
  if (again.kind != static_cast<Finding::Kind>(failure.kind())) {
    failure.set_note(
        "run again, the same sample " +
        (again.why.empty() ? KindName(again.kind) : KindName(again.kind) + ": " + again.why));
    failure.set_size_before(SizeOf(sample));
    failure.set_size_after(SizeOf(sample));
    Save(campaign, sample, failure);
    return failure;
  }
  Treat(campaign, examination, check, std::move(sample), failure);
  return failure;
}

Failure ExamineIsolated(const Campaign& campaign, const Examination& examination) {
  Failure failure = examination.failure();
  const Property& property = campaign.claims[static_cast<size_t>(failure.property())].property;
  Result<Sample> sample = Draw(property, NameOf(campaign, failure));
  if (!sample.ok()) {
    failure.set_note(sample.status().message());
    failure.set_replay(ReplayOfIndex(campaign, failure));
    return failure;
  }
  const double timeout_s = campaign.engines.timeout_s;
  EngineChoice engines = campaign.engines;
  const Finding alone = CheckIsolated(property, *sample, engines, timeout_s + 1);
  if (alone.bad()) {
    failure.set_kind(static_cast<int>(alone.kind));
    failure.set_why(alone.why);
    engines.timeout_s = std::min(timeout_s, kHangSeconds);
    const auto check = [&](const Sample& smaller) {
      return CheckIsolated(property, smaller, engines, engines.timeout_s);
    };
    Treat(campaign, examination, check, *std::move(sample), failure);
    return failure;
  }
  const std::optional<uint64_t> before = PredecessorsNeeded(campaign, examination, timeout_s);
  failure.set_size_before(SizeOf(*sample));
  failure.set_size_after(SizeOf(*sample));
  Save(campaign, *sample, failure);
  if (!before.has_value()) {
    failure.set_note("alone, and after the samples before it, the same sample " +
                     KindName(alone.kind));
    return failure;
  }
  Failure first = failure;
  first.set_index(failure.index() - *before);
  failure.set_replay(ReplayOfIndex(campaign, first) + " --count " + std::to_string(*before + 1) +
                     " --jobs 1");
  failure.set_note("alone it " + KindName(alone.kind) + "; it takes the " +
                   std::to_string(*before) + " samples before it in one process");
  return failure;
}

}  // namespace tagflow::fuzz
