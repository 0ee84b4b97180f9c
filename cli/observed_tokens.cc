#include "cli/observed_tokens.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "graph/graph.h"
#include "optimized/observer.h"

namespace tagflow::cli {
namespace {

using Key = std::pair<std::string, std::string>;  // node, tag

bool CanBeCompared(const Tensor& value) {
  return value.has_value() && value.dtype() != DType::kResource && value.dtype() != DType::kVariant;
}

// Notes what the kernels of one call gave. Told by several threads.
class Notebook : public optimized::Observer {
 public:
  explicit Notebook(fuzz::TokenTrace& trace) : trace_(trace) {}

  // REQUIRES: no step is running
  void Begin(size_t call, const fuzz::TokenTrace& guide) {
    guides_.clear();
    for (const fuzz::TokenEvent& event : guide.events) {
      if (event.call != call || event.dead || event.node == NodeId::kNone) continue;
      guides_.emplace(Key(event.name.substr(0, event.name.find(' ')), event.tag), &event);
    }
  }

  void StepBegins() override {}
  void KernelBegins(const Node&, optimized::KernelContext&) override {}
  void KernelEnds(const Node& node, optimized::KernelContext& context,
                  const Status& status) override {
    const auto found = guides_.find(Key(node.name, context.tag()));
    if (found == guides_.end()) return;
    fuzz::TokenEvent event = EventLike(*found->second);
    if (!status.ok()) event.error = status.message();
    for (size_t i = 0; i < event.outputs.size() && status.ok(); ++i) {
      const Tensor& value = context.output(static_cast<int>(i));
      if (CanBeCompared(value)) event.outputs[i].value = value;
    }
    std::lock_guard lock(mutex_);
    trace_.events.push_back(std::move(event));
  }
  void StepEnds(const Status&) override {}

  // What was fetched, where no kernel gave it: from a Merge, or an Exit.
  // REQUIRES: no step is running
  void AddFetch(size_t call, OutputRef fetch, const Tensor& value, const fuzz::TokenTrace& guide) {
    if (!CanBeCompared(value)) return;
    for (const fuzz::TokenEvent& from : guide.events) {
      if (from.call != call || from.node != fetch.node || from.dead) continue;
      const auto same = [&](const fuzz::TokenEvent& event) {
        return event.call == call && event.node == from.node && event.tag == from.tag;
      };
      if (std::ranges::any_of(trace_.events, same)) return;
      fuzz::TokenEvent& event = trace_.events.emplace_back(EventLike(from));
      event.outputs[static_cast<size_t>(fetch.index)].value = value;
      return;
    }
  }

 private:
  static fuzz::TokenEvent EventLike(const fuzz::TokenEvent& guide) {
    fuzz::TokenEvent event;
    event.call = guide.call;
    event.node = guide.node;
    event.name = guide.name;
    event.tag = guide.tag;
    event.inputs.assign(guide.inputs.size(), -1);
    event.outputs.resize(guide.outputs.size());
    return event;
  }

  std::map<Key, const fuzz::TokenEvent*> guides_;
  std::mutex mutex_;
  fuzz::TokenTrace& trace_;  // guarded by mutex_
};

}  // namespace

Result<fuzz::TokenTrace> TraceObserved(const std::string& engine, const OpLibrary& library,
                                       double timeout_s, const fuzz::CallSequence& calls,
                                       const fuzz::TokenTrace& guide) {
  if (engine == "reference") return InvalidArgument("the reference has no kernels to observe");
  fuzz::TokenTrace trace;
  trace.partial = true;
  Notebook notebook(trace);
  // Without passes: every kernel of the graph is to be seen.
  const EngineOptions observed{engine, 1, "none", &notebook};
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<RunSession> session,
                           OpenSession(observed, calls.graph.Clone(), library));
  for (size_t i = 0; i < calls.calls.size() && trace.status.ok(); ++i) {
    const fuzz::GraphCall& call = calls.calls[i];
    TAGFLOW_RETURN_IF_ERROR(session->Check(call.feeds, call.fetches, call.targets));
    StepOptions options;
    options.deadline_s = timeout_s;
    notebook.Begin(i, guide);
    const auto values = session->Run(call.feeds, call.fetches, call.targets, options);
    trace.status = values.status();
    for (size_t fetch = 0; fetch < call.fetches.size() && values.ok(); ++fetch) {
      TAGFLOW_ASSIGN_OR_RETURN(const OutputRef output,
                               FindOutput(session->graph(), call.fetches[fetch]));
      notebook.AddFetch(i, output, (*values)[fetch], guide);
    }
  }
  return trace;
}

}  // namespace tagflow::cli
