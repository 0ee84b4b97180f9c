// What holds of graphs and sessions as objects: written and read again, stopped, asked for less.
// Tested by properties_test.cc.

#include <algorithm>
#include <random>

#include "fuzz/graphs/calls.h"
#include "fuzz/graphs/forecast.h"
#include "fuzz/graphs/properties.h"
#include "fuzz/graphs/written.h"
#include "graph/io/export.h"
#include "graph/io/import.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kFiringsPerLook = 64;  // a step looks that often whether it is cancelled

std::string In(size_t run) { return "run " + std::to_string(run) + ": "; }

// The sample with its graph read from `bytes`, text or binary.
Result<GraphSample> WithGraph(const GraphSample& sample, const std::string& bytes) {
  GraphSample read = sample.Clone();
  TAGFLOW_ASSIGN_OR_RETURN(read.graph, ImportGraphFromBytes(bytes));
  return read;
}

Result<GraphSample> Shuffled(const GraphSample& sample, uint64_t seed) {
  GraphSample read = sample.Clone();
  TAGFLOW_ASSIGN_OR_RETURN(GraphDef def, ExportGraph(sample.graph));
  std::mt19937_64 random(seed);
  for (int i = def.node_size() - 1; i > 0; --i) {
    def.mutable_node()->SwapElements(i, static_cast<int>(random() % static_cast<uint64_t>(i + 1)));
  }
  TAGFLOW_ASSIGN_OR_RETURN(read.graph, ImportGraph(def));
  return read;
}

Problem SameRuns(const std::string& what, const std::vector<RunSeen>& wanted,
                 const std::vector<RunSeen>& seen) {
  if (wanted.size() != seen.size()) return what + ": another run fails first";
  for (size_t run = 0; run < seen.size(); ++run) {
    // Of several things that are owed, the first by node is named.
    const bool both_starve =
        seen[run].status.rule() == "step.2" && wanted[run].status.rule() == "step.2";
    if (!both_starve && seen[run].Result() != wanted[run].Result()) {
      return In(run) + what + " gives " + seen[run].Result() + " instead of " +
             wanted[run].Result();
    }
    if (!(seen[run].events == wanted[run].events)) {
      return In(run) + what +
             " fires otherwise:" + Difference(wanted[run].events, seen[run].events);
    }
  }
  return std::nullopt;
}

Problem CheckWritten(const GraphSample& sample, const std::string& what,
                     const Result<std::string>& bytes, const ObserveOptions& options) {
  if (!bytes.ok()) return what + " cannot be written: " + bytes.status().ToString();
  const Result<GraphSample> read = WithGraph(sample, *bytes);
  if (!read.ok()) return what + " cannot be read: " + read.status().ToString();
  return SameRuns(what, Observer(sample).Observe(options), Observer(*read).Observe(options));
}

Problem CheckShuffled(const GraphSample& sample, uint64_t seed, const ObserveOptions& options) {
  const Result<GraphSample> read = Shuffled(sample, seed);
  if (!read.ok()) return "the shuffled graph cannot be read: " + read.status().ToString();
  std::vector<RunSeen> wanted;
  for (Forecast& forecast : CertainRuns(sample, options)) {
    wanted.push_back(std::move(forecast.first));
  }
  std::vector<RunSeen> seen = Observer(*read).Observe(options);
  seen.resize(std::min(seen.size(), wanted.size()));
  return SameRuns("the graph with its nodes shuffled", wanted, seen);
}

// One step under the limits; then all must be as it was before.
Problem CheckStop(const GraphSample& sample, Observer& observer, const std::string& what,
                  const reference::Rules& rules, const reference::RunOptions& limits, Code wanted,
                  const std::vector<RunSeen>& before, const ObserveOptions& options) {
  observer.session().Reset();
  const Status status = observer.session()
                            .RunUnder(rules, sample.runs[0], sample.fetches, sample.targets, limits)
                            .status();
  if (status.code() != wanted) return what + " gives " + status.ToString();
  if (status.node().empty()) return what + " names no node";
  if (Problem problem =
          SameRuns("after " + what + ", the session", before, observer.Observe(options))) {
    return problem;
  }
  return std::nullopt;
}

