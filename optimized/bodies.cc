#include "optimized/bodies.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "graph/call_checks.h"
#include "graph/function_body.h"
#include "graph/unknown_ops.h"
#include "graph/validate.h"
#include "optimized/errors.h"
#include "optimized/limits.h"
#include "optimized/stop_flag.h"

namespace tagflow::optimized {
namespace {

// Whether the args have the types that the function takes.                  Spec: [functional.call]
Status CheckArgs(const NameAttrList& function, const std::vector<DType>& takes,
                 const std::vector<Tensor>& args) {
  if (std::ranges::equal(takes, args, {}, {}, &Tensor::dtype)) return Status();
  return InvalidArgument("function '" + function.name + "' takes " + std::to_string(takes.size()) +
                         " arguments, of other types than the " + std::to_string(args.size()) +
                         " it is called with")
      .WithRule("functional.call");
}

// A body's limit of firings is what is left of the caller's: the error tells that one.
Status OfWholeStep(const Status& status, int64_t max_firings) {
  if (status.rule() != "step.3" || status.code() != Code::kResourceExhausted) return status;
  return StepLimitReached(max_firings).WithNode(status.node()).WithTag(status.tag());
}

}  // namespace

struct Bodies::Body {
  FunctionBody function;
  CallSpec call;
  ValidatedCall valid;
  std::vector<DType> takes;
  std::unique_ptr<Executable> executable;
};

Result<std::shared_ptr<const Bodies::Body>> Bodies::Make(const FunctionCall& call,
                                                         bool is_kept) const {
  TAGFLOW_ASSIGN_OR_RETURN(FunctionBody function,
                           InstantiateFunction(graph_, call.function, call.name));
  const auto body =
      std::make_shared<Body>(Body{std::move(function), {}, ValidatedCall{}, {}, nullptr});
  Graph& graph = body->function.graph;
  LowerFunctions(graph, {options_.kept, {call.function.name}, call.depth});
  StandInForUnknownOps(graph);
  for (const NodeId arg : body->function.args) {
    body->call.feeds.push_back({arg, 0});
    TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(graph.node(arg), "dtype"));
    body->takes.push_back(dtype);
  }
  body->call.fetches = body->function.returns;
  body->call.targets = body->function.effects;
  TAGFLOW_ASSIGN_OR_RETURN(body->valid, ValidateCall(graph, body->call));
  if (options_.devices != nullptr) {
    TAGFLOW_RETURN_IF_ERROR(CheckDevices(graph, body->call, body->valid.needed, *options_.devices));
  }
  const bool is_straight = options_.executor == ExecutorChoice::kStraight;
  ExecutableSpec spec = {graph, body->call, body->valid, *options_.kernels};
  if (is_kept) spec.native = options_.native;
  spec.idle_threads = options_.idle_threads;
  TAGFLOW_ASSIGN_OR_RETURN(
      ChosenExecutable chosen,
      ChooseExecutable(spec, is_straight ? ExecutorChoice::kAuto : options_.executor, nullptr));
  body->executable = std::move(chosen.executable);
  return std::shared_ptr<const Body>(body);
}

Result<std::shared_ptr<const Bodies::Body>> Bodies::Find(const FunctionCall& call) {
  bool is_kept = false;
  {
    std::lock_guard lock(mutex_);
    const auto found = bodies_.find(call.name);
    if (found != bodies_.end()) return found->second;
    is_kept = !is_full_;
  }
  TAGFLOW_ASSIGN_OR_RETURN(std::shared_ptr<const Body> made, Make(call, is_kept));
  std::lock_guard lock(mutex_);
  const size_t num_nodes = made->function.graph.num_nodes();
  is_full_ = is_full_ || num_nodes_ + num_nodes > kMostBodyNodes;
  if (is_full_) return made;
  if (bodies_.emplace(call.name, made).second) num_nodes_ += num_nodes;
  return made;
}

std::vector<std::string> Bodies::Notes() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const auto& [name, body] : bodies_) {
    const std::vector<std::string> notes = body->executable->Notes();
    all.insert(all.end(), notes.begin(), notes.end());
  }
  std::ranges::sort(all);
  return all;
}

Result<std::vector<Tensor>> Bodies::Run(const FunctionCall& call, std::vector<Tensor> args,
                                        const std::string& tag, KernelContext& context) {
  if (call.depth >= kMostNestedCalls) {
    return ResourceExhausted("calls are nested more than " + std::to_string(call.depth) +
                             " deep, up to one of function '" + call.function.name +
                             "': a recursion needs an end")
        .WithRule("functional.recursion");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::shared_ptr<const Body> body, Find(call));
  TAGFLOW_RETURN_IF_ERROR(CheckArgs(call.function, body->takes, args));
  const StepServices& services = context.services();
  StepControl control = *services.control;
  control.services = services;
  control.services.around = &tag;
  control.services.control = &control;
  // Where another worker ends the step, this ends too.
  if (services.stopped) control.cancelled = services.stopped;
  TAGFLOW_RETURN_IF_ERROR(StopFlag::StatusNow(control));
  if (control.max_firings == 0) return body->executable->Run(std::move(args), control);

  const int64_t limit = control.max_firings;
  std::atomic<int64_t>& left = *control.firings_left_to_calls;
  // The call counts as one, so that a loop of empty bodies ends.
  control.max_firings = left.fetch_sub(1, std::memory_order_relaxed) - 1;
  if (control.max_firings <= 0) return StepLimitReached(limit);
  int64_t firings = 0;
  control.firings = &firings;
  Result<std::vector<Tensor>> results = body->executable->Run(std::move(args), control);
  left.fetch_sub(firings, std::memory_order_relaxed);
  return results.ok() ? std::move(results) : OfWholeStep(results.status(), limit);
}

}  // namespace tagflow::optimized
