#include "fuzz/mutants/case_killer.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "conformance/case_file.h"
#include "conformance/judge.h"
#include "conformance/servant.h"
#include "fuzz/mutants/mutant_session.h"
#include "graph/io/import.h"
#include "graph/io/tensor_proto.h"
#include "reference/races.h"

namespace tagflow::fuzz {
namespace {

using conformance::Case;
using conformance::CaseResult;
using conformance::Reply;
using conformance::Request;
using conformance::Response;
using conformance::Run;
using conformance::Verdict;

constexpr uint64_t kOrders = 3;  // 0 is first come, first served
constexpr int64_t kMostFirings = 100'000;
constexpr double kMostSeconds = 10;

Result<Call> CallOf(const Run& run) {
  Call call;
  for (const conformance::NamedTensor& feed : run.feeds()) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, TensorFromProto(feed.value()));
    call.feeds.emplace_back(feed.name(), std::move(value));
  }
  call.fetches.assign(run.fetches().begin(), run.fetches().end());
  call.targets.assign(run.targets().begin(), run.targets().end());
  return call;
}

Call CallOf(const conformance::Step& step) {
  Run run;
  *run.mutable_feeds() = step.feeds();
  *run.mutable_fetches() = step.fetches();
  *run.mutable_targets() = step.targets();
  Result<Call> call = CallOf(run);
  return call.ok() ? *std::move(call) : Call();
}

Result<std::unique_ptr<MutantSession>> Open(const GraphDef& def, std::vector<std::string> devices,
                                            const Mutant& mutant) {
  TAGFLOW_ASSIGN_OR_RETURN(Graph graph, ImportGraph(def));
  if (devices.empty()) devices = {"/device:CPU:0"};
  return std::make_unique<MutantSession>(std::move(graph), mutant, std::move(devices));
}

// The mutant as an engine that can be held to cases.
class MutantEngine : public conformance::Engine {
 public:
  MutantEngine(const Mutant& mutant, uint64_t seed) : mutant_(mutant), seed_(seed) {}

  Reply Ask(const Request& request, conformance::Clock::time_point) override {
    Result<Response> response = request.has_load() ? Load(request.load()) : Step(request.run());
    return {Reply::Kind::kAnswered,
            response.ok() ? *std::move(response) : conformance::ErrorResponse(response.status()),
            ""};
  }

 private:
  Result<Response> Load(const conformance::Load& load) {
    TAGFLOW_ASSIGN_OR_RETURN(
        session_, Open(load.graph(), {load.devices().begin(), load.devices().end()}, mutant_));
    Response response;
    response.mutable_loaded();
    return response;
  }

  Result<Response> Step(const Run& run) {
    TAGFLOW_ASSIGN_OR_RETURN(const Call call, CallOf(run));
    reference::RunOptions options;
    options.seed = seed_;
    options.max_firings = kMostFirings;
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> values, session_->Run(call, options));
    Response response;
    response.mutable_values();
    for (const Tensor& value : values) {
      TAGFLOW_RETURN_IF_ERROR(
          TensorToProto(value, TensorForm::kCompact, *response.mutable_values()->add_values()));
    }
    return response;
  }

  const Mutant& mutant_;
  const uint64_t seed_;
  std::unique_ptr<MutantSession> session_;
};

const Mutant& Standard() {
  static const Mutant standard;
  return standard;
}

// Two live tokens at a Merge are noted and not refused, as where orders are explored.
Mutant MergesGoOn(const Mutant& mutant) {
  Mutant lenient = mutant;
  lenient.rules.merge_second_live = [](int, int, const std::string&) { return Status(); };
  return lenient;
}

// The races of all steps, in words.
std::vector<std::string> RacesOf(const Case& test, const Mutant& mutant) {
  std::vector<std::string> races;
  const Mutant lenient = MergesGoOn(mutant);
  auto session = Open(test.graph(), {test.devices().begin(), test.devices().end()}, lenient);
  if (!session.ok()) return races;
  for (const conformance::Step& step : test.steps()) {
    reference::History history;
    reference::RunOptions options;
    options.history = &history;
    options.max_firings = kMostFirings;
    (void)(*session)->Run(CallOf(step), options);
    for (const reference::Race& race : reference::FindRaces(history))
      races.push_back(race.ToString(history));
  }
  return races;
}

