// The table of properties, and the agreement with the naive executor. Tested by properties_test.cc.

#include "fuzz/graphs/properties.h"

#include <random>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/graphs/altered.h"
#include "fuzz/graphs/forecast.h"
#include "fuzz/graphs/invalid.h"
#include "fuzz/graphs/naive.h"
#include "fuzz/graphs/naive_ops.h"
#include "fuzz/graphs/observe.h"
#include "fuzz/graphs/placed_property.h"
#include "fuzz/graphs/unstructured.h"

namespace tagflow::fuzz {
namespace {

GraphSample Unstructured(Choices& choices) { return MakeUnstructured(choices); }

GraphSample UnstructuredSmall(Choices& choices) {
  UnstructuredOptions options;
  options.most_actions = 12;
  return MakeUnstructured(choices, options);
}

// What has messages of its own, as a rule, and feeds inside of frames runs by way of devices, too.
GraphSample MostlyAltered(Choices& choices) {
  return choices.Chance(kMostly) ? MakeAltered(choices) : MakeUnstructured(choices);
}

NaivePick RandomPick(uint64_t seed) {
  if (seed == 0) return [](size_t) { return size_t{0}; };
  return [random = std::mt19937_64(seed)](size_t count) mutable {
    return static_cast<size_t>(random() % count);
  };
}

std::string ResultOf(const NaiveOutcome& outcome) {
  if (outcome.code != Code::kOk) {
    return std::string(CodeName(outcome.code)) + " at '" + outcome.node + "'";
  }
  std::string text;
  for (const NaiveToken& token : outcome.fetched) {
    text +=
        (text.empty() ? "" : ", ") + DTypeName(token.value.dtype) + " " +
        (token.value.variable.empty() ? std::to_string(token.value.number) : token.value.variable);
  }
  return text;
}

std::string ResultOf(const RunSeen& seen) {
  if (!seen.status.ok()) {
    return std::string(CodeName(seen.status.code())) + " at '" + seen.status.node() + "'";
  }
  std::string text;
  for (const Tensor& tensor : seen.values) {
    const NaiveValue value = NaiveOf(tensor);
    text +=
        (text.empty() ? "" : ", ") + DTypeName(value.dtype) + " " + std::to_string(value.number);
  }
  return text;
}

EventSum EventsOf(const NaiveOutcome& outcome, bool keep) {
  EventSum events;
  for (const NaiveEvent& event : outcome.events) events.Add(EventText(event), keep);
  return events;
}

bool MayFailSo(const Forecast& forecast, const NaiveOutcome& outcome) {
  // What follows is the tag. Of two nodes, either of which may be the one too many, none is named.
  const std::string at_node = ResultOf(outcome) + " ";
  const std::string at_any = std::string(CodeName(outcome.code)) + " at '' ";
  for (const std::string& error : forecast.errors) {
    if (error.starts_with(at_node) || error.starts_with(at_any)) return true;
  }
  return outcome.code == Code::kResourceExhausted;
}

std::string In(size_t run) { return "run " + std::to_string(run) + ": "; }

// A run without races ends in every order, or in none.
Problem EndsToo(const NaiveOutcome& outcome, const Forecast& forecast, size_t run,
                const ObserveOptions& options) {
  const int64_t firings = static_cast<int64_t>(outcome.events.size());
  if (!outcome.ended || !forecast.errors.empty() || 4 * firings > options.max_firings) {
    return std::nullopt;
  }
  return In(run) + "small steps end after " + std::to_string(firings) +
         " firings, the reference does not end";
}

// Of a run that no firing fails: whether it races ([race.1]). The first two firings that do so are
// found in every order. What else races may hang on it: on what they gave, and on which of them
// gave a variable its first value.
// all_had_values: what variables there are, there were before
Problem RacesToo(const NaiveOutcome& outcome, const Forecast& forecast, size_t run,
                 bool all_had_values) {
  if (!outcome.ended || !forecast.errors.empty() || forecast.limited) return std::nullopt;
  const bool race = !outcome.races.empty() && !forecast.races.empty();
  const bool is_settled =
      race && all_had_values && EventsOf(outcome, false) == forecast.first.events;
  if (is_settled ? outcome.races == forecast.races
                 : outcome.races.empty() == forecast.races.empty()) {
    return std::nullopt;
  }
  std::string text = In(run) + "other races by small steps than by the reference:";
  for (const std::string& race : outcome.races) text += "\n  only by small steps: " + race;
  for (const std::string& race : forecast.races) text += "\n  only by the reference: " + race;
  return text;
}

std::set<std::string> NamesOf(const NaiveVariables& variables) {
  std::set<std::string> names;
  for (const auto& [name, value] : variables) names.insert(name);
  return names;
}

// One run of a sample, by both.
Problem CompareRun(const Naive& naive, size_t run, NaiveVariables& variables, uint64_t seed,
                   const Forecast& forecast, const ObserveOptions& options) {
  const std::set<std::string> valued = NamesOf(variables);
  const NaiveOutcome outcome = naive.Run(run, variables, RandomPick(seed), options.max_firings);
  const bool all_had_values = valued == NamesOf(variables);
  if (Problem problem = RacesToo(outcome, forecast, run, all_had_values)) return problem;
  if (forecast.should_have_failed) {
    return In(run) + "no error, though two live tokens meet: " + *forecast.races.begin();
  }
  if (!forecast.certain()) {
    if (!forecast.races.empty()) return std::nullopt;
    if (forecast.limited) return EndsToo(outcome, forecast, run, options);
    if (MayFailSo(forecast, outcome)) return std::nullopt;
    return In(run) + "small steps give " + ResultOf(outcome) + ", the reference " +
           ResultOf(forecast.first);
  }
  if (ResultOf(outcome) != ResultOf(forecast.first)) {
    return In(run) + "small steps give " + ResultOf(outcome) + ", the reference " +
           ResultOf(forecast.first) + ": " + forecast.first.status.message() +
           Difference(forecast.first.events, EventsOf(outcome, true));
  }
  const EventSum events = EventsOf(outcome, options.keep_events);
  if (events == forecast.first.events) return std::nullopt;
  return In(run) + "small steps fire otherwise than the reference:" +
         Difference(forecast.first.events, events);
}

Problem CompareAll(const GraphSample& sample, uint64_t seed, const ObserveOptions& options) {
  const Naive naive(sample);
  if (!naive.Supported().ok()) return std::nullopt;
  Observer observer(sample);
  NaiveVariables variables;
  for (size_t run = 0; run < sample.runs.size(); ++run) {
    const Forecast forecast = Foresee(observer, run, options);
    if (Problem problem = CompareRun(naive, run, variables, seed, forecast, options)) {
      return problem;
    }
    if (!forecast.certain() || !forecast.first.status.ok()) break;
    // Foresee left the variables as they were.
    (void)observer.ObserveRun(run, options);
  }
  return std::nullopt;
}

}  // namespace

const std::vector<GraphProperty>& GraphProperties() {
  using enum GraphProperty::Elsewhere;
  static const auto& properties = *new std::vector<GraphProperty>{
      {"small-steps", "unstructured graphs: the reference agrees with a second executor",
       Unstructured, AgreesWithSmallSteps},
      {"orders", "unstructured graphs: all orders agree, or the race is reported",
       UnstructuredSmall, OrdersAgree},
      {"run-ahead", "unstructured graphs: run-ahead is bounded, control edges are awaited",
       Unstructured, RunsAheadAsAllowed},
      {"exported", "unstructured graphs: export, import and node order change nothing",
       Unstructured, SurvivesExport},
      {"stops", "unstructured graphs: a limit or a cancellation leaves the session usable",
       Unstructured, StopsCleanly},
      {"subset", "unstructured graphs: a fetch does not depend on the other fetches", Unstructured,
       SubsetIsEnough},
      {"calls", "graphs of programs, altered: a call gives what it gives in a session of its own",
       MakeAlteredForgetful, CallsAreAlone, kCalls},
      {"simplify", "graphs, most of them altered: each pass changes nothing, nor do all",
       MostlyAltered, SurvivesSimplification, kPasses},
      {"altered", "graphs of programs, altered: two orders agree, or the race is reported",
       MakeAltered, TwoOrdersAgree},
      {"shapes", "graphs, most of them altered: what nodes give has the shapes that were foreseen",
       MostlyAltered, HasForeseenShapes},
      {"placed", "graphs, most of them altered: cut over devices, they give what they give whole",
       MostlyAltered, SurvivesCuttingByRules, kDevices},
      {"refusal", "graphs with one rule broken: the error that must come", MakeInvalid, IsRefused},
  };
  return properties;
}

const GraphProperty* FindGraphProperty(std::string_view name) {
  for (const GraphProperty& property : GraphProperties()) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

Problem SurvivesCuttingByRules(const GraphSample& sample, Choices& choices,
                               const reference::Rules& rules) {
  return SurvivesCutting(sample, choices, *ReferenceEngine(rules));
}

Problem AgreesWithSmallSteps(const GraphSample& sample, Choices& choices,
                             const reference::Rules& rules) {
  ObserveOptions options;
  options.rules = &rules;
  const uint64_t seed = choices.Seed();
  Problem problem = CompareAll(sample, seed, options);
  if (!problem) return problem;
  options.keep_events = true;  // once more, to say which
  Problem told = CompareAll(sample, seed, options);
  return told ? told : problem;
}

}  // namespace tagflow::fuzz
