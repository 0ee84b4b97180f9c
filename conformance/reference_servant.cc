#include "conformance/reference_servant.h"

#include "graph/io/import.h"
#include "graph/io/tensor_proto.h"
#include "reference/session.h"

namespace tagflow::conformance {
namespace {

class ReferenceServant : public Servant {
 public:
  explicit ReferenceServant(const OpLibrary& library) : library_(library) {}

  Hello Introduce() const override {
    Hello hello;
    hello.set_name("reference");
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

 private:
  Status Open(const Load& load) {
    TAGFLOW_ASSIGN_OR_RETURN(Graph graph, ImportGraph(load.graph(), {.registry = library_.ops}));
    reference::SessionOptions options;
    options.kernels = library_.reference_kernels;
    options.devices.assign(load.devices().begin(), load.devices().end());
    if (options.devices.empty()) options.devices = {"/device:CPU:0"};
    TAGFLOW_ASSIGN_OR_RETURN(session_, reference::Session::Create(std::move(graph), options));
    return Status();
  }

  Result<Response> Step(const Run& run, const std::function<bool()>& cancelled) {
    if (session_ == nullptr) return FailedPrecondition("no graph is loaded");
    reference::NamedTensors feeds;
    for (const NamedTensor& feed : run.feeds()) {
      Result<Tensor> value = TensorFromProto(feed.value());
      if (!value.ok()) {
        return Status(value.status().code(),
                      "feed '" + feed.name() + "': " + value.status().message());
      }
      feeds.emplace_back(feed.name(), *std::move(value));
    }
    reference::RunOptions options;
    options.max_firings = options_.max_firings();
    options.deadline_s = options_.deadline_s();
    options.seed = options_.seed();
    options.cancelled = cancelled;
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

  const OpLibrary library_;
  std::unique_ptr<reference::Session> session_;
  Options options_;
};

}  // namespace

std::unique_ptr<Servant> MakeReferenceServant(const OpLibrary& library) {
  return std::make_unique<ReferenceServant>(library);
}

}  // namespace tagflow::conformance
