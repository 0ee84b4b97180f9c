#include "cli/stages.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cli/progress_line.h"
#include "cli/run_session.h"
#include "cli/stats_table.h"
#include "conformance/compare.h"
#include "fuzz/partition/placed_session.h"
#include "fuzz/simplify/simplified.h"
#include "graph/validate.h"
#include "reference/partitioned.h"
#include "transform/lower/lower.h"
#include "transform/placement/placement.h"
#include "transform/simplify/simplify.h"

namespace tagflow::cli {
namespace {

using fuzz::CallSequence;
using fuzz::GraphCall;
using Values = Stage::Values;

// Makes one call after the other, in one session.
using RunCall = std::function<Values(const GraphCall& call)>;

// The reference on what the passes leave of each call.
class SimplifiedReference {
 public:
  SimplifiedReference(const Graph& graph, Passes passes, double timeout_s)
      : graph_(graph), passes_(passes), timeout_s_(timeout_s) {}

  Values Run(const GraphCall& call) {
    std::vector<std::string> names;
    for (const auto& [name, value] : call.feeds) names.push_back(name);
    TAGFLOW_ASSIGN_OR_RETURN(const CallSpec spec,
                             ResolveCall(graph_, names, call.fetches, call.targets));
    TAGFLOW_ASSIGN_OR_RETURN(const ValidatedCall valid, ValidateCall(graph_, spec));
    const std::optional<CallGraph> simplified =
        Simplify(graph_, spec, valid, {passes_, fuzz::EvaluateByReference(), false});
    const Graph& graph = simplified.has_value() ? simplified->graph : graph_;
    reference::PartitionedSession session({&graph}, &resources_);
    reference::RunOptions options;
    options.deadline_s = timeout_s_;
    return session.Run(call.feeds, call.fetches, call.targets, options);
  }

 private:
  const Graph& graph_;
  const Passes passes_;
  const double timeout_s_;
  reference::Resources resources_;
};

// Runs the stages of one graph.
class Stages {
 public:
  Stages(const CallSequence& written, const OpLibrary& library, double timeout_s)
      : written_(written),
        library_(library),
        timeout_s_(timeout_s),
        lowered_(written.graph.Clone()) {
    LowerFunctions(lowered_);
  }

  std::vector<Stage> Run() {
    Add("written", "the reference, on the graph as it is",
        [this] { return Open("reference", written_.graph); });
    Add("lower", "the reference, with functions in their places", [this] { return Lowered(); });
    Add("simplify", "the reference, on what the passes leave",
        [this] { return Simplified(Passes::All()); });
    AddPassesAlone();
    Add("partition", "the reference, a part of the graph per device",
        [this] { return Partitioned(); });
    Add("tokens", "the engine, token by token",
        [this] { return Open("optimized-tokens", lowered_, "none"); });
    Add("straight", "the engine, by straight code",
        [this] { return Open("optimized-straight", lowered_, "none"); });
    Add("optimized", "the engine, as `tagflow run` has it",
        [this] { return Open("optimized", written_.graph, "all"); });
    return std::move(stages_);
  }

 private:
  void Add(std::string name, std::string what, const std::function<Result<RunCall>()>& open) {
    const ProgressLine line("stage " + name);
    Stage& stage = stages_.emplace_back(Stage{std::move(name), std::move(what), "", {}});
    const Result<RunCall> run = open();
    if (!run.ok()) {
      stage.left_out = run.status().message();
      return;
    }
    for (const GraphCall& call : written_.calls) {
      stage.calls.push_back((*run)(call));
      if (stage.calls.back().ok()) continue;
      // An executor that has no way to run such a graph is no fault of the graph's result.
      const Status& status = stage.calls.back().status();
      if (status.code() == Code::kUnimplemented && stages_.front().calls.back().ok()) {
        stage.left_out = status.message();
      }
      return;
    }
  }

  // Which pass it was, where all of them together change a result.
  void AddPassesAlone() {
    const StageDifference together = Compare(written_, stages_.front(), stages_.back(), 0);
    if (together.text.empty()) return;
    for (const Pass pass : AllPasses()) {
      const std::string name(PassName(pass));
      Add("  " + name, "the reference, on what this pass alone leaves",
          [&] { return Simplified(Passes().With(pass)); });
    }
  }

  Result<RunCall> Lowered() const {
    for (const NodeId id : written_.graph.NodeIds()) {
      if (!IsFunctional(written_.graph, written_.graph.node(id))) continue;
      return Open("reference", lowered_);
    }
    return FailedPrecondition("no node calls a function");
  }

  Result<RunCall> Simplified(Passes passes) const {
    const auto session = std::make_shared<SimplifiedReference>(lowered_, passes, timeout_s_);
    return RunCall([session](const GraphCall& call) { return session->Run(call); });
  }

