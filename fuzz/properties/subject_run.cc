#include "fuzz/properties/subject_run.h"

#include "fuzz/direct/compare.h"
#include "fuzz/direct/direct.h"
#include "fuzz/lower/firing_limit.h"

namespace tagflow::fuzz {
namespace {

int64_t LimitOf(const Program& program) {
  Activity activity;
  DirectOptions options;
  options.activity = &activity;
  (void)Evaluate(program, options);
  return FiringLimit(program, activity);
}

}  // namespace

Result<SubjectRun> SubjectRun::Make(const Program& program, const Lowered& lowered, Graph graph,
                                    const Engine& engine) {
  SubjectRun run(program, lowered);
  run.limit_ = LimitOf(program);
  TAGFLOW_ASSIGN_OR_RETURN(run.session_, engine.Open(std::move(graph)));
  return run;
}

reference::RunOptions SubjectRun::Limited(reference::RunOptions options) const {
  if (options.max_firings == 0) options.max_firings = limit_;
  return options;
}

Status SubjectRun::Init(const Fetched& values) {
  if (lowered_.init.empty()) return Status();
  reference::NamedTensors feeds;
  for (size_t i = 0; i < values.size(); ++i) {
    const Graph& graph = session_->graph();
    const Node& assign = graph.node(graph.Find(lowered_.init[i]));
    feeds.emplace_back(OutputName(graph, assign.inputs[1]), values[i]);
  }
  return session_->Run(feeds, {}, lowered_.init, Limited({})).status();
}

reference::NamedTensors SubjectRun::FeedsOf(int run) const {
  return fuzz::FeedsOf(program_, lowered_, run);
}

Result<Fetched> SubjectRun::Run(int run, reference::RunOptions options) {
  return Run(run, lowered_.fetches, std::move(options));
}

Result<Fetched> SubjectRun::Run(int run, const std::vector<std::string>& fetches,
                                reference::RunOptions options) {
  return session_->Run(FeedsOf(run), fetches, {}, Limited(std::move(options)));
}

Result<AllFetched> SubjectRun::RunAll(const reference::RunOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(Init());
  AllFetched all;
  for (int run = 0; run < program_.runs; ++run) {
    TAGFLOW_ASSIGN_OR_RETURN(Fetched values, Run(run, options));
    all.push_back(std::move(values));
  }
  return all;
}

Result<Fetched> SubjectRun::RunFed(int run, const std::pair<std::string, Tensor>& feed) {
  reference::NamedTensors feeds = FeedsOf(run);
  feeds.push_back(feed);
  return session_->Run(feeds, lowered_.fetches, {}, Limited({}));
}

Result<AllFetched> RunAllOn(const Program& program, const Engine& engine,
                            const reference::RunOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(Lowered lowered, Lower(program));
  Graph graph = std::move(lowered.graph);
  TAGFLOW_ASSIGN_OR_RETURN(SubjectRun subject,
                           SubjectRun::Make(program, lowered, std::move(graph), engine));
  return subject.RunAll(options);
}

Violation DifferenceOf(const Program& program, const Fetched& expected, const Fetched& actual,
                       int run) {
  RunResult wanted;
  wanted.values = expected;
  const std::string difference = Difference(program, wanted, actual);
  if (difference.empty()) return std::nullopt;
  return program.runs > 1 ? "run " + std::to_string(run) + ": " + difference : difference;
}

Violation DifferenceOf(const Program& program, const AllFetched& expected,
                       const AllFetched& actual) {
  for (size_t run = 0; run < expected.size(); ++run) {
    Violation difference = DifferenceOf(program, expected[run], actual[run], static_cast<int>(run));
    if (difference) return difference;
  }
  return std::nullopt;
}

std::string Failed(const std::string& what, const Status& status) {
  return what + ": " + status.ToString();
}

}  // namespace tagflow::fuzz
