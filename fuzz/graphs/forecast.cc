// Tested by properties_test.cc.

#include "fuzz/graphs/forecast.h"

namespace tagflow::fuzz {
namespace {

// A second live token at a Merge is an error, which hides the race that it is; so races are looked
// for where the first one wins.
RunSeen LookForRaces(Observer& observer, size_t run, ObserveOptions options) {
  reference::Rules first_wins = *options.rules;
  first_wins.merge_second_live = [](int, int, const std::string&) { return Status(); };
  options.rules = &first_wins;
  options.all_errors = true;
  options.races = true;
  return observer.ObserveRun(run, options);
}

}  // namespace

bool RacesIn(Observer& observer, size_t run, const ObserveOptions& options) {
  return !LookForRaces(observer, run, options).races.empty();
}

bool IsOfEnd(const Status& status) {
  return status.rule() == "step.2" || status.rule().starts_with("fetch.");
}

Forecast Foresee(Observer& observer, size_t run, const ObserveOptions& options) {
  const reference::Resources before = observer.session().resources().Clone();
  ObserveOptions collect = options;
  collect.order = ReadyOrder();
  collect.all_errors = true;
  Forecast forecast;
  for (const bool looks_for_races : {false, true}) {
    observer.session().resources() = before.Clone();
    RunSeen seen =
        looks_for_races ? LookForRaces(observer, run, collect) : observer.ObserveRun(run, collect);
    forecast.limited = forecast.limited || seen.limited();
    for (const Status& error : seen.errors) {
      if (forecast.errors.insert(ErrorText(error)).second) forecast.causes.push_back(error);
    }
    if (!looks_for_races) {
      forecast.first = std::move(seen);
      continue;
    }
    forecast.must_fail = !seen.races.empty() && seen.races_at_merges_alone;
    forecast.races = std::move(seen.races);
  }
  const bool two_met = forecast.must_fail && !forecast.limited;
  forecast.must_fail = two_met && !forecast.first.status.ok();
  forecast.should_have_failed = two_met && forecast.first.status.ok();
  observer.session().resources() = before.Clone();
  return forecast;
}

std::optional<std::string> Misses(const Forecast& forecast, const RunSeen& seen) {
  if (seen.status.code() == Code::kInternal) return "INTERNAL: " + seen.status.message();
  if (forecast.limited || seen.limited()) {
    if (forecast.certain()) return "does not end, and the first order did";
    return std::nullopt;
  }
  if (!forecast.errors.empty()) {
    if (!seen.status.ok() && forecast.errors.contains(ErrorText(seen.status))) return std::nullopt;
    return seen.Result() + ", where some order reports " + *forecast.errors.begin();
  }
  if (seen.Result() != forecast.first.Result()) {
    return seen.Result() + " (" + seen.status.message() + "), and the first order gives " +
           forecast.first.Result() + " (" + forecast.first.status.message() + ")";
  }
  if (seen.events == forecast.first.events) return std::nullopt;
  return "other firings than in the first order:" + Difference(forecast.first.events, seen.events);
}

std::vector<Forecast> CertainRuns(const GraphSample& sample, const ObserveOptions& options) {
  std::vector<Forecast> forecasts = ForeseenRuns(sample, options);
  if (!forecasts.empty() && !forecasts.back().certain()) forecasts.pop_back();
  return forecasts;
}

std::vector<Forecast> ForeseenRuns(const GraphSample& sample, const ObserveOptions& options) {
  std::vector<Forecast> forecasts = AllForecasts(sample, options);
  if (!forecasts.empty() && (forecasts.back().limited || !forecasts.back().races.empty())) {
    forecasts.pop_back();
  }
  return forecasts;
}

std::vector<Forecast> AllForecasts(const GraphSample& sample, const ObserveOptions& options) {
  Observer observer(sample);
  std::vector<Forecast> forecasts;
  for (size_t run = 0; run < sample.runs.size(); ++run) {
    Forecast forecast = Foresee(observer, run, options);
    const bool goes_on = forecast.certain() && forecast.first.status.ok();
    forecasts.push_back(std::move(forecast));
    if (!goes_on) break;
    (void)observer.ObserveRun(run, options);  // Foresee left the variables as they were
  }
  return forecasts;
}

}  // namespace tagflow::fuzz
