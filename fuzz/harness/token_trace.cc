#include "fuzz/harness/token_trace.h"

#include <optional>
#include <utility>

#include "fuzz/engines/engine_names.h"
#include "fuzz/harness/engine_tokens.h"
#include "fuzz/mutants/mutant_session.h"
#include "graph/io/import.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::fuzz {
namespace {

// A trace longer than this is cut: nobody reads it, and it would fill the memory.
constexpr size_t kEventsMax = 2'000'000;

class ReferenceTokens : public TokenSource {
 public:
  ReferenceTokens(const Mutant* mutant, uint64_t seed, double timeout_s)
      : mutant_(mutant), seed_(seed), timeout_s_(timeout_s) {}

  Result<TokenTrace> Trace(const CallSequence& calls, const TokenTrace& guide) override {
    graph_ = &calls.graph;
    reference::SessionOptions session_options;
    session_options.kernels = calls.kernels;
    TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<reference::Session> session,
                             reference::Session::Create(calls.graph.Clone(), session_options));
    std::optional<MutantSession> broken;
    if (mutant_ != nullptr) broken.emplace(calls.graph.Clone(), *mutant_);
    TokenTrace trace;
    for (size_t i = 0; i < calls.calls.size() && trace.status.ok(); ++i) {
      const GraphCall& call = calls.calls[i];
      TAGFLOW_RETURN_IF_ERROR(session->Check(call.feeds, call.fetches, call.targets));
      reference::RunOptions options;
      options.seed = seed_;
      options.deadline_s = timeout_s_;
      if (!guide.events.empty()) options.max_firings = FiringsAllowed(guide);
      std::vector<int64_t> place;  // by firing: its event
      options.trace = [&](const reference::TraceEvent& event) { Add(event, i, place, trace); };
      trace.status = broken.has_value()
                         ? broken->Run({call.feeds, call.fetches, call.targets}, options).status()
                         : session->Run(call.feeds, call.fetches, call.targets, options).status();
    }
    return trace;
  }

 private:
  // A mutant that never ends need not be traced until its time is up.
  static int64_t FiringsAllowed(const TokenTrace& guide) {
    return 10'000 + 10 * static_cast<int64_t>(guide.events.size());
  }

  void Add(const reference::TraceEvent& from, size_t call, std::vector<int64_t>& place,
           TokenTrace& trace) const {
    if (trace.events.size() >= kEventsMax) {
      trace.partial = true;
      return;
    }
    TokenEvent event;
    event.call = call;
    event.node = graph_->Find(from.node->name);
    event.name = from.node->name + " (" + from.node->op + ")";
    event.tag = from.tag;
    event.dead = from.dead;
    for (int64_t input : from.inputs) {
      const bool known = input >= 0 && static_cast<size_t>(input) < place.size();
      event.inputs.push_back(known ? place[static_cast<size_t>(input)] : -1);
    }
    event.outputs = from.outputs;
    if (place.size() <= static_cast<size_t>(from.firing)) {
      place.resize(static_cast<size_t>(from.firing) + 1, -1);
    }
    place[static_cast<size_t>(from.firing)] = static_cast<int64_t>(trace.events.size());
    trace.events.push_back(std::move(event));
  }

  const Mutant* const mutant_;
  const uint64_t seed_;
  const double timeout_s_;
  const Graph* graph_ = nullptr;
};

}  // namespace

CallSequence CallsOf(const Program& program, Lowered lowered) {
  CallSequence calls{std::move(lowered.graph), {}};
  if (!lowered.init.empty()) calls.calls.push_back({{}, {}, lowered.init});
  for (int run = 0; run < program.runs; ++run) {
    calls.calls.push_back({FeedsOf(program, lowered, run), lowered.fetches, {}});
  }
  return calls;
}

Result<CallSequence> CallsOf(const conformance::Case& test, const OpLibrary& library) {
  TAGFLOW_ASSIGN_OR_RETURN(Graph graph, ImportGraph(test.graph(), {.registry = library.ops}));
  CallSequence calls{std::move(graph), {}, library.reference_kernels};
  for (const conformance::Step& step : test.steps()) {
    GraphCall call;
    for (const conformance::NamedTensor& feed : step.feeds()) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor value, TensorFromProto(feed.value()));
      call.feeds.emplace_back(feed.name(), std::move(value));
    }
    call.fetches.assign(step.fetches().begin(), step.fetches().end());
    call.targets.assign(step.targets().begin(), step.targets().end());
    calls.calls.push_back(std::move(call));
  }
  return calls;
}

Result<std::unique_ptr<TokenSource>> MakeTokenSource(const std::string& name, double timeout_s,
                                                     const Mutant* mutant) {
  TAGFLOW_ASSIGN_OR_RETURN(const ReferenceName reference, ParseReferenceName(name));
  if (!reference.is_reference) return MakeEngineTokens(name, timeout_s);
  return std::unique_ptr<TokenSource>(new ReferenceTokens(mutant, reference.seed, timeout_s));
}

Result<TokenTrace> TraceReference(const CallSequence& calls, double timeout_s) {
  return ReferenceTokens(nullptr, 0, timeout_s).Trace(calls, {});
}

}  // namespace tagflow::fuzz
