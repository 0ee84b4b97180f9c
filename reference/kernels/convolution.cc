// Convolutions and their gradients: the sums of the products that convolution_terms.h names, floats
// in double and rounded once; integers wrap.

#include <cmath>
#include <concepts>
#include <string>

#include "graph/ops/fused_convolution.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/convolution_terms.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// What there is of the three tensors of a convolution, and the one to be computed.
struct Convolution {
  ConvolutionGeometry geometry;
  Dims image, filter;
};

enum class Role { kImage, kFilter, kOutput };

// `made` = for each of its elements, the sum of the products of the elements of x and y that are
// terms of it, or that it is in a term with.
//   x, y: the other two, in the order of Role
Result<Tensor> SumOfTerms(const Convolution& convolution, const Tensor& x, const Tensor& y,
                          Role made) {
  const Dims dims = made == Role::kImage    ? convolution.image
                    : made == Role::kFilter ? convolution.filter
                                            : convolution.geometry.OutputDims();
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
  return WithComputingType(x.dtype(), [&]<typename C>(Computing<C>) -> Result<Tensor> {
    std::vector<C> values;
    if constexpr (RealElement<C>) {
      const std::vector<C> xs = Load<C>(x), ys = Load<C>(y);
      using Sum = Accumulator<C>;
      std::vector<Sum> sums(static_cast<size_t>(count), Sum(0));
      ForEachTerm(convolution.geometry, convolution.image, convolution.filter,
                  [&](int64_t image, int64_t filter, int64_t output) {
                    const int64_t at_x = made == Role::kImage ? filter : image;
                    const int64_t at_y = made == Role::kOutput ? filter : output;
                    const int64_t to = made == Role::kImage    ? image
                                       : made == Role::kFilter ? filter
                                                               : output;
                    sums[to] = Plus(sums[to], Times(Sum(xs[at_x]), Sum(ys[at_y])));
                  });
      for (const Sum& sum : sums) values.push_back(static_cast<C>(sum));
    }
    return Store(x.dtype(), dims, values);
  });
}

// int32 where TensorFlow has such a kernel.
Status CheckDTypes(const KernelContext& context, const Tensor& x, const Tensor& y) {
  const std::string& op = context.node.op;
  const bool has_int32 = op == "Conv2D" || op == "Conv2DBackpropInput";
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(op, x.dtype(), has_int32 ? kFloating | DTypeSet{DType::kInt32} : kFloating));
  return RequireSameDType(op, x.dtype(), y.dtype());
}

// The dims that an input, a vector, spells.
Result<Dims> SpelledDims(const Tensor& sizes) {
  if (sizes.rank() == 1) return IndexValues(sizes);
  return InvalidArgument("sizes must be a vector, not of shape " + DimsString(sizes.dims()));
}

//   inputs: image and filter
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (PlaceConvolution), RESOURCE_EXHAUSTED
Status Convolve(KernelContext& context) {
  const Tensor &image = context.inputs[0], &filter = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(CheckDTypes(context, image, filter));
  Convolution convolution{{}, ToDims(image.dims()), ToDims(filter.dims())};
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(convolution.geometry,
                           PlaceConvolution(attrs, convolution.image, convolution.filter));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           SumOfTerms(convolution, image, filter, Role::kOutput));
  return Status();
}

//   inputs: the sizes of the image, the filter, the gradient of the output
//   Errors: as Convolve, and INVALID_ARGUMENT where the gradient is not of the output's shape
Status BackpropInput(KernelContext& context) {
  const Tensor &filter = context.inputs[1], &backprop = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(CheckDTypes(context, filter, backprop));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims sizes, SpelledDims(context.inputs[0]));
  Convolution convolution{
      {}, SpelledImageDims(attrs, sizes, filter.dims(), backprop.dims()), ToDims(filter.dims())};
  TAGFLOW_ASSIGN_OR_RETURN(
      convolution.geometry,
      PlaceBackprop(attrs, convolution.image, convolution.filter, backprop.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           SumOfTerms(convolution, filter, backprop, Role::kImage));
  return Status();
}

