#include "fuzz/harness/engine_tokens.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "conformance/engines.h"
#include "graph/io/export.h"
#include "graph/io/tensor_proto.h"
#include "graph/tag.h"

namespace tagflow::fuzz {
namespace {

using conformance::Clock;

// One output of the guide's event, to be fetched.
struct Asked {
  size_t event = 0;
  size_t output = 0;
};

// Whether what the firing gave is in the root frame: an Enter gives into its frame, an Exit out of
// it.
bool GivesIntoRoot(const Node& node, const TokenEvent& event) {
  if (node.op == "Enter" || node.op == "RefEnter") return false;
  if (node.op != "Exit" && node.op != "RefExit") return event.tag.empty();
  const Result<Tag> tag = ParseTag(event.tag);
  return tag.ok() && tag->path.size() == 1;
}

bool CanBeFetched(const reference::TraceEvent::Output& output) {
  return !output.dead && output.value.has_value() && output.value.dtype() != DType::kResource &&
         output.value.dtype() != DType::kVariant;
}

class EngineTokens : public TokenSource {
 public:
  EngineTokens(std::unique_ptr<conformance::Engine> engine, double timeout_s)
      : engine_(std::move(engine)), timeout_s_(timeout_s) {}

  Result<TokenTrace> Trace(const CallSequence& calls, const TokenTrace& guide) override {
    calls_ = &calls;
    guide_ = &guide;
    TAGFLOW_ASSIGN_OR_RETURN(graph_, ExportGraph(calls.graph));
    TokenTrace trace;
    trace.partial = true;
    Status loaded = Load();
    for (size_t call = 0; call < calls.calls.size() && trace.status.ok(); ++call) {
      const std::vector<Asked> asked = AskedIn(call);
      Result<std::vector<Tensor>> values = loaded.ok() ? Step(call, asked) : loaded;
      if (values.ok()) {
        for (size_t i = 0; i < asked.size(); ++i) AddValue(asked[i], (*values)[i], trace);
        continue;
      }
      trace.status = values.status();
      for (const Asked& one : asked) AddAlone(one, trace);
    }
    return trace;
  }

 private:
  std::vector<Asked> AskedIn(size_t call) const {
    std::vector<Asked> asked;
    for (size_t event = 0; event < guide_->events.size(); ++event) {
      const TokenEvent& from = guide_->events[event];
      if (from.call != call || from.dead || from.node == NodeId::kNone) continue;
      if (!GivesIntoRoot(calls_->graph.node(from.node), from)) continue;
      for (size_t output = 0; output < from.outputs.size(); ++output) {
        if (CanBeFetched(from.outputs[output])) asked.push_back({event, output});
      }
    }
    return asked;
  }

  std::string NameOf(const Asked& asked) const {
    return OutputName(calls_->graph,
                      {guide_->events[asked.event].node, static_cast<int32_t>(asked.output)});
  }

  // In a session of its own, after the calls before it.
  void AddAlone(const Asked& asked, TokenTrace& trace) {
    Status status = Load();
    const size_t call = guide_->events[asked.event].call;
    for (size_t i = 0; i < call && status.ok(); ++i) status = Step(i, {}).status();
    Result<std::vector<Tensor>> value =
        status.ok() ? Step(call, {asked}) : Result<std::vector<Tensor>>(status);
    if (value.ok()) return AddValue(asked, (*value)[0], trace);
    EventOf(asked, trace).error = value.status().message();
  }

  void AddValue(const Asked& asked, const Tensor& value, TokenTrace& trace) const {
    TokenEvent& event = EventOf(asked, trace);
    event.outputs.resize(std::max(event.outputs.size(), asked.output + 1));
    event.outputs[asked.output].value = value;
  }

  // The event for the asked one's node: outputs of one node come one after the other.
  TokenEvent& EventOf(const Asked& asked, TokenTrace& trace) const {
    const TokenEvent& from = guide_->events[asked.event];
    const bool new_event = trace.events.empty() || trace.events.back().node != from.node ||
                           trace.events.back().call != from.call;
    if (new_event) {
      TokenEvent event;
      event.call = from.call;
      event.node = from.node;
      event.name = from.name;
      event.tag = from.tag;
      event.inputs.assign(from.inputs.size(), -1);
      trace.events.push_back(std::move(event));
    }
    return trace.events.back();
  }

  Status Load() {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(timeout_s_));
    conformance::Request request;
    *request.mutable_load()->mutable_graph() = graph_;
    return Ask(request).status();
  }

  // The call, with more fetches; their values.
  Result<std::vector<Tensor>> Step(size_t index, const std::vector<Asked>& asked) {
    const GraphCall& call = calls_->calls[index];
    conformance::Request request;
    conformance::Run& run = *request.mutable_run();
    for (const auto& [name, value] : call.feeds) {
      conformance::NamedTensor& feed = *run.add_feeds();
      feed.set_name(name);
      TAGFLOW_RETURN_IF_ERROR(TensorToProto(value, TensorForm::kCompact, *feed.mutable_value()));
    }
    for (const Asked& one : asked) run.add_fetches(NameOf(one));
    for (const std::string& fetch : call.fetches) run.add_fetches(fetch);
    for (const std::string& target : call.targets) run.add_targets(target);
    TAGFLOW_ASSIGN_OR_RETURN(const conformance::Response response, Ask(request));
    if (response.values().values_size() != run.fetches_size()) {
      return Internal("the engine gave another number of values than was fetched");
    }
    std::vector<Tensor> values;
    for (size_t i = 0; i < asked.size(); ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor value,
                               TensorFromProto(response.values().values(static_cast<int>(i))));
      values.push_back(std::move(value));
    }
    return values;
  }

  Result<conformance::Response> Ask(const conformance::Request& request) {
    const conformance::Reply reply = engine_->Ask(request, deadline_);
    if (reply.kind != conformance::Reply::Kind::kAnswered) {
      return Status(Code::kAborted, reply.why);
    }
    const conformance::Response& response = reply.response;
    if (response.has_error()) {
      return Internal(response.error().code() + ": " + response.error().message());
    }
    if (response.response_case() == conformance::Response::kUnsupported) {
      return Unimplemented(response.unsupported());
    }
    return response;
  }

  const std::unique_ptr<conformance::Engine> engine_;
  const double timeout_s_;
  Clock::time_point deadline_;
  const CallSequence* calls_ = nullptr;
  const TokenTrace* guide_ = nullptr;
  GraphDef graph_;
};

}  // namespace

Result<std::unique_ptr<TokenSource>> MakeEngineTokens(const std::string& name, double timeout_s) {
  conformance::EngineOptions options;
  options.engine = name;
  TAGFLOW_ASSIGN_OR_RETURN(const conformance::EngineFactory factory,
                           conformance::FactoryFor(options));
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<conformance::Engine> engine, factory());
  return std::unique_ptr<TokenSource>(new EngineTokens(std::move(engine), timeout_s));
}

}  // namespace tagflow::fuzz
