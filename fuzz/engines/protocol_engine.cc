#include "fuzz/engines/protocol_engine.h"

#include <chrono>
#include <utility>

#include "conformance/engine.pb.h"
#include "graph/io/export.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::fuzz {
namespace {

using Names = std::vector<std::string>;

class ProtocolSession : public EngineSession {
 public:
  ProtocolSession(conformance::Engine& engine, Graph graph, double timeout_s)
      : engine_(engine),
        graph_(std::move(graph)),
        deadline_(conformance::Clock::now() +
                  std::chrono::duration_cast<conformance::Clock::duration>(
                      std::chrono::duration<double>(timeout_s))) {}

  Status Load(const Names& devices) {
    conformance::Request load;
    TAGFLOW_ASSIGN_OR_RETURN(*load.mutable_load()->mutable_graph(), ExportGraph(graph_));
    load.mutable_load()->mutable_devices()->Assign(devices.begin(), devices.end());
    return Ask(load).status();
  }

  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds, const Names& fetches,
                                  const Names& targets, const reference::RunOptions&) override {
    conformance::Request request;
    conformance::Run& run = *request.mutable_run();
    for (const auto& [name, value] : feeds) {
      conformance::NamedTensor& feed = *run.add_feeds();
      feed.set_name(name);
      TAGFLOW_RETURN_IF_ERROR(TensorToProto(value, TensorForm::kCompact, *feed.mutable_value()));
    }
    run.mutable_fetches()->Assign(fetches.begin(), fetches.end());
    run.mutable_targets()->Assign(targets.begin(), targets.end());
    TAGFLOW_ASSIGN_OR_RETURN(const conformance::Response response, Ask(request));
    return Values(response, fetches.size());
  }

  const Graph& graph() const override { return graph_; }

 private:
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

  Result<conformance::Response> Ask(const conformance::Request& request) {
    const conformance::Reply reply = engine_.Ask(request, deadline_);
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
    if (response.has_error()) {
      return Internal(response.error().code() + ": " + response.error().message());
    }
    return response;
  }

  conformance::Engine& engine_;
  const Graph graph_;
  const conformance::Clock::time_point deadline_;
};

class OverProtocol : public Engine {
 public:
  OverProtocol(std::unique_ptr<conformance::Engine> engine, double timeout_s)
      : engine_(std::move(engine)), timeout_s_(timeout_s) {}

  Capabilities capabilities() const override { return {}; }
  Result<std::unique_ptr<EngineSession>> Open(Graph graph, const Names& devices) const override {
    auto session = std::make_unique<ProtocolSession>(*engine_, std::move(graph), timeout_s_);
    TAGFLOW_RETURN_IF_ERROR(session->Load(devices));
    return std::unique_ptr<EngineSession>(std::move(session));
  }

 private:
  const std::unique_ptr<conformance::Engine> engine_;
  const double timeout_s_;
};

}  // namespace

std::unique_ptr<Engine> ProtocolEngine(std::unique_ptr<conformance::Engine> engine,
                                       double timeout_s) {
  return std::make_unique<OverProtocol>(std::move(engine), timeout_s);
}

}  // namespace tagflow::fuzz
