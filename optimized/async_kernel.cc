#include "optimized/async_kernel.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "graph/owned.h"

namespace tagflow::optimized {
namespace {

// How often a thread that waits asks whether the step is to end.
constexpr std::chrono::milliseconds kAsk{1};

// A call that a thread waits for.
class AwaitedCall : public AsyncCall {
 public:
  void Done(Result<std::vector<Tensor>> outputs) override {
    std::lock_guard lock(mutex_);
    if (is_over_ || outputs_) return;
    outputs_ = std::move(outputs);
    done_.notify_one();
  }
  void OnEnd(std::function<void()> ended) override {
    std::unique_lock lock(mutex_);
    on_end_ = std::move(ended);
    if (!is_over_ || outputs_) return;
    lock.unlock();
    on_end_();
  }

  Result<std::vector<Tensor>> Await(const std::function<bool()>& stopped) {
    std::unique_lock lock(mutex_);
    while (!outputs_ && !(stopped && stopped())) done_.wait_for(lock, kAsk);
    is_over_ = true;
    const std::function<void()> ended = std::exchange(on_end_, nullptr);
    lock.unlock();
    if (outputs_) return *std::move(outputs_);
    if (ended) ended();
    return Cancelled("the step ended before the kernel was done");
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_over_ = false;                                // guarded by mutex_, as the rest
  std::optional<Result<std::vector<Tensor>>> outputs_;  // once done
  std::function<void()> on_end_;
};

struct AsyncState {
  AsyncFunction function;
  size_t num_outputs;
};

Status StartAndAwait(const void* state, KernelContext& context) {
  const auto& kernel = *static_cast<const AsyncState*>(state);
  const auto call = std::make_shared<AwaitedCall>();
  // Of the kernel's own: when it lets go of that, it cannot be done any more.
  kernel.function(context, std::shared_ptr<AsyncCall>(
                               call.get(), [call](AsyncCall*) { call->Done(CallLetGo()); }));
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, call->Await(context.services().stopped));
  TAGFLOW_RETURN_IF_ERROR(CheckAsyncOutputs(outputs, kernel.num_outputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    context.output(static_cast<int>(i)) = std::move(outputs[i]);
  }
  return Status();
}

// A call may outlive the step, and so those who lent it the memory of feeds.
AsyncFunction OwningInputs(AsyncFunction function) {
  return [function = std::move(function)](KernelContext& context, std::shared_ptr<AsyncCall> call) {
    for (int i = 0; i < context.num_inputs(); ++i) {
      if (!context.input(i).is_borrowed()) continue;
      Result<Tensor> owned = Owned(context.input(i));
      if (!owned.ok()) return call->Done(owned.status());
      context.MoveInput(i, *std::move(owned));
    }
    function(context, std::move(call));
  };
}

struct AsyncBinding {
  AsyncBinder bind;

  Result<BoundKernel> operator()(const Binding& binding) const {
    TAGFLOW_ASSIGN_OR_RETURN(AsyncFunction function, bind(binding));
    return BoundKernel(StartAndAwait,
                       std::make_shared<const AsyncState>(AsyncState{
                           OwningInputs(std::move(function)), binding.signature.outputs.size()}));
  }
};

}  // namespace

Binder AsyncKernel(AsyncBinder bind) { return AsyncBinding{std::move(bind)}; }

bool IsAsync(const KernelEntry& entry) { return entry.bind.target<AsyncBinding>() != nullptr; }

const AsyncFunction* FindAsyncFunction(const BoundKernel& kernel) {
  if (kernel.function() != StartAndAwait) return nullptr;
  return &static_cast<const AsyncState*>(kernel.state().get())->function;
}

// Made before main: a destructor wants it, and must not fail for lack of memory.
namespace {
const Status call_let_go = Internal("the kernel let go of its call before it was done");
}
Status CallLetGo() { return call_let_go; }

Status CheckAsyncOutputs(const std::vector<Tensor>& outputs, size_t num_outputs) {
  if (outputs.size() == num_outputs) return Status();
  return Internal("the kernel was done with " + std::to_string(outputs.size()) +
                  " outputs, and the op has " + std::to_string(num_outputs));
}

}  // namespace tagflow::optimized
