#include "fuzz/harness/subject.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "conformance/engines.h"
#include "fuzz/direct/direct.h"
#include "fuzz/lower/lower.h"
#include "fuzz/mutants/mutant_session.h"
#include "graph/io/export.h"
#include "graph/io/tensor_proto.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

class DirectSubject : public Subject {
 protected:
  Result<Answers> DoRun(const Program& program, int64_t) override {
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<RunResult> runs, Evaluate(program));
    Answers answers;
    for (RunResult& run : runs) answers.runs.push_back(std::move(run.values));
    return answers;
  }
};

// The reference, or a mutant of it.
class ReferenceSteps {
 public:
  static Result<ReferenceSteps> Open(Graph graph, const Mutant* mutant,
                                     const std::vector<std::string>& devices = {}) {
    ReferenceSteps steps;
    if (mutant != nullptr) {
      steps.broken_ = std::make_unique<MutantSession>(std::move(graph), *mutant, devices);
    } else {
      reference::SessionOptions options;
      options.devices = devices;
      TAGFLOW_ASSIGN_OR_RETURN(steps.right_, reference::Session::Create(std::move(graph), options));
    }
    return steps;
  }

  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& options) const {
    return broken_ != nullptr ? broken_->Run({feeds, fetches, targets}, options)
                              : right_->Run(feeds, fetches, targets, options);
  }

 private:
  std::unique_ptr<reference::Session> right_;
  std::unique_ptr<MutantSession> broken_;  // one of the two
};

class ReferenceSubject : public Subject {
 public:
  ReferenceSubject(const SubjectOptions& options, uint64_t seed)
      : mutant_(options.mutant), timeout_s_(options.timeout_s), seed_(seed) {}

  std::vector<Result<std::vector<Tensor>>> RunGraph(const GraphSample& sample,
                                                    const std::vector<GraphCall>& calls) override {
    Result<ReferenceSteps> steps =
        ReferenceSteps::Open(sample.graph.Clone(), mutant_, sample.devices);
    if (!steps.ok()) return {Said(steps.status())};
    reference::RunOptions options;
    options.deadline_s = timeout_s_;
    options.max_firings = kMostFirings;
    options.seed = seed_;
    std::vector<Result<std::vector<Tensor>>> results;
    for (const GraphCall& call : calls) {
      results.push_back(steps->Run(call.feeds, call.fetches, call.targets, options));
      if (!results.back().ok()) results.back() = Said(results.back().status());
    }
    return results;
  }

 protected:
  Result<Answers> DoRun(const Program& program, int64_t max_firings) override {
    TAGFLOW_ASSIGN_OR_RETURN(Lowered lowered, Lower(program));
    TAGFLOW_ASSIGN_OR_RETURN(const ReferenceSteps steps,
                             ReferenceSteps::Open(std::move(lowered.graph), mutant_));
    Answers answers;
    reference::RunOptions options;
    options.deadline_s = timeout_s_;
    options.max_firings = max_firings;
    options.seed = seed_;
    options.firings = &answers.firings;
    if (!lowered.init.empty()) {
      TAGFLOW_RETURN_IF_ERROR(steps.Run({}, {}, lowered.init, options).status());
    }
    for (int run = 0; run < program.runs; ++run) {
      TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> values, steps.Run(FeedsOf(program, lowered, run),
                                                                     lowered.fetches, {}, options));
      answers.runs.push_back(std::move(values));
    }
    return answers;
  }

 private:
  static constexpr int64_t kMostFirings = 20000;

  // A step's error, under a code that is not one of the three that say how a subject is.
  static Status Said(const Status& error) { return Internal(error.ToString()); }

  const Mutant* mutant_;
  const double timeout_s_;
  const uint64_t seed_;
};

class EngineSubject : public Subject {
 public:
  // ours: what the engine is, where it is ours.
  EngineSubject(std::unique_ptr<conformance::Engine> engine, double timeout_s,
                std::optional<conformance::OptimizedOptions> ours)
      : engine_(std::move(engine)), timeout_s_(timeout_s), ours_(ours) {}

  Capabilities capabilities() const override {
    if (!ours_.has_value()) return {};
    // An engine that changes the graph blames other nodes.
    return {.limits_firings = true,
            .has_our_codes = true,
            .runs_our_passes = true,
            .explains_dead_fetches = !ours_->simplify};
  }

  std::vector<Result<std::vector<Tensor>>> RunGraph(const GraphSample& sample,
                                                    const std::vector<GraphCall>& calls) override {
    const auto deadline = Deadline();
    const Status loaded = LoadGraph(sample.graph, sample.devices, deadline, LimitOf(sample));
    if (!loaded.ok()) {
      return {loaded};
    }
    std::vector<Result<std::vector<Tensor>>> results;
    for (const GraphCall& call : calls) {
      results.push_back(RunStep(call.feeds, call.fetches, call.targets, deadline));
    }
    return results;
  }

