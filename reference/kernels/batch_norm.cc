// Batch normalization: in each channel of images x
//
//   y = (x - mean) / sqrt(variance + epsilon) * scale + offset
//
// where mean and variance are those of x itself in training, and inputs otherwise. Everything is
// computed in double and rounded once.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

using Vector = std::vector<double>;  // an element for each channel
constexpr DTypeSet kImageTypes = {DType::kHalf, DType::kBFloat16, DType::kFloat};

struct Images {
  std::vector<double> x;
  std::vector<int64_t> channel_of;  // of each element
  int64_t channels = 0;
  double rows = 0;  // elements of each channel
};

//   x: of the rank that data_format names
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (rank)
Result<Images> LoadImages(const Node& node, const Tensor& x) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(node.op, x.dtype(), kImageTypes));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(node, "data_format"));
  TAGFLOW_ASSIGN_OR_RETURN(const ImageLayout layout, ParseImageLayout(format));
  if (x.rank() != layout.rank) {
    return InvalidArgument("images in the format " + format + " must be " +
                           std::to_string(layout.rank) + "-dimensional, not " +
                           DimsString(x.dims()));
  }
  Images images;
  images.channels = x.dim(layout.channel());
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{images.channels}));
  Dims aligned(x.dims().size(), 1);
  aligned[static_cast<size_t>(layout.channel())] = images.channels;
  images.x = LoadDoubles(x);
  images.channel_of = BroadcastIndices(aligned, x.dims());
  if (images.channels > 0) images.rows = static_cast<double>(x.num_elements() / images.channels);
  return images;
}

// Input i: a float vector with an element for each channel.
Result<Vector> LoadVector(const KernelContext& context, size_t i, const Images& images) {
  const Tensor& vector = context.inputs[i];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, vector.dtype(), {DType::kFloat}));
  if (vector.rank() != 1 || vector.dim(0) != images.channels) {
    return InvalidArgument(context.node.def->inputs[i].name + " must have an element for each of " +
                           std::to_string(images.channels) + " channels, not the shape " +
                           DimsString(vector.dims()));
  }
  return LoadDoubles(vector);
}

// The sum over each channel of term(element, channel).
template <typename Term>
Vector SumOfEach(const Images& images, Term term) {
  Vector sums(static_cast<size_t>(images.channels), 0.0);
  for (size_t i = 0; i < images.x.size(); ++i) {
    const int64_t channel = images.channel_of[i];
    sums[channel] += term(i, channel);
  }
  return sums;
}

struct Statistics {
  Vector mean, variance;
};

// Of the elements of each channel; NaN where it has none.
Statistics StatisticsOf(const Images& images) {
  Statistics of;
  of.mean = SumOfEach(images, [&](size_t i, int64_t) { return images.x[i]; });
  for (double& mean : of.mean) mean /= images.rows;
  of.variance = SumOfEach(images, [&](size_t i, int64_t channel) {
    const double distance = images.x[i] - of.mean[channel];
    return distance * distance;
  });
  for (double& variance : of.variance) variance /= images.rows;
  return of;
}

Vector Averaged(const Vector& old, const Vector& now, double factor) {
  Vector average;
  for (size_t i = 0; i < now.size(); ++i) {
    average.push_back((1 - factor) * old[i] + factor * now[i]);
  }
  return average;
}

// What comes out as batch_mean and batch_variance of training: of all that x is a sample of, and
// averaged with what has been before.
Result<Statistics> Running(const KernelContext& context, const Images& images,
                           const Statistics& of_batch) {
  TAGFLOW_ASSIGN_OR_RETURN(const float factor, FloatAttr(context.node, "exponential_avg_factor"));
  Statistics running = of_batch;
  for (double& variance : running.variance) {
    variance *= images.rows / std::max(images.rows - 1, 1.0);
  }
  if (factor == 1) return running;
  TAGFLOW_ASSIGN_OR_RETURN(const Vector mean, LoadVector(context, 3, images));
  TAGFLOW_ASSIGN_OR_RETURN(const Vector variance, LoadVector(context, 4, images));
  return Statistics{Averaged(mean, running.mean, factor),
                    Averaged(variance, running.variance, factor)};
}

Status StoreVectors(KernelContext& context, size_t port, const std::vector<Vector>& vectors) {
  for (const Vector& vector : vectors) {
    const Dims dims = {static_cast<int64_t>(vector.size())};
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[port], StoreDoubles(DType::kFloat, dims, vector));
    ++port;
  }
  return Status();
}

