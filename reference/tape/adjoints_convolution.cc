// Derivatives of convolutions and of their gradients: each is a sum of products of two tensors'
// elements (reference/kernels/convolution_terms.h), and each factor is the derivative by the other.

#include <cmath>

#include "graph/ops/fused_convolution.h"
#include "reference/kernels/convolution_terms.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

Dims ToDims(DimsView dims) { return Dims(dims.begin(), dims.end()); }

// The three tensors of a convolution in a firing: slots of two inputs, and which of the three, in
// the order image, filter, output, is made.
struct Factors {
  size_t x, y;
  size_t made;
};

// made[m] is a sum of products x[i] y[j].
Status AddProducts(FiringPartials& firing, const Factors& factors) {
  const Tensor &x = firing.input(factors.x), &y = firing.input(factors.y);
  const Tensor& made = firing.output(0);
  const Dims image = ToDims(factors.made == 0 ? made.dims() : x.dims());
  const Dims filter = ToDims(factors.made == 1   ? made.dims()
                             : factors.made == 0 ? x.dims()
                                                 : y.dims());
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(firing.node()));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionGeometry geometry,
                           PlaceConvolution(attrs, image, filter));
  const std::vector<double> xs = ToDoubles(x), ys = ToDoubles(y);
  ForEachTerm(geometry, image, filter, [&](int64_t of_image, int64_t of_filter, int64_t of_output) {
    const auto i = static_cast<size_t>(factors.made == 0 ? of_filter : of_image);
    const auto j = static_cast<size_t>(factors.made == 2 ? of_filter : of_output);
    const auto m = static_cast<size_t>(factors.made == 0   ? of_image
                                       : factors.made == 1 ? of_filter
                                                           : of_output);
    firing.Add(0, m, factors.x, i, ys[j]);
    firing.Add(0, m, factors.y, j, xs[i]);
  });
  return Status();
}

Status Convolution(FiringPartials& firing) { return AddProducts(firing, {0, 1, 2}); }
Status ByImage(FiringPartials& firing) { return AddProducts(firing, {1, 2, 0}); }
Status ByFilter(FiringPartials& firing) { return AddProducts(firing, {0, 2, 1}); }

// ---- _FusedConv2D ----

// The derivative of the activation where it gets x.
double SlopeAt(const FusedOps& ops, double x) {
  switch (ops.activation) {
    case FusedActivation::kRelu:
      return x > 0 ? 1 : 0;
    case FusedActivation::kRelu6:
      return x > 0 && x < 6 ? 1 : 0;
    case FusedActivation::kElu:
      return x < 0 ? std::exp(x) : 1;
    case FusedActivation::kLeakyRelu:
      return x > 0 ? 1 : static_cast<double>(ops.leakyrelu_alpha);
    default:
      return 1;
  }
}

// The convolution's elements, and the sums of their terms' magnitudes.
struct Sums {
  std::vector<double> values, magnitudes;
};

// Adds the partial derivatives of element o by the arguments of its channel; returns that by the
// element of the convolution.
double AddArguments(FiringPartials& firing, const FusedOps& ops, const Sums& sums, size_t o,
                    size_t channel) {
  const auto arg = [&](size_t slot) { return ToDoubles(firing.input(slot))[channel]; };
  const double x = sums.values[o];
  if (!ops.normalizes) {
    const double slope = SlopeAt(ops, x + arg(2));
    firing.Add(0, o, 2, channel, slope);
    return slope;
  }
  const double r = 1 / std::sqrt(arg(5) + static_cast<double>(ops.epsilon));
  const double scale = arg(2), centered = x - arg(4);
  const double magnitude = sums.magnitudes[o] + std::fabs(arg(4));
  const double slope = SlopeAt(ops, centered * scale * r + arg(3));
  firing.Add(0, o, 2, channel, slope * centered * r, std::fabs(slope * r) * magnitude);
  firing.Add(0, o, 3, channel, slope);
  firing.Add(0, o, 4, channel, -slope * scale * r);
  const double by_variance = -0.5 * slope * scale * r * r * r;
  firing.Add(0, o, 5, channel, by_variance * centered, std::fabs(by_variance) * magnitude);
  return slope * scale * r;
}

Status Fused(FiringPartials& firing) {
  const Dims image = ToDims(firing.input(0).dims()), filter = ToDims(firing.input(1).dims());
  TAGFLOW_ASSIGN_OR_RETURN(const FusedOps ops, ReadFusedOps(firing.node()));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(firing.node()));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionGeometry geometry,
                           PlaceConvolution(attrs, image, filter));
  const std::vector<double> xs = ToDoubles(firing.input(0)), fs = ToDoubles(firing.input(1));
  const Dims output = geometry.OutputDims();
  const auto count = static_cast<size_t>(Product(output, 0, output.size()));
  Sums sums = {std::vector<double>(count), std::vector<double>(count)};
  ForEachTerm(geometry, image, filter, [&](int64_t i, int64_t f, int64_t o) {
    sums.values[o] += xs[i] * fs[f];
    sums.magnitudes[o] += std::fabs(xs[i] * fs[f]);
  });
  Dims steps(output.size(), 0);
  steps[static_cast<size_t>(geometry.layout.channel())] = 1;
  const std::vector<size_t> channel = Walk(output, steps);
  std::vector<double> slopes;
  for (size_t o = 0; o < count; ++o) {
    slopes.push_back(AddArguments(firing, ops, sums, o, channel[o]));
  }
  ForEachTerm(geometry, image, filter, [&](int64_t i, int64_t f, int64_t o) {
    firing.Add(0, o, 0, i, slopes[o] * fs[f]);
    firing.Add(0, o, 1, f, slopes[o] * xs[i]);
  });
  return Status();
}

}  // namespace

void AddConvolutionAdjoints(AdjointTable& table) {
  for (const char* op : {"Conv2D", "Conv3D", "DepthwiseConv2dNative"}) table.Set(op, Convolution);
  for (const char* op :
       {"Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput"}) {
    table.Set(op, ByImage);
  }
  for (const char* op :
       {"Conv2DBackpropFilter", "Conv3DBackpropFilterV2", "DepthwiseConv2dNativeBackpropFilter"}) {
    table.Set(op, ByFilter);
  }
  table.Set("_FusedConv2D", Fused);
}

}  // namespace tagflow::reference