  Result<RunCall> Partitioned() const {
    std::set<std::string> asked;
    for (const NodeId id : lowered_.NodeIds()) {
      if (!lowered_.node(id).device.empty()) asked.insert(lowered_.node(id).device);
    }
    if (asked.size() < 2) return FailedPrecondition("all nodes are on one device");
    const std::vector<std::string> devices(asked.begin(), asked.end());
    TAGFLOW_ASSIGN_OR_RETURN(Placement placement, PlaceAsAsked(lowered_, devices, /*soft=*/true));
    const auto session =
        std::make_shared<fuzz::PlacedSession>(lowered_.Clone(), std::move(placement));
    return RunCall([session, timeout_s = timeout_s_](const GraphCall& call) {
      reference::RunOptions options;
      options.deadline_s = timeout_s;
      return session->Run(call.feeds, call.fetches, call.targets, options);
    });
  }

  // passes: of the engine
  Result<RunCall> Open(const std::string& engine, const Graph& graph,
                       const std::string& passes = "") const {
    EngineOptions options{.engine = engine, .passes = passes};
    options.spread.soft = true;
    TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<RunSession> opened,
                             OpenSession(options, graph.Clone(), library_));
    const std::shared_ptr<RunSession> session = std::move(opened);
    return RunCall([session, timeout_s = timeout_s_](const GraphCall& call) {
      StepOptions step;
      step.deadline_s = timeout_s;
      return session->Run(call.feeds, call.fetches, call.targets, step);
    });
  }

  const CallSequence& written_;
  const OpLibrary& library_;
  const double timeout_s_;
  Graph lowered_;
  std::vector<Stage> stages_;
};

std::string OfCall(const CallSequence& calls, size_t call) {
  return calls.calls.size() == 1 ? "" : "call " + std::to_string(call + 1) + ": ";
}

std::string EndOf(const Values& values) {
  return values.ok() ? "it succeeds" : "it fails: " + values.status().ToString();
}

StageDifference CompareTensors(const Tensor& expected, const Tensor& actual, double tolerance) {
  StageDifference difference{conformance::Difference(expected, actual, {})};
  if (difference.text.empty()) return difference;
  const conformance::Bounds bounds{.relative = tolerance,
                                   .absolute = tolerance * conformance::LargestMagnitude(expected)};
  difference.is_rounding = conformance::Difference(expected, actual, bounds).empty();
  return difference;
}

StageDifference CompareCall(const GraphCall& call, const Values& expected, const Values& actual,
                            double tolerance) {
  if (expected.ok() != actual.ok() || expected.status().code() != actual.status().code()) {
    return {EndOf(actual)};
  }
  StageDifference worst;
  for (size_t i = 0; expected.ok() && i < expected->size(); ++i) {
    StageDifference here = CompareTensors((*expected)[i], (*actual)[i], tolerance);
    if (here.text.empty()) continue;
    here.text = call.fetches[i] + ": " + here.text;
    if (!here.is_rounding) return here;
    if (worst.text.empty()) worst = std::move(here);
  }
  return worst;
}

}  // namespace

std::vector<Stage> RunStages(const CallSequence& calls, const OpLibrary& library,
                             double timeout_s) {
  return Stages(calls, library, timeout_s).Run();
}

StageDifference Compare(const CallSequence& calls, const Stage& first, const Stage& stage,
                        double tolerance) {
  StageDifference worst;
  for (size_t i = 0; i < std::min(first.calls.size(), stage.calls.size()); ++i) {
    StageDifference here = CompareCall(calls.calls[i], first.calls[i], stage.calls[i], tolerance);
    if (here.text.empty()) continue;
    here.text = OfCall(calls, i) + here.text;
    if (!here.is_rounding) return here;
    if (worst.text.empty()) worst = std::move(here);
  }
  return worst;
}

StageReport ReportOf(const CallSequence& calls, const std::vector<Stage>& stages,
                     double tolerance) {
  std::vector<std::vector<std::string>> rows = {{"stage", "what runs", "its results"}};
  StageReport report;
  std::string first_other;
  for (const Stage& stage : stages) {
    const StageDifference difference = Compare(calls, stages.front(), stage, tolerance);
    std::string told = "the same bits";
    if (!stage.left_out.empty()) {
      told = "not run: " + stage.left_out;
    } else if (&stage == &stages.front()) {
      told =
          stage.calls.back().ok() ? "what the others are compared with" : EndOf(stage.calls.back());
    } else if (!difference.text.empty()) {
      told = (difference.is_rounding ? "rounded otherwise: " : "DIFFER: ") + difference.text;
    }
    const bool differs =
        stage.left_out.empty() && !difference.text.empty() && !difference.is_rounding;
    if (differs && !report.differs) first_other = stage.name;
    report.differs = report.differs || differs;
    rows.push_back({stage.name, stage.what, told});
  }
  report.text = AlignedText(rows, 3);
  report.text += report.differs ? "first to differ: " + first_other + "\n" : "no stage differs\n";
  return report;
}

}  // namespace tagflow::cli
