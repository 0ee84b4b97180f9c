// A vector added along the dimension of channels, and the sums that are its gradient.

#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// BiasAddV1 has no such attr.
Result<std::string> FormatOf(const Node& node) {
  if (node.op == "BiasAddV1") return std::string("NHWC");
  return StringAttr(node, "data_format");
}

// Adds a vector along the channel dimension: the last, or with data_format "NCHW" the second.
//   inputs[0]: of rank 2 at least;  inputs[1]: a vector, one element for each channel
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Status BiasAdd(KernelContext& context) {
  const Tensor& value = context.inputs[0];
  const Tensor& bias = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, value.dtype(), kNumbers));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, value.dtype(), bias.dtype()));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, FormatOf(context.node));
  if (value.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: " + DimsString(value.dims()));
  }
  if (bias.rank() != 1) return InvalidArgument("Biases must be 1D: " + DimsString(bias.dims()));
  const int channel = format == "NCHW" ? 1 : value.rank() - 1;
  if (bias.dim(0) != value.dim(channel)) {
    return InvalidArgument("Must provide as many biases as there are channels: " +
                           DimsString(bias.dims()) + " for " + DimsString(value.dims()));
  }
  Dims aligned(value.dims().size(), 1);
  aligned[channel] = bias.dim(0);
  const std::vector<int64_t> bias_of = BroadcastIndices(aligned, value.dims());
  return WithComputingType(value.dtype(), [&](auto computing) -> Status {
    using C = typename decltype(computing)::Type;
    if constexpr (NumberElement<C>) {
      std::vector<C> sums = Load<C>(value);
      const std::vector<C> biases = Load<C>(bias);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] = Plus(sums[i], biases[bias_of[i]]);
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(value.dtype(), value.dims(), sums));
    }
    return Status();
  });
}

// The sum of each channel's elements; floats and complex numbers in double, rounded once.
//   out_backprop: of rank 2 at least; output: a vector, one element for each channel
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (rank), RESOURCE_EXHAUSTED
Status BiasAddGrad(KernelContext& context) {
  const Tensor& backprop = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, backprop.dtype(), kNumbers));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, FormatOf(context.node));
  if (backprop.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: " + DimsString(backprop.dims()));
  }
  const int channel = format == "NCHW" ? 1 : backprop.rank() - 1;
  const Dims output = {backprop.dim(channel)};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(output));
  Dims aligned(backprop.dims().size(), 1);
  aligned[channel] = output[0];
  const std::vector<int64_t> channel_of = BroadcastIndices(aligned, backprop.dims());
  return WithComputingType(backprop.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (NumberElement<C>) {
      using Sum = std::conditional_t<ComplexElement<C>, std::complex<double>,
                                     std::conditional_t<FloatElement<C>, double, C>>;
      std::vector<Sum> sums(static_cast<size_t>(output[0]), Sum(0));
      const std::vector<C> terms = Load<C>(backprop);
      for (size_t i = 0; i < terms.size(); ++i) {
        Sum& sum = sums[channel_of[i]];
        sum = Plus(sum, static_cast<Sum>(terms[i]));
      }
      std::vector<C> values;
      for (const Sum& sum : sums) values.push_back(static_cast<C>(sum));
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(backprop.dtype(), output, values));
    }
    return Status();
  });
}

}  // namespace

Status RegisterBiasKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {{"BiasAdd", BiasAdd}, {"BiasAddV1", BiasAdd}, {"BiasAddGrad", BiasAddGrad}});
}

}  // namespace tagflow::reference
