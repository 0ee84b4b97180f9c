#include "fuzz/engines/program_run.h"

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

Result<ProgramRun> ProgramRun::Make(const Program& program, const Lowered& lowered, Graph graph,
                                    const Engine& engine, int64_t limit) {
  ProgramRun run(program, lowered, limit);
  TAGFLOW_ASSIGN_OR_RETURN(run.session_, engine.Open(std::move(graph)));
  return run;
}

Result<ProgramRun> ProgramRun::Make(const Program& program, const Lowered& lowered, Graph graph,
                                    const Engine& engine) {
  return Make(program, lowered, std::move(graph), engine, LimitOf(program));
}

reference::RunOptions ProgramRun::Limited(reference::RunOptions options) const {
  if (options.max_firings == 0) options.max_firings = limit_;
  return options;
}

Status ProgramRun::Init(const Fetched& values, reference::RunOptions options) {
  if (lowered_.init.empty()) return Status();
  reference::NamedTensors feeds;
  for (size_t i = 0; i < values.size(); ++i) {
    const Graph& graph = session_->graph();
    const Node& assign = graph.node(graph.Find(lowered_.init[i]));
    feeds.emplace_back(OutputName(graph, assign.inputs[1]), values[i]);
  }
  return session_->Run(feeds, {}, lowered_.init, Limited(std::move(options))).status();
}

reference::NamedTensors ProgramRun::FeedsOf(int run) const {
  return fuzz::FeedsOf(program_, lowered_, run);
}

Result<Fetched> ProgramRun::Run(int run, reference::RunOptions options) {
  return Run(run, lowered_.fetches, std::move(options));
}

Result<Fetched> ProgramRun::Run(int run, const std::vector<std::string>& fetches,
                                reference::RunOptions options) {
  return session_->Run(FeedsOf(run), fetches, {}, Limited(std::move(options)));
}

Result<AllFetched> ProgramRun::RunAll(const reference::RunOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(Init({}, options));
  AllFetched all;
  for (int run = 0; run < program_.runs; ++run) {
    TAGFLOW_ASSIGN_OR_RETURN(Fetched values, Run(run, options));
    all.push_back(std::move(values));
  }
  return all;
}

Result<Fetched> ProgramRun::RunFed(int run, const std::pair<std::string, Tensor>& feed) {
  reference::NamedTensors feeds = FeedsOf(run);
  feeds.push_back(feed);
  return session_->Run(feeds, lowered_.fetches, {}, Limited({}));
}

Result<AllFetched> RunAllOn(const Program& program, const Engine& engine) {
  TAGFLOW_ASSIGN_OR_RETURN(Lowered lowered, Lower(program));
  Graph graph = std::move(lowered.graph);
  TAGFLOW_ASSIGN_OR_RETURN(ProgramRun run,
                           ProgramRun::Make(program, lowered, std::move(graph), engine));
  return run.RunAll();
}

}  // namespace tagflow::fuzz