//   x: images; scale, offset, mean, variance: float vectors of its channels (mean and variance of
//   any length in training that does not average)
//   y: as x;  batch_mean, batch_variance: those of the channels, NaN where x is empty;
//   reserve_space_1, 2: the mean and the variance that y was made with;  reserve_space_3: 0
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Status BatchNorm(KernelContext& context) {
  const Tensor& x = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const Images images, LoadImages(context.node, x));
  TAGFLOW_ASSIGN_OR_RETURN(const Vector scale, LoadVector(context, 1, images));
  TAGFLOW_ASSIGN_OR_RETURN(const Vector offset, LoadVector(context, 2, images));
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_training, BoolAttr(context.node, "is_training"));
  TAGFLOW_ASSIGN_OR_RETURN(const float epsilon, FloatAttr(context.node, "epsilon"));
  Statistics used, running;
  if (is_training) {
    used = StatisticsOf(images);
    TAGFLOW_ASSIGN_OR_RETURN(running, Running(context, images, used));
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(used.mean, LoadVector(context, 3, images));
    TAGFLOW_ASSIGN_OR_RETURN(used.variance, LoadVector(context, 4, images));
    running = used;
  }
  if (images.x.empty()) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    running.mean.assign(running.mean.size(), none);
    running.variance.assign(running.variance.size(), none);
  }
  std::vector<double> y;
  for (size_t i = 0; i < images.x.size(); ++i) {
    const int64_t channel = images.channel_of[i];
    const double deviation = std::sqrt(used.variance[channel] + epsilon);
    y.push_back((images.x[i] - used.mean[channel]) * (scale[channel] / deviation) +
                offset[channel]);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(x.dtype(), x.dims(), y));
  TAGFLOW_RETURN_IF_ERROR(
      StoreVectors(context, 1, {running.mean, running.variance, used.mean, used.variance}));
  if (context.outputs.size() > 5) context.outputs[5] = Tensor::Scalar<float>(0);
  return Status();
}

//   y_backprop, x: images of one shape;  scale, reserve_space_1 (mean), reserve_space_2 (variance):
//   float vectors of the channels
// With r = 1 / sqrt(variance + epsilon) and d = x - mean
//   offset_backprop = sum(y_backprop);  scale_backprop = sum(y_backprop * d) * r
//   x_backprop = y_backprop * scale * r, and in training, where mean and variance are x's own,
//                (y_backprop - mean(y_backprop) - d * mean(y_backprop * d) * r^2) * scale * r
//   Outputs 3 and 4, for the gradients of mean and variance that nobody asks for, are empty.
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Status BatchNormGrad(KernelContext& context) {
  const Tensor& x = context.inputs[1];
  const Tensor& y_backprop = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const Images images, LoadImages(context.node, x));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, y_backprop.dtype(), x.dtype()));
  if (!std::ranges::equal(x.dims(), y_backprop.dims())) {
    return InvalidArgument("x and y_backprop must have same shape, but x has shape " +
                           DimsString(x.dims()) + " and y_backprop has shape " +
                           DimsString(y_backprop.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Vector scale, LoadVector(context, 2, images));
  TAGFLOW_ASSIGN_OR_RETURN(const Vector mean, LoadVector(context, 3, images));
  TAGFLOW_ASSIGN_OR_RETURN(const Vector variance, LoadVector(context, 4, images));
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_training, BoolAttr(context.node, "is_training"));
  TAGFLOW_ASSIGN_OR_RETURN(const float epsilon, FloatAttr(context.node, "epsilon"));
  const std::vector<double> g = LoadDoubles(y_backprop);
  const Vector sum = SumOfEach(images, [&](size_t i, int64_t) { return g[i]; });
  const Vector sum_by_x = SumOfEach(
      images, [&](size_t i, int64_t channel) { return g[i] * (images.x[i] - mean[channel]); });
  Vector scale_backprop;
  for (size_t c = 0; c < sum_by_x.size(); ++c) {
    scale_backprop.push_back(sum_by_x[c] / std::sqrt(variance[c] + epsilon));
  }
  std::vector<double> x_backprop;
  for (size_t i = 0; i < g.size(); ++i) {
    const int64_t c = images.channel_of[i];
    const double r = 1 / std::sqrt(variance[c] + epsilon);
    double through = g[i];
    if (is_training) {
      const double distance = images.x[i] - mean[c];
      through -= (sum[c] + distance * sum_by_x[c] * r * r) / images.rows;
    }
    x_backprop.push_back(through * scale[c] * r);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(x.dtype(), x.dims(), x_backprop));
  return StoreVectors(context, 1, {scale_backprop, sum, {}, {}});
}

}  // namespace

Status RegisterBatchNormKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"FusedBatchNorm", BatchNorm},
                                {"FusedBatchNormV2", BatchNorm},
                                {"FusedBatchNormV3", BatchNorm},
                                {"FusedBatchNormGrad", BatchNormGrad},
                                {"FusedBatchNormGradV2", BatchNormGrad},
                                {"FusedBatchNormGradV3", BatchNormGrad}});
}

}  // namespace tagflow::reference
