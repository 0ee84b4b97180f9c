// What GPU kernels sum, run on the host, against the reference.

#include <gtest/gtest.h>

#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "optimized/devices/gpu/kernels/sum_body.h"

namespace tagflow::optimized {
namespace {

template <typename C>
Tensor SumOnHost(const std::vector<Tensor>& inputs) {
  Tensor out = *Tensor::Allocate(DTypeOf<C>::value, inputs[0].dims());
  SumArgs args = {};
  for (const Tensor& input : inputs) {
    const int i = args.num_inputs++;
    args.inputs[i] = PlaceOnHost(input, args.scalars[i]);
  }
  args.out = out.mutable_data<C>();
  args.count = out.num_elements();
  OnHost(SumBody<C>(args), args.count);
  return out;
}

struct RunsSums {
  template <typename C>
  void operator()(DType dtype) const {
    SCOPED_TRACE(DTypeName(dtype));
    std::vector<C> values = Corners<C>();
    const Dims dims = {static_cast<int64_t>(values.size())};
    std::vector<Tensor> inputs, scalars;
    for (int n = 0; n < SumArgs::kInputsMax; ++n) {
      std::rotate(values.begin(), values.begin() + 1, values.end());
      inputs.push_back(TensorOf(values, dims));
      scalars.push_back(Tensor::Scalar<C>(values[0]));
      EXPECT_EQ(DifferenceFromReference("AddN", inputs, {}, SumOnHost<C>(inputs)), "");
      EXPECT_EQ(DifferenceFromReference("AddN", scalars, {}, SumOnHost<C>(scalars)), "");
    }
  }
};

TEST(HostSums, GiveWhatTheReferenceGives) { ForEachSumKernel(RunsSums()); }

}  // namespace
}  // namespace tagflow::optimized
