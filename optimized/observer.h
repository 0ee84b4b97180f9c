#ifndef TAGFLOW_OPTIMIZED_OBSERVER_H_
#define TAGFLOW_OPTIMIZED_OBSERVER_H_

// Who wants to know what steps do: told of each kernel as it begins and ends.
//
// It costs nothing where nobody looks. A session with an observer binds every kernel inside a
// function that tells it; all others bind the kernels themselves, and the executors know of no
// observer.
//
// What is seen are kernels that run. Nothing is told of dead instances, which run none; of Switch,
// Merge, Enter, Exit and NextIteration, which are the executor's own; or of what an executor does
// without a kernel, as the straight one does with Identity and constants.
//
// Tested by observer_test.cc.

#include <memory>
#include <vector>

#include "graph/node.h"
#include "graph/status.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// Thread safety: told by whichever thread runs the kernel, so by several at once; of the beginning
// and the end of one kernel by the same thread, and in between of no others of that thread but
// those of bodies that the kernel runs (optimized/bodies.h). Steps begin and end on the thread that
// called for them; a body is no step.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void StepBegins() = 0;
  // context: of the firing that is about to run, to be looked at and not changed; tag() says which
  // instance of the node it is
  virtual void KernelBegins(const Node& node, KernelContext& context) = 0;
  // context: the same; its outputs are there if `status` is OK, its inputs may have been moved
  virtual void KernelEnds(const Node& node, KernelContext& context, const Status& status) = 0;
  virtual void StepEnds(const Status& status) = 0;
};

// Any number of observers as one, which may change from step to step. The last is nearest to the
// kernel. They outlive the steps they observe.
class ObserverList : public Observer {
 public:
  // REQUIRES: no step is running
  void Set(std::vector<Observer*> observers) { observers_ = std::move(observers); }

  void StepBegins() override;
  void KernelBegins(const Node& node, KernelContext& context) override;
  void KernelEnds(const Node& node, KernelContext& context, const Status& status) override;
  void StepEnds(const Status& status) override;

 private:
  std::vector<Observer*> observers_;
};

// The same kernels, which tell the observer. Both outlive the result.
std::unique_ptr<KernelRegistry> Observed(const KernelRegistry& kernels, Observer& observer);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_OBSERVER_H_
