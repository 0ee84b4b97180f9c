// Batch normalization and its gradient. Images of floats are read where they lie, and those of
// halves as doubles; what is between is in double, vectorized over channels or within one
// (channel_grid.h).

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "optimized/kernels/channel_grid.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/float_elements.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kImageTypes = SetOf(DType::kHalf, DType::kBFloat16, DType::kFloat);
using Vector = std::vector<double>;  // an element for each channel

struct Rule {
  ImageLayout layout;
  double epsilon = 0;
  bool is_training = true;
  double factor = 1;  // of what is new in the running mean and variance
};

Result<Rule> ReadRule(const Binding& binding, bool has_factor) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kImageTypes));
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(3), SetOf(DType::kFloat)));
  Rule rule;
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(binding.node, "data_format"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.layout, ParseImageLayout(format));
  TAGFLOW_ASSIGN_OR_RETURN(rule.epsilon, FloatAttr(binding.node, "epsilon"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.is_training, BoolAttr(binding.node, "is_training"));
  if (!has_factor) return rule;
  TAGFLOW_ASSIGN_OR_RETURN(rule.factor, FloatAttr(binding.node, "exponential_avg_factor"));
  return rule;
}

Result<ChannelGrid> CheckedGrid(const Rule& rule, const Tensor& x) {
  if (x.rank() == rule.layout.rank) return GridOf(rule.layout, x.dims());
  return InvalidArgument("images must be " + std::to_string(rule.layout.rank) +
                         "-dimensional, not " + DimsString(x.dims()));
}

Result<const float*> VectorOf(const KernelContext& context, int i, int64_t channels) {
  const Tensor& vector = context.input(i);
  if (vector.rank() == 1 && vector.dim(0) == channels) return vector.data<float>();
  return InvalidArgument("input " + std::to_string(i) + " must have an element for each of " +
                         std::to_string(channels) + " channels, not the shape " +
                         DimsString(vector.dims()));
}

