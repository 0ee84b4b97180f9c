#ifndef TAGFLOW_CONFORMANCE_GPU_TRAINING_STATE_CALL_H_
#define TAGFLOW_CONFORMANCE_GPU_TRAINING_STATE_CALL_H_

// Training steps with numbers to train by, for both devices.

#include <string>

#include "conformance/gpu/state_call.h"
#include "graph/op_def.h"
#include "optimized/formulas/training.h"

namespace tagflow::conformance {

template <typename C>
Tensor Ramp(const Dims& dims, double first, double step, int64_t period) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<C>::value, dims);
  C* const out = tensor.mutable_data<C>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    out[i] = static_cast<C>(first + step * static_cast<double>(i % period));
  }
  return tensor;
}

//   rows: of a gradient that has such
template <typename C>
StateCall TrainingStateCall(const std::string& op, const optimized::training::Form& form,
                            const Dims& variables, const Dims& gradient,
                            const Tensor& rows = Tensor()) {
  constexpr DType kDType = DTypeOf<C>::value;
  StateCall call = {op, kDType, " T=" + DTypeName(kDType), {}, {}};
  for (const ArgDef& input : OpRegistry::Standard().Find(op)->inputs) {
    const auto i = static_cast<int>(call.values.size() + call.inputs.size());
    if (i < form.slots) {
      call.values.push_back(Ramp<C>(variables, 0.5 + i, 1.0 / 64, 97));
    } else if (i == form.gradient) {
      call.inputs.push_back(Ramp<C>(gradient, -1, 1.0 / 32, 61));
    } else if (input.name == "indices") {
      call.inputs.push_back(rows);
      call.attrs += " Tindices=" + DTypeName(rows.dtype());
    } else if (input.dtype == DType::kInt64) {
      call.inputs.push_back(Tensor::Scalar<int64_t>(3));
    } else {
      // A power is that of a root; all else is between 0 and 1.
      call.inputs.push_back(Tensor::Scalar<C>(input.name == "lr_power" ? C(-0.5) : C(0.25)));
    }
  }
  return call;
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_TRAINING_STATE_CALL_H_