 protected:
  Result<Answers> DoRun(const Program& program, int64_t) override {
    TAGFLOW_ASSIGN_OR_RETURN(const Lowered lowered, Lower(program));
    const auto deadline = Deadline();
    TAGFLOW_RETURN_IF_ERROR(LoadGraph(lowered.graph, {}, deadline, {}));
    if (!lowered.init.empty()) {
      TAGFLOW_RETURN_IF_ERROR(RunStep({}, {}, lowered.init, deadline).status());
    }
    Answers answers;
    for (int run = 0; run < program.runs; ++run) {
      TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> values, RunStep(FeedsOf(program, lowered, run),
                                                                   lowered.fetches, {}, deadline));
      answers.runs.push_back(std::move(values));
    }
    return answers;
  }

 private:
  // The limit of each step of a graph.
  conformance::Options LimitOf(const GraphSample& sample) const {
    conformance::Options options;
    if (!ours_.has_value()) return options;
    if (sample.deadline_s > 0) {
      options.set_deadline_s(sample.deadline_s);
    } else {
      options.set_max_firings(kMostFirings);
    }
    return options;
  }

  Status LoadGraph(const Graph& graph, const std::vector<std::string>& devices,
                   conformance::Clock::time_point deadline, const conformance::Options& options) {
    conformance::Request load;
    *load.mutable_load()->mutable_options() = options;
    TAGFLOW_ASSIGN_OR_RETURN(*load.mutable_load()->mutable_graph(), ExportGraph(graph));
    load.mutable_load()->mutable_devices()->Assign(devices.begin(), devices.end());
    return Ask(load, deadline).status();
  }

  Result<std::vector<Tensor>> RunStep(const reference::NamedTensors& feeds,
                                      const std::vector<std::string>& fetches,
                                      const std::vector<std::string>& targets,
                                      conformance::Clock::time_point deadline) {
    TAGFLOW_ASSIGN_OR_RETURN(conformance::Request request, Step(feeds, fetches));
    for (const std::string& target : targets) request.mutable_run()->add_targets(target);
    TAGFLOW_ASSIGN_OR_RETURN(const conformance::Response response, Ask(request, deadline));
    return Values(response, fetches.size());
  }

  conformance::Clock::time_point Deadline() const {
    return conformance::Clock::now() + std::chrono::duration_cast<conformance::Clock::duration>(
                                           std::chrono::duration<double>(timeout_s_));
  }

  static Result<conformance::Request> Step(const reference::NamedTensors& feeds,
                                           const std::vector<std::string>& fetches) {
    conformance::Request request;
    for (const auto& [name, value] : feeds) {
      conformance::NamedTensor& feed = *request.mutable_run()->add_feeds();
      feed.set_name(name);
      TAGFLOW_RETURN_IF_ERROR(TensorToProto(value, TensorForm::kCompact, *feed.mutable_value()));
    }
    request.mutable_run();
    for (const std::string& fetch : fetches) request.mutable_run()->add_fetches(fetch);
    return request;
  }

  static Result<std::vector<Tensor>> Values(const conformance::Response& response, size_t fetches) {
    if (!response.has_values() || static_cast<size_t>(response.values().values_size()) != fetches) {
      return Internal("the engine gave " + std::to_string(response.values().values_size()) +
                      " values for " + std::to_string(fetches) + " fetches");
    }
    std::vector<Tensor> values;
    for (const TensorProto& proto : response.values().values()) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor value, TensorFromProto(proto));
      values.push_back(std::move(value));
    }
    return values;
  }

  Result<conformance::Response> Ask(const conformance::Request& request,
                                    conformance::Clock::time_point deadline) {
    const conformance::Reply reply = engine_->Ask(request, deadline);
    switch (reply.kind) {
      case conformance::Reply::Kind::kCrashed:
        return Status(Code::kAborted, reply.why);
      case conformance::Reply::Kind::kTimedOut:
        return DeadlineExceeded(reply.why);
      case conformance::Reply::Kind::kAnswered:
        break;
    }
    const conformance::Response& response = reply.response;
    if (response.response_case() == conformance::Response::kUnsupported) {
      return Unimplemented(response.unsupported());
    }
    if (response.has_error()) return Said(response.error());
    return response;
  }

  // The engine's own error, under a code that is not one of the three that say how the engine is.
  static Status Said(const conformance::EngineError& error) {
    return Status(Code::kInternal, error.code() + ": " + error.message());
  }

  static constexpr int64_t kMostFirings = 20'000;

  const std::unique_ptr<conformance::Engine> engine_;
  const double timeout_s_;
  const std::optional<conformance::OptimizedOptions> ours_;
};

}  // namespace

std::vector<Result<std::vector<Tensor>>> Subject::RunGraph(const GraphSample&,
                                                           const std::vector<GraphCall>&) {
  return {Unimplemented("no graphs: it runs programs")};
}

Result<ReferenceName> ParseReferenceName(const std::string& name) {
  constexpr std::string_view kPrefix = "reference:";
  if (name == "reference") return ReferenceName{true, 0};
  if (!name.starts_with(kPrefix)) return ReferenceName{};
  ReferenceName found{true, 0};
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, found.seed);
  if (error == std::errc() && stop == end) return found;
  return InvalidArgument("'" + name + "': what follows 'reference:' is the number of an order");
}

Result<std::unique_ptr<Subject>> MakeSubject(const SubjectOptions& options) {
  if (options.name == "direct") return std::unique_ptr<Subject>(new DirectSubject);
  TAGFLOW_ASSIGN_OR_RETURN(const ReferenceName reference, ParseReferenceName(options.name));
  if (reference.is_reference) {
    return std::unique_ptr<Subject>(new ReferenceSubject(options, reference.seed));
  }
  conformance::EngineOptions engine_options;
  engine_options.engine = options.name;
  // Ours runs here: a run of the fuzzer outlives this process, and pipes take time.
  const auto ours = conformance::OptimizedOptionsOf(options.name);
  engine_options.in_process = ours.has_value();
  TAGFLOW_ASSIGN_OR_RETURN(const conformance::EngineFactory factory,
                           conformance::FactoryFor(engine_options));
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<conformance::Engine> engine, factory());
  return std::unique_ptr<Subject>(new EngineSubject(std::move(engine), options.timeout_s, ours));
}

}  // namespace tagflow::fuzz