// Whether a node may act on another one that no edge leads to.
bool HasEffects(const Graph& graph) {
  const std::vector<NodeId> ids = graph.NodeIds();
  return std::any_of(ids.begin(), ids.end(), [&](NodeId id) {
    const std::string& op = graph.node(id).op;
    return op == "VarHandleOp" || op == "VariableV2" || op.ends_with("Send");
  });
}

}  // namespace

Problem SurvivesExport(const GraphSample& sample, Choices& choices, const reference::Rules& rules) {
  ObserveOptions options;
  options.rules = &rules;
  const uint64_t seed = choices.Seed();
  if (Problem problem = IsReadAsWritten(choices)) return problem;
  if (Problem problem =
          CheckWritten(sample, "the text form", ExportGraphToText(sample.graph), options)) {
    return problem;
  }
  if (Problem problem =
          CheckWritten(sample, "the binary form", ExportGraphToBytes(sample.graph), options)) {
    return problem;
  }
  return CheckShuffled(sample, seed, options);
}

Problem StopsCleanly(const GraphSample& sample, Choices& choices, const reference::Rules& rules) {
  ObserveOptions options;
  options.rules = &rules;
  Observer observer(sample);
  const std::vector<RunSeen> before = observer.Observe(options);
  const int64_t firings = before[0].events.count;
  if (firings < 2) return std::nullopt;
  for (int i = 0; i < 3; ++i) {
    reference::RunOptions limits;
    limits.max_firings = 1 + choices.Below(static_cast<size_t>(firings - 1));
    if (Problem problem = CheckStop(sample, observer,
                                    "a limit of " + std::to_string(limits.max_firings) + " firings",
                                    rules, limits, Code::kResourceExhausted, before, options)) {
      return problem;
    }
  }
  reference::RunOptions late;
  late.max_firings = options.max_firings;
  late.deadline_s = 1e-9;  // over at the first look
  if (Problem problem = CheckStop(sample, observer, "a deadline", rules, late,
                                  Code::kDeadlineExceeded, before, options)) {
    return problem;
  }
  const int64_t looks = 1 + choices.Below(static_cast<size_t>((firings - 1) / kFiringsPerLook + 1));
  reference::RunOptions limits;
  limits.max_firings = options.max_firings;
  if (choices.Chance(kEvenly)) limits.deadline_s = 1000;  // which no step takes
  limits.cancelled = [left = looks]() mutable { return --left == 0; };
  return CheckStop(sample, observer, "a cancellation at look " + std::to_string(looks), rules,
                   limits, Code::kCancelled, before, options);
}

Problem CallsAreAlone(const GraphSample& sample, Choices& choices, const reference::Rules& rules) {
  ObserveOptions options;
  options.rules = &rules;
  Observer together(sample);
  const std::vector<GraphCall> calls = DrawCalls(sample, choices);
  for (size_t i = 0; i < calls.size(); ++i) {
    const GraphSample alone = sample.With(calls[i]);
    Observer observer(alone);
    const Forecast forecast = Foresee(observer, 0, options);
    if (forecast.limited || !forecast.races.empty()) continue;
    const RunSeen seen = together.ObserveCall(calls[i], options);
    if (const Problem problem = Misses(forecast, seen)) {
      return "call " + std::to_string(i) + ": " + *problem;
    }
  }
  return std::nullopt;
}

Problem SubsetIsEnough(const GraphSample& sample, Choices& choices, const reference::Rules& rules) {
  if (HasEffects(sample.graph) || sample.fetches.empty()) return std::nullopt;
  ObserveOptions options;
  options.rules = &rules;
  options.trace = false;
  const std::vector<Forecast> all = CertainRuns(sample, options);
  GraphSample part = sample.Clone();
  const size_t kept = choices.Below(sample.fetches.size());
  part.fetches = {sample.fetches[kept]};
  part.targets.clear();
  Observer observer(part);
  for (size_t run = 0; run < all.size(); ++run) {
    if (!all[run].first.status.ok()) continue;
    const RunSeen seen = observer.ObserveRun(run, options);
    // An iteration that never ends may be all that keeps a loop from going on for ever.
    if (seen.limited()) return std::nullopt;
    const std::string wanted = all[run].first.values[kept].DebugString();
    if (seen.status.ok() && seen.values[0].DebugString() == wanted) continue;
    return In(run) + "'" + part.fetches[0] + "' is " + wanted + ", and alone " + seen.Result() +
           " (" + seen.status.message() + ")";
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
