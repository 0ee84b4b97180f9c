#include "optimized/constants_once.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "graph/machine_memory.h"
#include "graph/out_of_memory.h"
#include "optimized/evaluate.h"
#include "optimized/limits.h"
#include "optimized/stop_flag.h"
#include "transform/simplify/call_view.h"
#include "transform/simplify/fold_constants.h"

namespace tagflow::optimized {
namespace {

// Estimates, by which planning again is worth while or not.
constexpr double kRunsToPayBack = 1000;
constexpr double kPlanNsPerNode = 3000;
constexpr double kKernelNs = 100;
constexpr double kNsPerByte = 0.1;  // of a result

bool IsConst(const Node& node) { return node.op == "Const"; }

// Whether some node that is needed takes constants alone and could be one.
bool HasConstantWork(const ExecutableSpec& spec) {
  const Graph& graph = spec.graph;
  const auto takes_constants = [&](const Node& node) {
    return !node.inputs.empty() && std::ranges::all_of(node.inputs, [&](OutputRef input) {
      return IsConst(graph.node(input.node));
    });
  };
  for (size_t i = 0; i < spec.valid.needed.size(); ++i) {
    if (!spec.valid.needed[i]) continue;
    const Node& node = graph.node(static_cast<NodeId>(i));
    if (takes_constants(node) && (TraitsOf(node.def) & kPure) != 0) return true;
  }
  return false;
}

// A call's graph in which constants stand for what was computed of constants.
struct Folded {
  Graph graph;
  int64_t nodes = 0;  // that are constants now
  size_t bytes = 0;   // of these
};

void CountConstants(const Graph& before, Folded& folded) {
  for (const NodeId id : folded.graph.NodeIds()) {
    const Node& node = folded.graph.node(id);
    const bool was_one = Index(id) < before.id_limit() && IsConst(before.node(id));
    if (!IsConst(node) || was_one) continue;
    const Result<Tensor> value = TensorAttr(node, "value");
    if (value.ok()) folded.bytes += value->byte_size();
  }
}

class ConstantsOnce : public Executable {
 public:
  ConstantsOnce(std::unique_ptr<Executable> plain, const ExecutableSpec& spec, MakeExecutable make)
      : plain_(std::move(plain)),
        graph_(spec.graph),
        call_(spec.call),
        kernels_(spec.kernels),
        threads_(spec.threads),
        make_(std::move(make)) {}

  Result<std::vector<Tensor>> Run(std::vector<Tensor> feeds,
                                  const StepControl& control) const override {
    return Choose(control).Run(std::move(feeds), control);
  }

  std::vector<std::string> Notes() const override {
    const Executable* const folded = ready_.load(std::memory_order_acquire);
    if (folded == nullptr) return plain_->Notes();
    std::vector<std::string> notes = folded->Notes();
    notes.push_back("computed once, of constants: " + std::to_string(folded_.nodes) + " nodes, " +
                    std::to_string(folded_.bytes) + " bytes");
    return notes;
  }

 private:
  const Executable& Choose(const StepControl& control) const {
    if (control.max_firings > 0) return *plain_;
    if (ready_.load(std::memory_order_acquire) == nullptr && runs_.fetch_add(1) == 1) {
      (void)OrOutOfMemory([&] { return Plan(control); });      // an error leaves the call as it is
      if (!StopFlag::StatusNow(control).ok()) runs_.store(1);  // a later run does it
    }
    const Executable* const folded = ready_.load(std::memory_order_acquire);
    return folded == nullptr ? *plain_ : *folded;
  }

  // By one thread.
  //   Errors: why the call stays as it is
  Status Plan(const StepControl& control) const {
    Folded folded{graph_.Clone()};
    const Evaluate evaluate = EvaluateWith(kernels_);
    const StopFlag flag(control);
    const Evaluate until_stopped = [&](const Node& node, std::span<const Tensor> inputs) {
      return flag.is_set() ? Result<std::vector<Tensor>>(flag.status()) : evaluate(node, inputs);
    };
    const size_t most = MachineMemoryBytes() / kConstantsShareOfMemory;
    folded.nodes = FoldConstants(folded.graph, call_, until_stopped, {most, most, most});
    TAGFLOW_RETURN_IF_ERROR(StopFlag::StatusNow(control));
    CountConstants(graph_, folded);
    if (!IsWorthwhile(folded)) return FailedPrecondition("there is too little to be had");
    TAGFLOW_ASSIGN_OR_RETURN(const ValidatedCall valid, ValidateCall(folded.graph, call_));
    folded_ = std::move(folded);
    TAGFLOW_ASSIGN_OR_RETURN(made_, make_({folded_.graph, call_, valid, kernels_, threads_}));
    ready_.store(made_.get(), std::memory_order_release);
    return Status();
  }

  static bool IsWorthwhile(const Folded& folded) {
    const double saved_ns = kKernelNs * static_cast<double>(folded.nodes) +
                            kNsPerByte * static_cast<double>(folded.bytes);
    const double plan_ns = kPlanNsPerNode * static_cast<double>(folded.graph.num_nodes());
    return saved_ns * kRunsToPayBack >= plan_ns;
  }

  const std::unique_ptr<Executable> plain_;
  const Graph& graph_;
  const CallSpec call_;
  const KernelRegistry& kernels_;
  const int threads_;
  const MakeExecutable make_;
  mutable std::atomic<int64_t> runs_{0};
  // Written by the thread that plans, before `ready_` is set.
  mutable Folded folded_;
  mutable std::unique_ptr<Executable> made_;
  mutable std::atomic<const Executable*> ready_{nullptr};  // `made_`; null: not yet
};

}  // namespace

std::unique_ptr<Executable> ComputeConstantsOnce(std::unique_ptr<Executable> plain,
                                                 const ExecutableSpec& spec, MakeExecutable make) {
  if (!HasConstantWork(spec)) return plain;
  return std::make_unique<ConstantsOnce>(std::move(plain), spec, std::move(make));
}

}  // namespace tagflow::optimized
