#include "fuzz/harness/equal_graphs.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/graphs/calls.h"
#include "fuzz/graphs/forecast.h"
#include "fuzz/graphs/observe.h"
#include "fuzz/graphs/placed_property.h"
#include "fuzz/graphs/sample_case.h"
#include "fuzz/harness/equal.h"
#include "reference/races.h"

namespace tagflow::fuzz {
namespace {

using Elsewhere = GraphProperty::Elsewhere;

// What must come of a run: the values, or one of the errors.
struct Wanted {
  std::vector<Tensor> values;
  std::vector<Status> errors;
  bool may_end = false;       // after all, with any values or another error
  bool is_any_error = false;  // those are not all
};

// Of values and errors, not of firings.
ObserveOptions Untraced() {
  ObserveOptions options;
  options.trace = false;
  return options;
}

// Which of two Sends of one key meets a Recv hangs on the order, and so does all that comes before
// the error: also that nothing ends.
Wanted WantedOf(Forecast forecast) {
  const bool is_contested = std::ranges::any_of(
      forecast.causes, [](const Status& error) { return error.rule() == "rendezvous.3"; });
  if (!forecast.causes.empty()) return {{}, std::move(forecast.causes), false, is_contested};
  if (!forecast.first.status.ok()) return {{}, {forecast.first.status}};
  return {std::move(forecast.first.values), {}};
}

Wanted SomeError(const Forecast& forecast) { return {{}, {forecast.first.status}, false, true}; }

// Of a run that does not end within the reference's limit, and does nothing wrong till then: it
// ends by the limit that the engine was given, which is a larger one, if not before.
Wanted Endless() {
  return {{}, {Status(Code::kResourceExhausted, "there are more firings than allowed")}, true};
}

// Where an error ends with a label, as in "... [node x, rule y]", it has this value; it need not
// have the label, and other engines have other words for it.
bool MayHave(const std::string& said, const std::string& label, const std::string& value) {
  const size_t place = said.rfind(" [");
  if (place == said.npos || value.empty()) return true;
  size_t at = said.find("[" + label, place);
  if (at == said.npos) at = said.find(" " + label, place);
  if (at == said.npos) return true;
  const std::string rest = said.substr(at + 1 + label.size());
  return rest.starts_with(value + ",") || rest.starts_with(value + "]");
}

// Of all that a step owes, of two instances of an Exit that are live, and of two Sends or Recvs of
// one key, any may be named.
bool NamesOneNode(const Status& error) {
  return error.rule() != "step.2" && error.rule() != "exit.3" && error.rule() != "rendezvous.3";
}

// With that tag, or before the loop: passes compute there what is the same in every iteration.
bool MayBeAt(const std::string& said, const std::string& tag) {
  if (MayHave(said, "tag ", tag)) return true;
  const size_t loop = tag.rfind('/');
  return loop != tag.npos && MayBeAt(said, tag.substr(0, loop));
}

// The texts between single quotes: an error quotes the nodes and tensors that it names.
std::set<std::string> NamesIn(const std::string& text) {
  std::set<std::string> names;
  for (size_t begin = text.find('\''); begin != text.npos; begin = text.find('\'', begin)) {
    const size_t end = text.find('\'', ++begin);
    if (end == text.npos) break;
    names.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

// Whether an engine blames the Switches and Merges for a dead fetch that the reference blames,
// which do not hang on the order ([fetch.1]). An engine may keep nothing of a frame, and the
// reference tells a node of a frame with its tag: such an error is not compared.
bool Explains(const std::string& said, const Status& error) {
  const bool is_told = error.message().find("' is dead: ") != std::string::npos;
  const bool is_of_a_frame = error.message().find(" at tag ") != std::string::npos;
  if (error.rule() != "fetch.1" || !is_told || is_of_a_frame) return true;
  return NamesIn(said) == NamesIn(error.message());
}

// Whether an engine that says so may mean this error.
bool MayMean(const std::string& said, const Status& error) {
  const bool place_fits =
      !NamesOneNode(error) || (MayHave(said, "node ", error.node()) && MayBeAt(said, error.tag()));
  return said.starts_with(std::string(CodeName(error.code())) + ": ") &&
         MayHave(said, "rule ", error.rule()) && place_fits;
}

Finding CompareError(const Wanted& wanted, const Status& said, const Engine& engine) {
  const Finding finding = FindingOf(said);
  if (finding.kind != Finding::Kind::kFails || wanted.errors.empty()) return finding;
  const bool is_one = std::ranges::any_of(wanted.errors, [&](const Status& error) {
    return MayMean(said.message(), error) &&
           (!engine.capabilities().explains_dead_fetches || Explains(said.message(), error));
  });
  if (is_one || wanted.is_any_error || wanted.may_end) return Finding::Holds();
  return Finding::Fails("the error is " + said.message() + "; on the reference it is " +
                        wanted.errors[0].ToString());
}

Finding CompareRun(const Wanted& wanted, const Result<std::vector<Tensor>>& actual,
                   const Engine& engine) {
  if (!actual.ok()) return CompareError(wanted, actual.status(), engine);
  if (wanted.may_end) return Finding::Holds();
  if (!wanted.errors.empty()) {
    return Finding::Fails("values where there must be an error: " + wanted.errors[0].ToString());
  }
  for (size_t i = 0; i < wanted.values.size(); ++i) {
    if (BitwiseEqual(wanted.values[i], (*actual)[i])) continue;
    return Finding::Fails("fetch " + std::to_string(i) + " is " + (*actual)[i].DebugString() +
                          ", and on the reference " + wanted.values[i].DebugString());
  }
  return Finding::Holds();
}

// Each must give what it gives on the reference in a session of its own; those of which nothing is
// known beforehand are left out.
Finding CheckCallsOnEngine(const GraphSample& sample, const std::vector<GraphCall>& drawn,
                           const Engine& engine) {
  std::vector<GraphCall> calls;
  std::vector<Wanted> wanted;
  for (const GraphCall& call : drawn) {
    std::vector<Forecast> forecast = ForeseenRuns(sample.With(call), Untraced());
    if (forecast.empty()) continue;
    calls.push_back(call);
    wanted.push_back(WantedOf(std::move(forecast[0])));
  }
  const std::vector<Result<std::vector<Tensor>>> actual = RunCalls(engine, sample, calls);
  for (size_t i = 0; i < calls.size() && i < actual.size(); ++i) {
    Finding finding = CompareRun(wanted[i], actual[i], engine);
    finding.why = (finding.why.empty() ? "" : "call " + std::to_string(i) + ": ") + finding.why;
    if (finding.kind != Finding::Kind::kHolds) return finding;
  }
  return Finding::Holds();
}

Finding CheckRunsOnEngine(const GraphSample& sample, const Engine& engine) {
  std::vector<Wanted> wanted;
  const bool is_endless = sample.error && sample.error->code == Code::kResourceExhausted;
  const bool limits_firings = engine.capabilities().limits_firings;
  if (is_endless && !limits_firings) return Finding::Holds();
  if (sample.error.has_value()) {
    const Code code = sample.deadline_s > 0 ? Code::kDeadlineExceeded : sample.error->code;
    Status error(code, sample.error->violation);
    wanted.push_back({{}, {error.WithRule(sample.error->rule).WithNode(sample.error->node)}});
  } else {
    for (Forecast& forecast : AllForecasts(sample, Untraced())) {
      if (forecast.must_fail && limits_firings) wanted.push_back(SomeError(forecast));
      if (!forecast.races.empty()) break;
      if (!forecast.limited) {
        wanted.push_back(WantedOf(std::move(forecast)));
      } else if (limits_firings && forecast.errors.empty()) {
        wanted.push_back(Endless());
      }
    }
  }
  const std::vector<Result<std::vector<Tensor>>> actual =
      RunCalls(engine, sample, sample.Calls(wanted.size()));
  for (size_t run = 0; run < wanted.size() && run < actual.size(); ++run) {
    Finding finding = CompareRun(wanted[run], actual[run], engine);
    finding.why = (finding.why.empty() ? "" : "run " + std::to_string(run) + ": ") + finding.why;
    if (finding.kind != Finding::Kind::kHolds) return finding;
  }
  return Finding::Holds();
}

Finding CheckOnEngine(const GraphProperty& property, const GraphSample& sample, Choices& choices,
                      const Engine& engine) {
  return property.elsewhere == Elsewhere::kCalls
             ? CheckCallsOnEngine(sample, DrawCalls(sample, choices), engine)
             : CheckRunsOnEngine(sample, engine);
}

// The races of all runs, in the order of arrival, whatever a step does at a Merge of two live
// inputs.
std::vector<std::string> RacesOn(const Engine& engine, const GraphSample& sample) {
  std::vector<std::string> races;
  const auto session = engine.Open(sample.graph.Clone(), sample.devices);
  if (!session.ok()) return races;
  for (const GraphCall& call : sample.Calls(sample.runs.size())) {
    reference::History history;
    reference::RunOptions options;
    options.history = &history;
    options.max_firings = Untraced().max_firings;
    (void)(*session)->Run(call.feeds, call.fetches, call.targets, options);
    for (const reference::Race& race : FindRaces(history)) races.push_back(race.ToString(history));
  }
  return races;
}

// A mutant is run as an engine too: what it does wrong besides its rules, only its sessions show.
Finding CheckMutant(const GraphProperty& property, const GraphSample& sample, Choices& choices,
                    const Engine& mutant) {
  Finding finding = CheckOnEngine(property, sample, choices, mutant);
  if (finding.bad()) return finding;
  const bool is_as_told = RacesOn(mutant, sample) == RacesOn(StandardReference(), sample);
  return is_as_told ? finding : Finding::Fails("its races are not those of the standard");
}

Finding CheckReference(const GraphProperty& property, const GraphSample& sample, Choices& choices,
                       Setting& setting) {
  Choices same = choices;
  const Problem problem = property.check(sample, choices, *setting.rules);
  if (problem.has_value()) return Finding::Fails(*problem);
  const bool is_mutant = setting.rules != &reference::StandardRules();
  if (is_mutant) return CheckMutant(property, sample, same, *setting.engine);
  if (setting.peer == nullptr) return Finding::Holds();
  Finding finding = CheckOnEngine(property, sample, same, *setting.peer);
  if (finding.bad()) finding.why = "another engine: " + finding.why;
  return finding;
}

Finding CheckEngine(const GraphProperty& property, const GraphSample& sample, Choices& choices,
                    Setting& setting) {
  Choices same = choices;
  const bool runs_passes = setting.engine->capabilities().runs_our_passes;
  if (property.elsewhere == Elsewhere::kPasses && runs_passes) {
    const Problem problem = property.check(sample, choices, *setting.rules);
    if (problem.has_value()) return Finding::Fails(*problem);
  }
  if (property.elsewhere == Elsewhere::kDevices && IsInProcess(setting)) {
    return Finding::Of(SurvivesCutting(sample, choices, *setting.engine));
  }
  return CheckOnEngine(property, sample, same, *setting.engine);
}

}  // namespace

Finding CheckGraph(const GraphProperty& property, Choices& choices, Setting& setting) {
  const GraphSample sample = property.generate(choices);
  const int64_t before = FiringsSoFar();
  Finding finding = IsOfReference(setting) ? CheckReference(property, sample, choices, setting)
                                           : CheckEngine(property, sample, choices, setting);
  finding.firings = FiringsSoFar() - before;
  return finding;
}

Result<conformance::Case> CaseOfGraph(const GraphProperty& property, Choices& choices) {
  const GraphSample sample = property.generate(choices);
  return property.elsewhere == Elsewhere::kCalls
             ? ToCase(sample, DrawCalls(sample, choices), property.name, property.about)
             : ToCase(sample, property.name, property.about);
}

}  // namespace tagflow::fuzz