//   inputs: the image, the sizes of the filter, the gradient of the output
//   Errors: as BackpropInput
Status BackpropFilter(KernelContext& context) {
  const Tensor &image = context.inputs[0], &backprop = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(CheckDTypes(context, image, backprop));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(context.node));
  Convolution convolution{{}, ToDims(image.dims()), {}};
  TAGFLOW_ASSIGN_OR_RETURN(convolution.filter, SpelledDims(context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(
      convolution.geometry,
      PlaceBackprop(attrs, convolution.image, convolution.filter, backprop.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           SumOfTerms(convolution, image, backprop, Role::kFilter));
  return Status();
}

// ---- Convolutions that go on ----

// A number bent by an activation.
double Activated(const FusedOps& ops, double x) {
  switch (ops.activation) {
    case FusedActivation::kRelu:
      return x < 0 ? 0 : x;
    case FusedActivation::kRelu6:
      return x < 0 ? 0 : x > 6 ? 6 : x;
    case FusedActivation::kElu:
      return x < 0 ? std::expm1(x) : x;
    case FusedActivation::kLeakyRelu:
      return x < 0 ? x * static_cast<double>(ops.leakyrelu_alpha) : x;
    default:
      return x;
  }
}

// What is made of an element x of the convolution, in a channel with these arguments.
double Finished(const FusedOps& ops, const std::vector<double>& args, double x) {
  if (!ops.normalizes) return Activated(ops, x + args[0]);
  const double scale = args[0] / std::sqrt(args[3] + static_cast<double>(ops.epsilon));
  return Activated(ops, (x - args[2]) * scale + args[1]);
}

//   inputs: image, filter, and a vector for each argument of the fused ops
//   Errors: as Convolve, of ReadFusedOps and CheckFusedArgs
Status FusedConvolve(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const FusedOps ops, ReadFusedOps(context.node));
  const DType dtype = context.inputs[0].dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, {DType::kFloat, DType::kDouble}));
  TAGFLOW_RETURN_IF_ERROR(Convolve(context));
  const Tensor convolved = context.outputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(context.node));
  const int channel = attrs.windows.layout.channel();
  const std::vector<Tensor> args(context.inputs.begin() + 2,
                                 context.inputs.begin() + 2 + ops.num_args());
  TAGFLOW_RETURN_IF_ERROR(CheckFusedArgs(args, convolved.dim(channel)));
  for (const Tensor& arg : args) {
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, dtype, arg.dtype()));
  }
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Status {
    if constexpr (std::floating_point<C>) {
      std::vector<C> values = Load<C>(convolved);
      size_t i = 0;
      ForEachPlace(convolved.dims(), [&](const Dims& at) {
        std::vector<double> of_channel;
        for (const Tensor& arg : args) {
          of_channel.push_back(static_cast<double>(arg.data<C>()[at[channel]]));
        }
        values[i] = static_cast<C>(Finished(ops, of_channel, static_cast<double>(values[i])));
        ++i;
      });
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(dtype, convolved.dims(), values));
    }
    return Status();
  });
}

}  // namespace

Status RegisterConvolutionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Conv2D", Convolve},
                                {"Conv2DBackpropFilter", BackpropFilter},
                                {"Conv2DBackpropInput", BackpropInput},
                                {"Conv3D", Convolve},
                                {"Conv3DBackpropFilterV2", BackpropFilter},
                                {"Conv3DBackpropInputV2", BackpropInput},
                                {"DepthwiseConv2dNative", Convolve},
                                {"DepthwiseConv2dNativeBackpropFilter", BackpropFilter},
                                {"DepthwiseConv2dNativeBackpropInput", BackpropInput},
                                {"_FusedConv2D", FusedConvolve}});
}

}  // namespace tagflow::reference
