// Cases whose graphs of primitives were made functions (transform/structure): the results have to
// be those that the case tells.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "conformance/case_file.h"
#include "conformance/judge.h"
#include "conformance/session_servant.h"
#include "optimized/session.h"
#include "reference/session.h"
#include "transform/structure/recover_functions.h"

namespace tagflow::conformance {
namespace {

struct Tally {
  int cases = 0;
  int recovered = 0;  // with a loop or a cond
  int64_t loops = 0;
  int64_t choices = 0;
  std::map<std::string, int> declined;
};

// One call with the fetches and targets of all of a case's steps. Nothing where the steps feed
// different tensors, or the call cannot be resolved.
std::optional<CallSpec> CallOf(const Case& test, const Graph& graph) {
  std::set<std::string> fetches;
  std::set<std::string> targets;
  std::set<std::string> feeds;
  for (const Step& step : test.steps()) {
    std::set<std::string> fed;
    for (const auto& feed : step.feeds()) fed.insert(feed.name());
    if (&step == &test.steps(0)) feeds = fed;
    if (feeds != fed) return std::nullopt;
    fetches.insert(step.fetches().begin(), step.fetches().end());
    targets.insert(step.targets().begin(), step.targets().end());
  }
  const Result<CallSpec> call =
      ResolveCall(graph, {feeds.begin(), feeds.end()}, {fetches.begin(), fetches.end()},
                  {targets.begin(), targets.end()});
  if (!call.ok()) return std::nullopt;
  return *call;
}

// Whether all steps run the same targets: where they do not, a target has to stay the node it is.
bool HasOneSetOfTargets(const Case& test) {
  for (const Step& step : test.steps()) {
    const std::set<std::string> all(step.targets().begin(), step.targets().end());
    const auto& first = test.steps(0).targets();
    if (all != std::set<std::string>(first.begin(), first.end())) return false;
  }
  return true;
}

template <typename Session, typename SessionOptions, typename RunOptions>
class RecoveringServant : public SessionServant<Session, RunOptions> {
 public:
  RecoveringServant(const Case& test, Tally& tally, const SessionOptions& options)
      : SessionServant<Session, RunOptions>("recovered", OpRegistry::Standard()),
        test_(test),
        tally_(tally),
        options_(options) {}

  Response RunStep(const Run& run, const std::function<bool()>& cancelled) override {
    Run changed = run;
    if (has_targets_) {
      changed.clear_targets();
      for (const std::string& target : targets_) changed.add_targets(target);
    }
    return SessionServant<Session, RunOptions>::RunStep(changed, cancelled);
  }

 private:
  Result<std::unique_ptr<Session>> Create(Graph graph, std::vector<std::string> devices,
                                          const Options&) override {
    ++tally_.cases;
    has_targets_ = false;
    if (const std::optional<CallSpec> call = CallOf(test_, graph)) Recover(*call, graph);
    SessionOptions options = options_;
    options.devices = std::move(devices);
    return Session::Create(std::move(graph), options);
  }

  void Recover(const CallSpec& call, Graph& graph) {
    Result<RecoveredGraph> recovered = RecoverFunctions(graph, call);
    if (!recovered.ok()) return;
    targets_.clear();
    for (const NodeId target : recovered->call.targets) {
      targets_.push_back(recovered->graph.node(target).name);
    }
    has_targets_ = HasOneSetOfTargets(test_);
    for (const NodeId target : call.targets) {
      const bool is_there = recovered->graph.Find(graph.node(target).name) != NodeId::kNone;
      if (!is_there && !has_targets_) return;
    }
    tally_.recovered += recovered->num_loops + recovered->num_choices > 0 ? 1 : 0;
    tally_.loops += recovered->num_loops;
    tally_.choices += recovered->num_choices;
    for (const std::string& why : recovered->declined) {
      const bool is_of_node = why.starts_with("'") && why.find("' ") != std::string::npos;
      ++tally_.declined[is_of_node ? why.substr(why.find("' ") + 2) : why];
    }
    graph = std::move(recovered->graph);
  }

  const Case& test_;
  Tally& tally_;
  const SessionOptions options_;
  std::vector<std::string> targets_;
  bool has_targets_ = false;
};

// Errors name nodes on the way, and those inside of functions have other names.
void ForgetPaths(Case& test) {
  for (Step& step : *test.mutable_steps()) {
    if (step.has_error()) step.mutable_error()->clear_message_contains();
    for (Outcome& outcome : *step.mutable_outcomes()) {
      if (outcome.has_error()) outcome.mutable_error()->clear_message_contains();
    }
  }
}

template <typename Session, typename RunOptions, typename SessionOptions>
void RunAll(const SessionOptions& options) {
  using ServantOfCase = RecoveringServant<Session, SessionOptions, RunOptions>;
  const auto files = FindCases({"conformance/cases"});
  ASSERT_TRUE(files.ok());
  Tally tally;
  for (const std::string& file : *files) {
    Result<Case> test = ReadCase(file);
    ASSERT_TRUE(test.ok());
    ForgetPaths(*test);
    InProcessEngine engine(std::make_unique<ServantOfCase>(*test, tally, options));
    const CaseResult result = RunCase(*test, engine, 20);
    EXPECT_FALSE(IsBad(result)) << file << ": " << result.why;
  }
  std::printf("%d cases, %d with something recovered: %d loops, %d conds\n", tally.cases,
              tally.recovered, static_cast<int>(tally.loops), static_cast<int>(tally.choices));
  for (const auto& [why, count] : tally.declined) std::printf("%5d %s\n", count, why.c_str());
}

TEST(RecoveredTest, CasesGiveTheSameOnTheReference) {
  RunAll<reference::Session, reference::RunOptions>(reference::SessionOptions());
}

TEST(RecoveredTest, CasesGiveTheSameOnTheEngine) {
  RunAll<optimized::Session, optimized::RunOptions>(optimized::SessionOptions());
}

TEST(RecoveredTest, CasesGiveTheSameWhereBodiesAreSteps) {
  optimized::SessionOptions options;
  options.lowers_functions = false;
  RunAll<optimized::Session, optimized::RunOptions>(options);
}

}  // namespace
}  // namespace tagflow::conformance
