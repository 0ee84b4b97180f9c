#ifndef TAGFLOW_OPTIMIZED_KERNELS_TRAINED_VARIABLES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TRAINED_VARIABLES_H_

// The variables that a training step changes, as one: all are locked, in the order of their
// addresses, so that two steps never wait for one another. For the kernels of the host and of
// devices.
// Tested by conformance/ops/training.ops.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/formulas/training.h"
#include "optimized/kernel.h"
#include "optimized/kernels/variable_access.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

enum class Extent : uint8_t { kAll, kRows };  // of the variables

// Where input `i` of the dense form is: of a sparse one the rows are behind the gradient.
inline int PlaceOf(int i, const training::Form& form, Extent extent) {
  return extent == Extent::kRows && i > form.gradient ? i + 1 : i;
}

// INVALID_ARGUMENT for one of the rows, integers, that is not in [0, limit).
Status CheckTrainedRows(const Tensor& rows, int64_t limit);

class TrainedVariables {
 public:
  // Those of the first inputs, with a value each.
  //   Errors: INVALID_ARGUMENT, FAILED_PRECONDITION, INTERNAL (a handle's has no value)
  static Result<TrainedVariables> Find(KernelContext& context, const training::Form& form,
                                       Extent extent, By by);

  // Calls use(), which gives a Status, with all of them locked; where their values are on the host,
  // or where they lie.
  template <typename F>
  Status With(const F& use) {
    return WithFrom(0, use,
                    [](Variable& variable, const auto& each) { return variable.With(each); });
  }
  template <typename F>
  Status WithAnywhere(const F& use) {
    return WithFrom(
        0, use, [](Variable& variable, const auto& each) { return variable.WithAnywhere(each); });
  }
  // By input; of two inputs that are one variable both are the same. For what With calls.
  const std::vector<Variable::Contents*>& contents() const { return contents_; }
  // INVALID_ARGUMENT for what does not fit the inputs, or has no value (FAILED_PRECONDITION,
  // INTERNAL). For what With calls.
  Status Check(const KernelContext& context) const;

 private:
  TrainedVariables(const training::Form& form, Extent extent, By by)
      : form_(form), extent_(extent), by_(by) {}
  Status CheckValue(const Variable& variable, const Tensor& value) const;
  Result<Dims> WantedDims(const KernelContext& context) const;
  template <typename F, typename Lock>
  Status WithFrom(size_t i, const F& use, const Lock& lock) {
    if (i == order_.size()) return use();
    return lock(*order_[i], [&](Variable::Contents& locked) -> Status {
      for (size_t k = 0; k < variables_.size(); ++k) {
        if (variables_[k].get() == order_[i]) contents_[k] = &locked;
      }
      return WithFrom(i + 1, use, lock);
    });
  }

  training::Form form_;
  Extent extent_;
  By by_;
  std::vector<std::shared_ptr<Variable>> variables_;  // by input
  std::vector<Variable*> order_;                      // each once, by address
  std::vector<Variable::Contents*> contents_;         // by input, while all are locked
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TRAINED_VARIABLES_H_
