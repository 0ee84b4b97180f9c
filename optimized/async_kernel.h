#ifndef TAGFLOW_OPTIMIZED_ASYNC_KERNEL_H_
#define TAGFLOW_OPTIMIZED_ASYNC_KERNEL_H_

// Kernels that complete by themselves: what waits for a message, a queue or a device. Such a kernel
// is started, and says later, from any thread, that it is done; the step goes on with other
// instances meanwhile, and no thread waits for it.
//
//   registry.Register("Dequeue", AsyncKernel([](const Binding&) -> Result<AsyncFunction> {
//     return AsyncFunction([](KernelContext& context, std::shared_ptr<AsyncCall> call) {
//       queue.WhenThereIsOne([call](Tensor value) { call->Done({{std::move(value)}}); });
//     });
//   }));
//
// A step that ends early does not wait for the calls that are in flight: it tells them (OnEnd), and
// what they bring is dropped. So a call holds nothing of the step, and may outlive the session.
//
// The token executor runs them so. Another executor, which has nothing else to do meanwhile, starts
// the kernel and waits; and so does a simulated device, whose time that takes.
// Thread safety: a call may be used from any thread. Tested by async_kernel_test.cc.

#include <functional>
#include <memory>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// One firing that is in flight.
class AsyncCall {
 public:
  virtual ~AsyncCall() = default;
  // Completes the firing with a tensor for each output, or an error. What comes after the first
  // time, or when the step has ended, is dropped.
  virtual void Done(Result<std::vector<Tensor>> outputs) = 0;
  // `ended` is called once if the step ends before the firing is done; at once if it has. It must
  // not block. A second one takes the place of the first.
  virtual void OnEnd(std::function<void()> ended) = 0;
};

// Starts the kernel. Inputs are read, or taken, before it returns; outputs come with Done, which it
// may call itself. The context is gone afterwards.
using AsyncFunction = std::function<void(KernelContext& context, std::shared_ptr<AsyncCall> call)>;
// As Binder.
using AsyncBinder = std::function<Result<AsyncFunction>(const Binding& binding)>;

// What to register for an op. Cost::kCheap is right: it says what the start costs.
Binder AsyncKernel(AsyncBinder bind);

// Whether an entry, or a bound kernel, is such a one; and then its function.
bool IsAsync(const KernelEntry& entry);
const AsyncFunction* FindAsyncFunction(const BoundKernel& kernel);
// For executors: the error of a call that nobody can complete any more.
Status CallLetGo();
// INTERNAL when a call was done with too few or too many.
Status CheckAsyncOutputs(const std::vector<Tensor>& outputs, size_t num_outputs);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_ASYNC_KERNEL_H_
