#include "reference/session.h"

#include <random>

#include "graph/call_checks.h"
#include "graph/out_of_memory.h"
#include "graph/unknown_ops.h"

namespace tagflow::reference {
namespace {

std::string CallKey(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                    const std::vector<std::string>& targets) {
  std::string key;
  for (const auto& [name, value] : feeds) key += name + "\n";
  key += "\n";
  for (const std::string& fetch : fetches) key += fetch + "\n";
  key += "\n";
  for (const std::string& target : targets) key += target + "\n";
  return key;
}

Order RandomOrder(uint64_t seed) {
  return [random = std::mt19937_64(seed)](const std::deque<Ready>& ready) mutable {
    return static_cast<size_t>(random() % ready.size());
  };
}

Result<std::vector<Tensor>> RunStep(Interpreter& interpreter, const NamedTensors& feeds,
                                    const RunOptions& options) {
  std::vector<Tensor> values;
  for (const auto& [name, value] : feeds) values.push_back(value);
  TAGFLOW_RETURN_IF_ERROR(interpreter.Start(values));
  const Limits limits{options.max_firings,
                      options.deadline_s,
                      options.cancelled,
                      options.progress,
                      nullptr,
                      nullptr,
                      options.firings};
  TAGFLOW_RETURN_IF_ERROR(RunToEnd({&interpreter}, limits));
  if (!interpreter.errors().empty()) return interpreter.errors().front();
  return interpreter.Finish();
}

}  // namespace

Result<std::unique_ptr<Session>> Session::Create(Graph graph, const SessionOptions& options) {
  return OrOutOfMemory([&]() -> Result<std::unique_ptr<Session>> {
    StandInForUnknownOps(graph);
    return std::unique_ptr<Session>(new Session(std::move(graph), options));
  });
}

Result<const Program*> Session::Prepare(const NamedTensors& feeds,
                                        const std::vector<std::string>& fetches,
                                        const std::vector<std::string>& targets) {
  std::unique_ptr<Program>& program = programs_[CallKey(feeds, fetches, targets)];
  if (program != nullptr) return static_cast<const Program*>(program.get());
  std::vector<std::string> names;
  for (const auto& [name, value] : feeds) names.push_back(name);
  TAGFLOW_ASSIGN_OR_RETURN(CallSpec call, ResolveCall(graph_, names, fetches, targets));
  TAGFLOW_ASSIGN_OR_RETURN(Program prepared,
                           PrepareProgram(graph_, std::move(call), *options_.kernels));
  if (!options_.soft_placement && !options_.any_device) {
    TAGFLOW_RETURN_IF_ERROR(CheckDevices(graph_, prepared.call, prepared.needed, options_.devices));
  }
  program = std::make_unique<Program>(std::move(prepared));
  return static_cast<const Program*>(program.get());
}

Status Session::Check(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                      const std::vector<std::string>& targets) {
  return OrOutOfMemory([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(last_, Prepare(feeds, fetches, targets));
    for (size_t i = 0; i < feeds.size(); ++i) {
      if (IsOfAnyType(graph_, last_->call.feeds[i])) continue;
      TAGFLOW_RETURN_IF_ERROR(
          CheckFeed(graph_, last_->call.feeds[i], feeds[i].first, feeds[i].second));
    }
    return Status();
  });
}

Result<std::vector<Tensor>> Session::Run(const NamedTensors& feeds,
                                         const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets,
                                         const RunOptions& options) {
  return RunUnder(*options_.rules, feeds, fetches, targets, options);
}

Result<std::vector<Tensor>> Session::RunUnder(const Rules& rules, const NamedTensors& feeds,
                                              const std::vector<std::string>& fetches,
                                              const std::vector<std::string>& targets,
                                              const RunOptions& options) {
  return OrOutOfMemory([&] { return RunStepUnder(rules, feeds, fetches, targets, options); });
}

Result<std::vector<Tensor>> Session::RunStepUnder(const Rules& rules, const NamedTensors& feeds,
                                                  const std::vector<std::string>& fetches,
                                                  const std::vector<std::string>& targets,
                                                  const RunOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(Check(feeds, fetches, targets));
  InterpreterOptions interpreter_options;
  interpreter_options.rules = &rules;
  interpreter_options.order = options.order;
  if (!options.order && options.seed != 0) interpreter_options.order = RandomOrder(options.seed);
  interpreter_options.trace = options.trace;
  interpreter_options.history = options.history;
  interpreter_options.collect_errors = options.collect_errors;
  interpreter_options.bodies = &bodies_;
  interpreter_options.differentiate = options_.differentiate;

  Rendezvous rendezvous;
  Interpreter interpreter(*last_, resources_, rendezvous, interpreter_options);
  // What the step made ends with it, also where memory ran out.
  Result<std::vector<Tensor>> result =
      OrOutOfMemory([&] { return RunStep(interpreter, feeds, options); });
  collected_errors_ = interpreter.errors();
  resources_.EndStep();
  return result;
}

}  // namespace tagflow::reference
