#include "fuzz/mutants/mutant_session.h"

#include <utility>

namespace tagflow::fuzz {
namespace {

using reference::Kernel;
using reference::KernelContext;
using reference::KernelRegistry;
using reference::RunOptions;
using reference::Session;

constexpr int64_t kMostFirings = 1'000'000;

KernelRegistry Forged(const Mutant& mutant) {
  KernelRegistry kernels;
  for (const auto& [op, forgery] : mutant.kernels) {
    const Kernel* standard = KernelRegistry::Standard().Find(op);
    TAGFLOW_CHECK(standard != nullptr);
    TAGFLOW_CHECK(kernels
                      .Register(op,
                                [standard, forge = forgery](KernelContext& context) {
                                  return forge(*standard, context);
                                })
                      .ok());
  }
  for (const std::string& op : KernelRegistry::Standard().Ops()) {
    if (kernels.Find(op) != nullptr) continue;
    TAGFLOW_CHECK(kernels.Register(op, *KernelRegistry::Standard().Find(op)).ok());
  }
  return kernels;
}

// A kernel of a mutant may write where it should not: the graph's tensors are then its own.
void OwnTensors(Graph& graph) {
  for (NodeId id : graph.NodeIds()) {
    for (auto& [name, attr] : graph.mutable_node(id).attrs) {
      const Tensor* value = attr.Get<Tensor>();
      if (value == nullptr) continue;
      if (Result<Tensor> own = value->Clone(); own.ok()) attr = *std::move(own);
    }
  }
}

}  // namespace

MutantSession::MutantSession(Graph graph, const Mutant& mutant, std::vector<std::string> devices)
    : graph_(std::move(graph)), mutant_(mutant), devices_(std::move(devices)) {
  if (mutant.kernels.empty()) return;
  kernels_ = Forged(mutant);
  OwnTensors(graph_);
}

Result<std::unique_ptr<Session>> MutantSession::Open(Graph graph) const {
  reference::SessionOptions options;
  options.devices = devices_;
  options.rules = &mutant_.rules;
  if (!mutant_.kernels.empty()) options.kernels = &kernels_;
  return Session::Create(std::move(graph), options);
}

// Where each step is rewritten, each has a graph of its own; the variables go on.
Result<Session*> MutantSession::SessionFor(Call& call) {
  if (session_ != nullptr && !mutant_.rewrite) return session_.get();
  Graph graph = graph_.Clone();
  if (mutant_.rewrite) TAGFLOW_RETURN_IF_ERROR(mutant_.rewrite(graph, call, past_));
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Open(std::move(graph)));
  if (session_ != nullptr) session->resources() = std::move(session_->resources());
  session_ = std::move(session);
  return session_.get();
}

Result<std::vector<Tensor>> MutantSession::RunStep(Call call, const RunOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(Session * session, SessionFor(call));
  if (!mutant_.kernels.empty()) {
    for (auto& [name, value] : call.feeds) {
      TAGFLOW_ASSIGN_OR_RETURN(value, value.Clone());
    }
  }
  RunOptions changed = options;
  if (changed.max_firings == 0) changed.max_firings = kMostFirings;
  if (mutant_.options) mutant_.options(session->graph(), changed);
  Result<std::vector<Tensor>> values =
      session->Run(call.feeds, call.fetches, call.targets, changed);
  if (mutant_.after_step) mutant_.after_step(*session);
  if (mutant_.history && options.history != nullptr) mutant_.history(*options.history);
  return values;
}

Result<std::vector<Tensor>> MutantSession::Run(const Call& call, const RunOptions& options) {
  Result<std::vector<Tensor>> values = RunStep(call, options);
  if (past_.first_call == nullptr) {
    first_call_ = call;
    past_.first_call = &first_call_;
  }
  ++past_.steps;
  if (values.ok()) return values;
  ++past_.failures;
  return mutant_.report ? Result<std::vector<Tensor>>(mutant_.report(values.status())) : values;
}

}  // namespace tagflow::fuzz
