#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SUM_BODY_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SUM_BODY_H_

// The sum of several tensors of one shape, from first to last.
//
// Tested by conformance/gpu/host_sums_test.cc.

#include <cstdint>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized {

// The host has the elements of the inputs that are null.
struct SumArgs {
  static constexpr int kInputsMax = 8;
  int num_inputs;  // at least 1
  const void* inputs[kInputsMax];
  alignas(8) char scalars[kInputsMax][8];
  void* out;  // may be an input
  int64_t count;
};

template <typename C>
struct SumBody {
  explicit SumBody(const SumArgs& args)
      : num_inputs(args.num_inputs), out(static_cast<C*>(args.out)) {
    for (int i = 0; i < num_inputs; ++i) {
      inputs[i] = static_cast<const C*>(args.inputs[i]);
      scalars[i] = *reinterpret_cast<const C*>(args.scalars[i]);
    }
  }
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    C sum = At(0, i);
    for (int k = 1; k < num_inputs; ++k) sum = Plus(sum, At(k, i));
    out[i] = sum;
  }
  TAGFLOW_ANYWHERE C At(int k, int64_t i) const {
    return inputs[k] != nullptr ? inputs[k][i] : scalars[k];
  }
  int num_inputs;
  const C* inputs[SumArgs::kInputsMax] = {};
  C scalars[SumArgs::kInputsMax] = {};
  C* out;
};

// Calls visit.template operator()<C>(dtype) for each dtype that has such a kernel.
template <typename Visit>
void ForEachSumKernel(const Visit& visit) {
  visit.template operator()<float>(DType::kFloat);
  visit.template operator()<double>(DType::kDouble);
  visit.template operator()<int32_t>(DType::kInt32);
  visit.template operator()<int64_t>(DType::kInt64);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SUM_BODY_H_
