#ifndef TAGFLOW_OPTIMIZED_BODIES_H_
#define TAGFLOW_OPTIMIZED_BODIES_H_

// The bodies of functions that a session's kernels have called, each made ready to run. The body of
// each place in the graph is one of its own, since its nodes have names and states of their own:
// "f/g/n" is not "f/g/g/n".                                  Spec: [functional.names], [resource.1]
//
// Thread safety: everything may be called from several threads at once.
// Tested by bodies_test.cc.

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "optimized/executor_choice.h"
#include "optimized/function_calls.h"
#include "optimized/idle_threads.h"
#include "optimized/kernel.h"
#include "optimized/native_options.h"
#include "transform/lower/lower.h"

namespace tagflow::optimized {

struct BodyOptions {
  KeptCalls kept = KeptCalls::kRecursive;  // of the functional nodes in bodies
  const KernelRegistry* kernels = nullptr;
  ExecutorChoice executor = ExecutorChoice::kAuto;  // but for straight code, which not all have
  // That nodes in bodies may ask for; null: any.
  const std::vector<std::string>* devices = nullptr;
  NativeOptions native = {NativeChoice::kOff};
  IdleThreads* idle_threads = nullptr;  // as ExecutableSpec's
};

class Bodies : public FunctionCalls {
 public:
  // graph: whose library has the functions; it and what the options point at outlive this
  Bodies(const Graph& graph, const BodyOptions& options) : graph_(graph), options_(options) {}

  Result<std::vector<Tensor>> Run(const FunctionCall& call, std::vector<Tensor> args,
                                  const std::string& tag, KernelContext& context) override;
  // How those that are kept have run so far; lines for people.
  std::vector<std::string> Notes() const;

 private:
  struct Body;
  // As Make, the first time; beyond kMostBodyNodes every time.
  Result<std::shared_ptr<const Body>> Find(const FunctionCall& call);
  //   is_kept: or runs once, for which machine code does not pay
  //   Errors: as InstantiateFunction; of the body as a graph
  Result<std::shared_ptr<const Body>> Make(const FunctionCall& call, bool is_kept) const;

  const Graph& graph_;
  const BodyOptions options_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Body>> bodies_;  // by name; by mutex_
  size_t num_nodes_ = 0;  // of the bodies; guarded by mutex_
  bool is_full_ = false;  // whether one has been too many; guarded by mutex_
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_BODIES_H_