Status StoreVector(KernelContext& context, int port, const Vector& values) {
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor * out,
      context.Allocate(port, DType::kFloat, Dims{static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    out->mutable_data<float>()[i] = static_cast<float>(values[i]);
  }
  return Status();
}

// ---- Terms and formulas ----

template <typename X>
struct Value {
  const X* x;
  std::array<double, 1> operator()(int64_t i, int64_t) const { return {static_cast<double>(x[i])}; }
};

template <typename X>
struct SquaredDistance {
  const X* x;
  const double* mean;
  std::array<double, 1> operator()(int64_t i, int64_t c) const {
    const double distance = static_cast<double>(x[i]) - mean[c];
    return {distance * distance};
  }
};

template <typename X>
struct Normalized {
  const X* x;
  const double* mean;
  const double* slope;
  const double* offset;
  double operator()(int64_t i, int64_t c) const {
    return (static_cast<double>(x[i]) - mean[c]) * slope[c] + offset[c];
  }
};

// A gradient, and the same times the distance of x from the mean.
template <typename X>
struct GradientTerms {
  const X* g;
  const X* x;
  const double* mean;
  std::array<double, 2> operator()(int64_t i, int64_t c) const {
    const auto gradient = static_cast<double>(g[i]);
    return {gradient, gradient * (static_cast<double>(x[i]) - mean[c])};
  }
};

template <typename X>
struct Backprop {
  const X* g;
  const X* x;
  const double* mean;
  const double* slope;
  const double* common;       // what all elements of a channel lose,
  const double* by_distance;  // and what they lose for each unit of distance from the mean
  double operator()(int64_t i, int64_t c) const {
    const double distance = static_cast<double>(x[i]) - mean[c];
    return (static_cast<double>(g[i]) - common[c] - distance * by_distance[c]) * slope[c];
  }
};

// Where mean and variance are given, and do not hang on x.
template <typename X>
struct BackpropOfGiven {
  const X* g;
  const double* slope;
  double operator()(int64_t i, int64_t c) const { return static_cast<double>(g[i]) * slope[c]; }
};

// ---- Kernels ----

template <typename Formula, typename X>
void MapImages(const KernelContext& context, const ChannelGrid& grid, const Formula& formula,
               X* out) {
  constexpr double kElementNs = 0.5;
  const double row_ns = kElementNs * static_cast<double>(grid.row_size());
  context.ForRanges(grid.rows, row_ns, [&](int64_t begin, int64_t end) {
    MapChannels(grid, formula, begin, end, out);
  });
}

struct Statistics {
  Vector mean, variance;
};

template <typename X>
Statistics StatisticsOf(const ChannelGrid& grid, const X* x) {
  Statistics of;
  const auto count = static_cast<double>(grid.per_channel());
  of.mean = SumChannels<1>(grid, Value<X>{x})[0];
  for (double& mean : of.mean) mean /= count;
  of.variance = SumChannels<1>(grid, SquaredDistance<X>{x, of.mean.data()})[0];
  for (double& variance : of.variance) variance /= count;
  return of;
}

// The statistics of training that go on to the next batch.
Result<Statistics> Running(const Rule& rule, const KernelContext& context, const ChannelGrid& grid,
                           Statistics of) {
  const auto count = static_cast<double>(grid.per_channel());
  for (double& variance : of.variance) variance *= count / std::max(count - 1, 1.0);
  if (rule.factor == 1) return of;
  TAGFLOW_ASSIGN_OR_RETURN(const float* mean, VectorOf(context, 3, grid.channels));
  TAGFLOW_ASSIGN_OR_RETURN(const float* variance, VectorOf(context, 4, grid.channels));
  const auto blend = [&](double& now, double old) {
    now = (1 - rule.factor) * old + rule.factor * now;
  };
  for (size_t c = 0; c < of.mean.size(); ++c) {
    blend(of.mean[c], mean[c]);
    blend(of.variance[c], variance[c]);
  }
  return of;
}

Result<Statistics> GivenStatistics(const KernelContext& context, const ChannelGrid& grid) {
  TAGFLOW_ASSIGN_OR_RETURN(const float* mean, VectorOf(context, 3, grid.channels));
  TAGFLOW_ASSIGN_OR_RETURN(const float* variance, VectorOf(context, 4, grid.channels));
  return Statistics{Vector(mean, mean + grid.channels), Vector(variance, variance + grid.channels)};
}

// batch_mean and batch_variance, of nothing NaN, and what x was normalized by.
Status StoreStatistics(KernelContext& context, Statistics running, const Statistics& used,
                       bool is_empty) {
  if (is_empty) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    running.mean.assign(running.mean.size(), none);
    running.variance.assign(running.variance.size(), none);
  }
  TAGFLOW_RETURN_IF_ERROR(StoreVector(context, 1, running.mean));
  TAGFLOW_RETURN_IF_ERROR(StoreVector(context, 2, running.variance));
  TAGFLOW_RETURN_IF_ERROR(StoreVector(context, 3, used.mean));
  return StoreVector(context, 4, used.variance);
}

//   x: images; scale, offset, mean, variance: float vectors of its channels (mean and variance of
//   any length in training that does not average)
//   y: as x;  then two vectors of statistics, and what y was made with
//   Errors: INVALID_ARGUMENT (shapes)
template <typename X>
Status BatchNorm(const Rule& rule, KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const ChannelGrid grid, CheckedGrid(rule, context.input(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const float* scale, VectorOf(context, 1, grid.channels));
  TAGFLOW_ASSIGN_OR_RETURN(const float* offset, VectorOf(context, 2, grid.channels));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ReadFloats<X>(context.input(0)));
  Statistics used, running;
  if (rule.is_training) {
    used = StatisticsOf(grid, x.data());
    TAGFLOW_ASSIGN_OR_RETURN(running, Running(rule, context, grid, used));
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(used, GivenStatistics(context, grid));
    running = used;
  }
  Vector slope, offsets(offset, offset + grid.channels);
  for (size_t c = 0; c < used.variance.size(); ++c) {
    slope.push_back(scale[c] / std::sqrt(used.variance[c] + rule.epsilon));
  }
  const DType dtype = context.input(0).dtype();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, context.input(0).dims(), {0}));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, WriteFloats<X>(*out));
  const Normalized<X> formula{x.data(), used.mean.data(), slope.data(), offsets.data()};
  MapImages(context, grid, formula, y.data());
  y.Finish();
  return StoreStatistics(context, std::move(running), used, x.size() == 0);
}

