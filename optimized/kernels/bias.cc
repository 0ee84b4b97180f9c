// A vector added along the dimension of channels, and the sums that are its gradient.

#include <string>

#include "optimized/kernels/addition.h"
#include "optimized/kernels/channels.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/reduction.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

Status CheckBias(DimsView value, DimsView bias, int64_t channels) {
  if (bias.size() != 1) return InvalidArgument("Biases must be 1D: " + DimsString(bias));
  if (bias[0] == channels) return Status();
  return InvalidArgument("Must provide as many biases as there are channels: " + DimsString(bias) +
                         " for " + DimsString(value));
}

}  // namespace

Result<Dims> BiasShape(DimsView value, DimsView bias, bool second) {
  TAGFLOW_ASSIGN_OR_RETURN(Dims channels, ChannelDims(value, second));
  TAGFLOW_RETURN_IF_ERROR(CheckBias(value, bias, second ? channels[1] : channels.back()));
  return channels;
}

namespace {

// Adds input 1 to each row of input 0.
Status AddToRows(const PairLoop& add, KernelContext& context) {
  const Tensor& value = context.input(0);
  const int64_t channels = value.dims().back();
  const int64_t rows = channels == 0 ? 0 : value.num_elements() / channels;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, value.dtype(), value.dims(), {0}));
  const auto size = static_cast<int64_t>(DTypeSize(value.dtype()));
  const char* x = static_cast<const char*>(value.raw_data());
  const void* bias = context.input(1).raw_data();
  char* to = static_cast<char*>(out->mutable_raw_data());
  constexpr double kElementNs = 0.25;
  const double row_ns = kElementNs * static_cast<double>(channels);
  context.ForRanges(rows, row_ns, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t at = row * channels * size;
      ComputeRow(add, {x + at, 1, bias, 1, to + at, channels});
    }
  });
  return Status();
}

//   inputs[0]: of rank 2 at least;  inputs[1]: a vector, one element for each channel
//   Errors: INVALID_ARGUMENT (shapes)
Result<BoundKernel> BindBiasAdd(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kNumbers));
  TAGFLOW_ASSIGN_OR_RETURN(const bool second, ChannelsComeSecond(binding.node));
  const DType dtype = binding.input_dtype(0);
  const PairLoop add = FindPairLoop(dtype, AddForms());
  if (!second) {
    const AdditionPart part{dtype, /*is_of_bias=*/true};
    return BindPart(part, [add](KernelContext& context) -> Status {
      const DimsView value = context.input(0).dims();
      TAGFLOW_RETURN_IF_ERROR(CheckHasChannels(value));
      TAGFLOW_RETURN_IF_ERROR(CheckBias(value, context.input(1).dims(), value.back()));
      return AddToRows(add, context);
    });
  }
  return BoundKernel([add](KernelContext& context) -> Status {
    const DimsView value = context.input(0).dims();
    TAGFLOW_ASSIGN_OR_RETURN(const Dims channels,
                             BiasShape(value, context.input(1).dims(), /*second=*/true));
    return RunPairs(add, context, value, channels);
  });
}

// The sum of each channel's elements.
//   out_backprop: of rank 2 at least; output: a vector, one element for each channel
//   Errors: INVALID_ARGUMENT (rank), RESOURCE_EXHAUSTED
Result<BoundKernel> BindBiasAddGrad(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kNumbers));
  TAGFLOW_ASSIGN_OR_RETURN(const bool second, ChannelsComeSecond(binding.node));
  const Reducer& sum = ReducerOf(SumReducers(), dtype);
  const auto add = [&sum, dtype, second](KernelContext& context) -> Status {
    const Tensor& backprop = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(const Dims channels, ChannelDims(backprop.dims(), second));
    const Dims output = {second ? channels[1] : channels.back()};
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, output));
    return Reduce(sum, backprop, channels, *out, context);
  };
  if (second) return BoundKernel(add);
  return BindPart(ReductionPart{"Sum", dtype, ReducedAxes::kAllButLast}, add);
}

}  // namespace

Status RegisterBiasKernels(KernelRegistry& registry) {
  return RegisterAll(
      registry,
      {{"BiasAdd", BindBiasAdd}, {"BiasAddGrad", BindBiasAddGrad}, {"BiasAddV1", BindBiasAdd}});
}

}  // namespace tagflow::optimized
