#include "fuzz/harness/equal.h"

#include <string>
#include <utility>
#include <vector>

#include "fuzz/direct/compare.h"
#include "fuzz/direct/direct.h"
#include "fuzz/lower/firing_limit.h"

namespace tagflow::fuzz {
namespace {

using Runs = std::vector<std::vector<Tensor>>;

Finding OfVerdict(const Result<Verdict>& verdict) {
  if (!verdict.ok()) return {Finding::Kind::kInvalid, verdict.status().message(), 0};
  if (!verdict->difference.empty()) return Finding::Fails(verdict->difference);
  if (verdict->undecided) {
    return {Finding::Kind::kUnsupported, "rounding decides what the program does", 0};
  }
  return Finding::Holds();
}

bool BitwiseEqual(const Runs& a, const Runs& b) {
  if (a.size() != b.size()) return false;
  for (size_t run = 0; run < a.size(); ++run) {
    if (a[run].size() != b[run].size()) return false;
    for (size_t i = 0; i < a[run].size(); ++i) {
      if (!tagflow::BitwiseEqual(a[run][i], b[run][i])) return false;
    }
  }
  return true;
}

// Two engines that differ: both may be right, as far as rounding goes.
Finding Arbitrate(const Program& program, const std::vector<RunResult>& direct, const Runs& actual,
                  const Runs& against) {
  Finding finding = OfVerdict(Judge(program, direct, actual));
  if (finding.kind != Finding::Kind::kHolds) return finding;
  finding = OfVerdict(Judge(program, direct, against));
  if (finding.kind == Finding::Kind::kFails) {
    finding.why = "it is --against that is off: " + finding.why;
  }
  return finding;
}

Finding Compare(const Program& program, const std::vector<RunResult>& direct,
                const Activity& activity, Setting& setting) {
  const Result<Answers> actual =
      RunProgram(setting.engine, program, FiringLimit(program, activity));
  if (!actual.ok()) return FindingOf(actual.status());
  Finding finding;
  int64_t firings = actual->firings;
  if (setting.against == nullptr) {
    finding = OfVerdict(Judge(program, direct, actual->runs));
  } else {
    const Result<Answers> against = RunProgram(setting.against, program);
    if (!against.ok()) {
      finding = FindingOf(against.status());
      finding.why = "--against: " + finding.why;
      return finding;
    }
    firings += against->firings;
    if (!BitwiseEqual(actual->runs, against->runs)) {
      finding = Arbitrate(program, direct, actual->runs, against->runs);
    }
  }
  finding.firings = firings;
  return finding;
}

Finding CheckEqual(const Program& program, Setting& setting) {
  Activity activity;
  DirectOptions options;
  options.activity = &activity;
  const Result<std::vector<RunResult>> direct = Evaluate(program, options);
  if (!direct.ok()) {
    return {Finding::Kind::kInvalid, "the program fails: " + direct.status().message(), 0};
  }
  return Compare(program, *direct, activity, setting);
}

}  // namespace

Finding FindingOf(const Status& error) {
  switch (error.code()) {
    case Code::kUnimplemented:
      return {Finding::Kind::kUnsupported, error.message(), 0};
    case Code::kAborted:
      return {Finding::Kind::kCrashed, error.message(), 0};
    case Code::kDeadlineExceeded:
      return {Finding::Kind::kHung, error.message(), 0};
    default:
      return Finding::Fails("an error in place of values: " + error.ToString());
  }
}

bool IsOfReference(const Setting& setting) {
  return setting.engine != nullptr && setting.engine->capabilities().is_reference;
}

bool IsInProcess(const Setting& setting) {
  return setting.engine != nullptr && setting.engine->capabilities().is_in_process;
}

Property EqualProperty() {
  Property property;
  property.name = "equal";
  property.about = "--engine gives the results of --against";
  property.check = CheckEqual;
  return property;
}

}  // namespace tagflow::fuzz