// What becomes of the first step that has `limit` firings (0: no limit), and how many it had.
std::pair<Status, int64_t> RunLimited(const Case& test, const Mutant& mutant, int64_t limit) {
  auto session = Open(test.graph(), {test.devices().begin(), test.devices().end()}, mutant);
  if (!session.ok()) return {session.status(), 0};
  int64_t firings = 0;
  reference::RunOptions options;
  options.max_firings = limit == 0 ? kMostFirings : limit;
  options.trace = [&](const reference::TraceEvent&) { ++firings; };
  const Status status = (*session)->Run(CallOf(test.steps(0)), options).status();
  return {status, firings};
}

// Where a step may also fail, ours does: what else the standard allows is for other engines.
Case Strict(const Case& test) {
  Case strict = test;
  for (conformance::Step& step : *strict.mutable_steps()) {
    auto& outcomes = *step.mutable_outcomes();
    const auto fails = [](const conformance::Outcome& outcome) { return outcome.has_error(); };
    if (std::none_of(outcomes.begin(), outcomes.end(), fails)) continue;
    outcomes.erase(std::remove_if(outcomes.begin(), outcomes.end(), std::not_fn(fails)),
                   outcomes.end());
  }
  return strict;
}

std::string LimitDiffers(const Case& test, const Mutant& mutant) {
  const auto [whole, firings] = RunLimited(test, Standard(), 0);
  if (!whole.ok() && RunLimited(test, mutant, 0).second > firings)
    return "the step goes on after " + whole.ToString();
  if (!whole.ok() || firings < 2) return "";
  const Status stopped = RunLimited(test, mutant, firings - 1).first;
  if (stopped.code() == RunLimited(test, Standard(), firings - 1).first.code()) return "";
  return "a limit of one firing too few gives " + stopped.ToString();
}

}  // namespace

std::string CaseKiller::Differs(const Case& test, const Mutant& mutant) {
  const Case strict = Strict(test);
  // Of a mutant that only shows the race detector something else the results are the standard's.
  const bool runs_alike = mutant.history && !mutant.rewrite && mutant.kernels.empty();
  const uint64_t orders = runs_alike ? 0 : mutant.history || mutant.options ? 1 : kOrders;
  for (uint64_t seed = 0; seed < orders; ++seed) {
    MutantEngine engine(mutant, seed);
    const CaseResult result = conformance::RunCase(strict, engine, kMostSeconds);
    if (result.verdict != Verdict::kPass && result.verdict != Verdict::kUnsupported)
      return result.why;
  }
  if (mutant.history && RacesOf(test, mutant) != RacesOf(test, Standard()))
    return "its races are not those of the standard";
  return mutant.options ? LimitDiffers(test, mutant) : "";
}

std::optional<CaseKill> CaseKiller::Kill(const Mutant& mutant) const {
  const auto is_about = [&](const Case& test) {
    return std::find(test.rules().begin(), test.rules().end(), mutant.rule) != test.rules().end();
  };
  for (const bool about : {true, false}) {
    for (const Case& test : cases_) {
      if (is_about(test) != about) continue;
      std::string why = Differs(test, mutant);
      if (!why.empty()) return CaseKill{test.name(), std::move(why)};
    }
  }
  return std::nullopt;
}

Result<std::vector<Case>> CaseKiller::ReadAll(const std::string& folder) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, conformance::FindCases({folder}));
  std::vector<Case> cases;
  for (const std::string& path : paths) {
    TAGFLOW_ASSIGN_OR_RETURN(Case test, conformance::ReadCase(path));
    cases.push_back(std::move(test));
  }
  return cases;
}

}  // namespace tagflow::fuzz