Result<BoundKernel> BindBatchNorm(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, ReadRule(binding, /*has_factor=*/true));
  return ForFloatType(binding.input_dtype(0), [&]<typename X>(Computing<X>) {
    return BoundKernel([rule](KernelContext& context) { return BatchNorm<X>(rule, context); });
  });
}
// With a fifth output: nothing that we keep.
Result<BoundKernel> BindBatchNormV3(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel norm, BindBatchNorm(binding));
  return BoundKernel([norm](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(norm(context));
    context.output(5) = Tensor::Scalar<float>(0);
    return Status();
  });
}

Status CheckOneShape(const Tensor& y_backprop, const Tensor& x) {
  if (std::ranges::equal(y_backprop.dims(), x.dims())) return Status();
  return InvalidArgument("x and y_backprop must have same shape, but x has shape " +
                         DimsString(x.dims()) + " and y_backprop has shape " +
                         DimsString(y_backprop.dims()));
}

//   y_backprop, x: images of one shape;  scale, mean, variance: float vectors of the channels
//   x_backprop: as x;  scale_backprop, offset_backprop: vectors;  two vectors of nothing
//   Errors: INVALID_ARGUMENT (shapes)
template <typename X>
Status BatchNormGrad(const Rule& rule, KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckOneShape(context.input(0), context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const ChannelGrid grid, CheckedGrid(rule, context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const float* scale, VectorOf(context, 2, grid.channels));
  TAGFLOW_ASSIGN_OR_RETURN(const Statistics used, GivenStatistics(context, grid));
  TAGFLOW_ASSIGN_OR_RETURN(const auto g, ReadFloats<X>(context.input(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ReadFloats<X>(context.input(1)));
  const double* mean = used.mean.data();
  const auto sums = SumChannels<2>(grid, GradientTerms<X>{g.data(), x.data(), mean});
  const auto count = static_cast<double>(grid.per_channel());
  Vector slope, common, by_distance, scale_backprop;
  for (size_t c = 0; c < used.mean.size(); ++c) {
    const double root = 1 / std::sqrt(used.variance[c] + rule.epsilon);
    slope.push_back(scale[c] * root);
    scale_backprop.push_back(sums[1][c] * root);
    common.push_back(sums[0][c] / count);
    by_distance.push_back(sums[1][c] / count * root * root);
  }
  const DType dtype = context.input(1).dtype();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, dtype, context.input(1).dims(), {0, 1}));
  TAGFLOW_ASSIGN_OR_RETURN(auto backprop, WriteFloats<X>(*out));
  if (rule.is_training) {
    const Backprop<X> formula{g.data(),     x.data(),      mean,
                              slope.data(), common.data(), by_distance.data()};
    MapImages(context, grid, formula, backprop.data());
  } else {
    const BackpropOfGiven<X> formula{g.data(), slope.data()};
    MapImages(context, grid, formula, backprop.data());
  }
  backprop.Finish();
  TAGFLOW_RETURN_IF_ERROR(StoreVector(context, 1, scale_backprop));
  TAGFLOW_RETURN_IF_ERROR(StoreVector(context, 2, sums[0]));
  TAGFLOW_RETURN_IF_ERROR(StoreVector(context, 3, {}));
  return StoreVector(context, 4, {});
}

Result<BoundKernel> BindBatchNormGrad(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, ReadRule(binding, /*has_factor=*/false));
  return ForFloatType(binding.input_dtype(0), [&]<typename X>(Computing<X>) {
    return BoundKernel([rule](KernelContext& context) { return BatchNormGrad<X>(rule, context); });
  });
}

}  // namespace

Status RegisterBatchNormKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"FusedBatchNorm", BindBatchNorm},
                                {"FusedBatchNormGrad", BindBatchNormGrad},
                                {"FusedBatchNormGradV2", BindBatchNormGrad},
                                {"FusedBatchNormGradV3", BindBatchNormGrad},
                                {"FusedBatchNormV2", BindBatchNorm},
                                {"FusedBatchNormV3", BindBatchNormV3}});
}

}  // namespace tagflow::optimized
