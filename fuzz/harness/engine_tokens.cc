#include "fuzz/harness/engine_tokens.h"

#include <algorithm>
#include <utility>

#include "fuzz/engines/engine_names.h"
#include "graph/tag.h"

namespace tagflow::fuzz {
namespace {

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
  explicit EngineTokens(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  Result<TokenTrace> Trace(const CallSequence& calls, const TokenTrace& guide) override {
    calls_ = &calls;
    guide_ = &guide;
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
    session_ = nullptr;
    TAGFLOW_ASSIGN_OR_RETURN(session_, engine_->Open(calls_->graph.Clone()));
    return Status();
  }

  // The call, with more fetches; their values.
  Result<std::vector<Tensor>> Step(size_t index, const std::vector<Asked>& asked) {
    const GraphCall& call = calls_->calls[index];
    std::vector<std::string> fetches;
    for (const Asked& one : asked) fetches.push_back(NameOf(one));
    fetches.insert(fetches.end(), call.fetches.begin(), call.fetches.end());
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> values,
                             session_->Run(call.feeds, fetches, call.targets, {}));
    values.resize(asked.size());
    return values;
  }

  const std::unique_ptr<Engine> engine_;
  std::unique_ptr<EngineSession> session_;
  const CallSequence* calls_ = nullptr;
  const TokenTrace* guide_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<TokenSource>> MakeEngineTokens(const std::string& name, double timeout_s) {
  EngineOptions options;
  options.name = name;
  options.timeout_s = timeout_s;
  options.has_own_process = true;
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, MakeEngine(options));
  return std::unique_ptr<TokenSource>(new EngineTokens(std::move(engine)));
}

}  // namespace tagflow::fuzz
