#ifndef TAGFLOW_CONFORMANCE_SESSION_SERVANT_H_
#define TAGFLOW_CONFORMANCE_SESSION_SERVANT_H_

// The protocol in front of a session of ours: what the servants of both engines have in common.
//
// Tested by reference_servant_test.cc and optimized_servant_test.cc.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/servant.h"
#include "graph/graph.h"
#include "graph/io/import.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::conformance {

// Session: has Run(feeds, fetches, targets, RunOptions).
template <typename Session, typename RunOptions>
class SessionServant : public Servant {
 public:
  SessionServant(std::string name, const OpRegistry& ops) : name_(std::move(name)), ops_(ops) {}

  Hello Introduce() const override {
    Hello hello;
    hello.set_name(name_);
    hello.set_version("1");
    hello.set_protocol(1);
    for (const char* capability : {"stateful", "devices", "cancel", "deadline", "seed"}) {
      hello.add_capabilities(capability);
    }
    return hello;
  }

  Response LoadGraph(const Load& load) override {
    CloseGraph();
    options_ = load.options();
    const Status status = Open(load);
    if (!status.ok()) return ErrorResponse(status);
    Response response;
    response.mutable_loaded();
    return response;
  }

  Response RunStep(const Run& run, const std::function<bool()>& cancelled) override {
    Result<Response> response = Step(run, cancelled);
    return response.ok() ? *std::move(response) : ErrorResponse(response.status());
  }

  void CloseGraph() override { session_.reset(); }

 protected:
  virtual Result<std::unique_ptr<Session>> Create(Graph graph, std::vector<std::string> devices,
                                                  const Options& options) = 0;
  // The engine's own wishes for a step.
  virtual void Adjust(RunOptions&) {}
  using Feeds = std::vector<std::pair<std::string, Tensor>>;
  // Around a step: may put other tensors in the place of its feeds, and look at them afterwards.
  virtual Status Lend(Feeds&) { return Status(); }
  virtual Status TakeBack() { return Status(); }

 private:
  Status Open(const Load& load) {
    TAGFLOW_ASSIGN_OR_RETURN(Graph graph, ImportGraph(load.graph(), {.registry = &ops_}));
    std::vector<std::string> devices(load.devices().begin(), load.devices().end());
    TAGFLOW_ASSIGN_OR_RETURN(session_, Create(std::move(graph), std::move(devices), options_));
    return Status();
  }

  Result<Response> Step(const Run& run, const std::function<bool()>& cancelled) {
    if (session_ == nullptr) return FailedPrecondition("no graph is loaded");
    Feeds feeds;
    for (const NamedTensor& feed : run.feeds()) {
      Result<Tensor> value = TensorFromProto(feed.value());
      if (!value.ok()) {
        return Status(value.status().code(),
                      "feed '" + feed.name() + "': " + value.status().message());
      }
      feeds.emplace_back(feed.name(), *std::move(value));
    }
    RunOptions options;
    options.max_firings = options_.max_firings();
    options.deadline_s = options_.deadline_s();
    options.seed = options_.seed();
    options.cancelled = cancelled;
    Adjust(options);
    TAGFLOW_RETURN_IF_ERROR(Lend(feeds));
    Result<Response> response = Compute(run, std::move(feeds), options);
    TAGFLOW_RETURN_IF_ERROR(TakeBack());
    return response;
  }

  Result<Response> Compute(const Run& run, Feeds feeds, const RunOptions& options) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                             session_->Run(feeds, {run.fetches().begin(), run.fetches().end()},
                                           {run.targets().begin(), run.targets().end()}, options));
    Response response;
    Values& out = *response.mutable_values();
    for (const Tensor& value : values) {
      TAGFLOW_RETURN_IF_ERROR(TensorToProto(value, TensorForm::kCompact, *out.add_values()));
    }
    return response;
  }

  const std::string name_;
  const OpRegistry& ops_;
  std::unique_ptr<Session> session_;
  Options options_;
};

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_SESSION_SERVANT_H_
