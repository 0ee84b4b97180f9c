// Derivatives of batch normalization, of its gradient, and of LRN and its gradient.
//
// Mean and variance are outputs of batch normalization and inputs of its gradient: each op by all
// its inputs, as if nobody knew that they are functions of x.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// One channel of a batch norm's images: its elements, and what normalizes them.
struct Channel {
  size_t number = 0;
  std::vector<size_t> places;  // of its elements in the images
  double count = 0;
  double mean = 0, variance = 0, scale = 0;
  double root = 0;  // 1 / sqrt(variance + epsilon)
  double epsilon = 0;
  std::vector<double> distances;  // of the elements from the mean

  void SetStatistics(double new_mean, double new_variance, const std::vector<double>& x) {
    mean = new_mean;
    variance = new_variance;
    root = 1 / std::sqrt(variance + epsilon);
    for (const size_t place : places) distances.push_back(x[place] - mean);
  }
};

// The channels of the images that are input x_slot, without statistics.
Result<std::vector<Channel>> ChannelsOf(const FiringPartials& firing, size_t x_slot) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(firing.node(), "data_format"));
  TAGFLOW_ASSIGN_OR_RETURN(const ImageLayout layout, ParseImageLayout(format));
  TAGFLOW_ASSIGN_OR_RETURN(const float epsilon, FloatAttr(firing.node(), "epsilon"));
  const DimsView dims = firing.input(x_slot).dims();
  const auto channel = static_cast<size_t>(layout.channel());
  const std::vector<double> scale = ToDoubles(firing.input(x_slot == 0 ? 1 : 2));
  std::vector<Channel> channels(static_cast<size_t>(dims[channel]));
  for (size_t c = 0; c < channels.size(); ++c) {
    channels[c].number = c;
    channels[c].scale = scale[c];
    channels[c].epsilon = static_cast<double>(epsilon);
  }
  Dims aligned(dims.size(), 1);
  aligned[channel] = dims[channel];
  const std::vector<size_t> channel_of = BroadcastWalk(aligned, dims);
  for (size_t i = 0; i < channel_of.size(); ++i) channels[channel_of[i]].places.push_back(i);
  for (Channel& of : channels) of.count = static_cast<double>(of.places.size());
  return channels;
}

// ---- Batch normalization: x, scale, offset, mean, variance ----

// y = d r scale + offset, for the distance d from the mean.
void AddNormalized(FiringPartials& firing, const Channel& of, bool is_training) {
  const double slope = of.scale * of.root;
  for (size_t i = 0; i < of.places.size(); ++i) {
    const double d = of.distances[i];
    const size_t place = of.places[i];
    firing.Add(0, place, 1, of.number, d * of.root, (std::fabs(d) + std::fabs(of.mean)) * of.root);
    firing.Add(0, place, 2, of.number, 1);
    if (!is_training) {
      const double by_variance = -slope * d * of.root * of.root / 2;
      firing.Add(0, place, 0, place, slope);
      firing.Add(0, place, 3, of.number, -slope);
      firing.Add(0, place, 4, of.number, by_variance);
      continue;
    }
    for (size_t j = 0; j < of.places.size(); ++j) {
      const double same = i == j ? 1 : 0;
      const double bend = d * of.distances[j] * of.root * of.root / of.count;
      firing.Add(0, place, 0, of.places[j], slope * (same - 1 / of.count - bend),
                 std::fabs(slope) * (same + 1 / of.count + std::fabs(bend)));
    }
  }
}

// Outputs 1 to 4 of training: mean and variance of x, averaged with inputs 3 and 4, then alone.
void AddStatistics(FiringPartials& firing, const Channel& of, double factor) {
  const double of_sample = std::max(of.count - 1, 1.0);
  for (size_t j = 0; j < of.places.size(); ++j) {
    const double d = of.distances[j];
    firing.Add(1, of.number, 0, of.places[j], factor / of.count);
    firing.Add(2, of.number, 0, of.places[j], factor * 2 * d / of_sample);
    firing.Add(3, of.number, 0, of.places[j], 1 / of.count);
    firing.Add(4, of.number, 0, of.places[j], 2 * d / of.count);
  }
  if (factor == 1) return;
  firing.Add(1, of.number, 3, of.number, 1 - factor);
  firing.Add(2, of.number, 4, of.number, 1 - factor);
}

Status BatchNorm(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_training, BoolAttr(firing.node(), "is_training"));
  TAGFLOW_ASSIGN_OR_RETURN(const float factor, FloatAttr(firing.node(), "exponential_avg_factor"));
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Channel> channels, ChannelsOf(firing, 0));
  const std::vector<double> x = ToDoubles(firing.input(0));
  for (Channel& of : channels) {
    if (is_training) {
      double sum = 0, squares = 0;
      for (const size_t place : of.places) sum += x[place];
      const double mean = sum / of.count;
      for (const size_t place : of.places) squares += (x[place] - mean) * (x[place] - mean);
      of.SetStatistics(mean, squares / of.count, x);
      AddStatistics(firing, of, static_cast<double>(factor));
    } else {
      of.SetStatistics(ToDoubles(firing.input(3))[of.number], ToDoubles(firing.input(4))[of.number],
                       x);
      for (const size_t port : {1, 3}) firing.Add(port, of.number, 3, of.number, 1);
      for (const size_t port : {2, 4}) firing.Add(port, of.number, 4, of.number, 1);
    }
    AddNormalized(firing, of, is_training);
  }
  return Status();
}

// ---- Its gradient: g, x, scale, mean, variance ----

struct GradSums {
  double g = 0, gd = 0;                      // sum(g), sum(g d)
  double g_magnitude = 0, gd_magnitude = 0;  // of their terms
};
GradSums SumsOf(const Channel& of, const std::vector<double>& g) {
  GradSums sums;
  for (size_t i = 0; i < of.places.size(); ++i) {
    const double term = g[of.places[i]], product = term * of.distances[i];
    sums.g += term;
    sums.gd += product;
    sums.g_magnitude += std::fabs(term);
    sums.gd_magnitude += std::fabs(product);
  }
  return sums;
}

// scale_backprop = r sum(g d), offset_backprop = sum(g).
void AddVectors(FiringPartials& firing, const Channel& of, const std::vector<double>& g,
                const GradSums& sums) {
  const double cube = of.root * of.root * of.root;
  for (size_t j = 0; j < of.places.size(); ++j) {
    const size_t place = of.places[j];
    firing.Add(1, of.number, 0, place, of.root * of.distances[j],
               of.root * (std::fabs(of.distances[j]) + std::fabs(of.mean)));
    firing.Add(1, of.number, 1, place, of.root * g[place]);
    firing.Add(2, of.number, 0, place, 1);
  }
  firing.Add(1, of.number, 3, of.number, -of.root * sums.g, of.root * sums.g_magnitude);
  firing.Add(1, of.number, 4, of.number, -cube * sums.gd / 2, cube * sums.gd_magnitude / 2);
}

// x_backprop = scale r g, of element i.
void AddLinear(FiringPartials& firing, const Channel& of, const std::vector<double>& g, size_t i) {
  const size_t place = of.places[i];
  firing.Add(0, place, 0, place, of.scale * of.root);
  firing.Add(0, place, 2, of.number, of.root * g[place]);
  firing.Add(0, place, 4, of.number, -of.scale * of.root * of.root * of.root * g[place] / 2);
}

// In training also - scale r (sum(g) + d r^2 sum(g d)) / n.
void AddByStatistics(FiringPartials& firing, const Channel& of, const std::vector<double>& g,
                     const GradSums& sums, size_t i) {
  const size_t place = of.places[i];
  const double d = of.distances[i], r = of.root, n = of.count, square = r * r;
  const double slope = of.scale * r / n;
  for (size_t j = 0; j < of.places.size(); ++j) {
    const double by_g = d * of.distances[j] * square;
    firing.Add(0, place, 0, of.places[j], -slope * (1 + by_g),
               std::fabs(slope) * (1 + std::fabs(by_g)));
    firing.Add(0, place, 1, of.places[j], -slope * square * d * g[of.places[j]]);
  }
  const double by_d = slope * square * sums.gd;
  const double by_d_magnitude = std::fabs(slope) * square * sums.gd_magnitude;
  firing.Add(0, place, 1, place, -by_d, by_d_magnitude);
  firing.Add(0, place, 2, of.number, -r / n * (sums.g + d * square * sums.gd),
             r / n * (sums.g_magnitude + std::fabs(d) * square * sums.gd_magnitude));
  firing.Add(0, place, 3, of.number, by_d + slope * square * d * sums.g,
             by_d_magnitude + std::fabs(slope * d) * square * sums.g_magnitude);
  const double by_root = of.scale / n * (sums.g + 3 * d * square * sums.gd);
  const double by_root_magnitude =
      std::fabs(of.scale) / n * (sums.g_magnitude + 3 * std::fabs(d) * square * sums.gd_magnitude);
  firing.Add(0, place, 4, of.number, by_root * r * square / 2, by_root_magnitude * r * square / 2);
}

Status BatchNormGrad(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_training, BoolAttr(firing.node(), "is_training"));
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Channel> channels, ChannelsOf(firing, 1));
  const std::vector<double> g = ToDoubles(firing.input(0)), x = ToDoubles(firing.input(1)),
                            mean = ToDoubles(firing.input(3)),
                            variance = ToDoubles(firing.input(4));
  for (Channel& of : channels) {
    of.SetStatistics(mean[of.number], variance[of.number], x);
    const GradSums sums = SumsOf(of, g);
    AddVectors(firing, of, g, sums);
    for (size_t i = 0; i < of.places.size(); ++i) {
      AddLinear(firing, of, g, i);
      if (is_training) AddByStatistics(firing, of, g, sums, i);
    }
  }
  return Status();
}

// ---- LRN: y = x norm^-beta, norm = bias + alpha times the sum of x^2 near by ----

struct Local {
  size_t radius = 0, channels = 0;
  double alpha = 0, beta = 0;
  std::vector<double> norms;  // of each element

  // The elements near by, i among them: [first, end).
  size_t first(size_t i) const {
    const size_t row = i / channels * channels;
    return i - row > radius ? i - radius : row;
  }
  size_t end(size_t i) const {
    return std::min(i / channels * channels + channels, i + radius + 1);
  }
};

Result<Local> LocalOf(const FiringPartials& firing, size_t x_slot) {
  Local of;
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t radius, IntAttr(firing.node(), "depth_radius"));
  TAGFLOW_ASSIGN_OR_RETURN(of.alpha, FloatAttr(firing.node(), "alpha"));
  TAGFLOW_ASSIGN_OR_RETURN(of.beta, FloatAttr(firing.node(), "beta"));
  TAGFLOW_ASSIGN_OR_RETURN(const float bias, FloatAttr(firing.node(), "bias"));
  of.radius = static_cast<size_t>(radius);
  of.channels = static_cast<size_t>(firing.input(x_slot).dims().back());
  const std::vector<double> x = ToDoubles(firing.input(x_slot));
  for (size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (size_t k = of.first(i); k < of.end(i); ++k) sum += x[k] * x[k];
    of.norms.push_back(static_cast<double>(bias) + of.alpha * sum);
  }
  return of;
}

Status LocalResponse(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const Local of, LocalOf(firing, 0));
  const std::vector<double> x = ToDoubles(firing.input(0));
  for (size_t i = 0; i < x.size(); ++i) {
    const double power = std::pow(of.norms[i], -of.beta);
    const double slope = -2 * of.alpha * of.beta * x[i] * power / of.norms[i];
    firing.Add(0, i, 0, i, power);
    for (size_t k = of.first(i); k < of.end(i); ++k) firing.Add(0, i, 0, k, slope * x[k]);
  }
  return Status();
}

// g norm^-beta - 2 alpha beta x * (the sum of g y / norm near by), of g, x and y.
Status LocalResponseGrad(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const Local of, LocalOf(firing, 1));
  const std::vector<double> g = ToDoubles(firing.input(0)), x = ToDoubles(firing.input(1)),
                            y = ToDoubles(firing.input(2));
  const double factor = 2 * of.alpha * of.beta;
  for (size_t i = 0; i < x.size(); ++i) {
    const double power = std::pow(of.norms[i], -of.beta);
    firing.Add(0, i, 0, i, power);
    for (size_t k = of.first(i); k < of.end(i); ++k) {
      const double response = g[k] * y[k] / of.norms[k];
      firing.Add(0, i, 1, k, -factor * g[i] * power / of.norms[i] * x[k]);
      firing.Add(0, i, 0, k, -factor * x[i] * y[k] / of.norms[k]);
      firing.Add(0, i, 2, k, -factor * x[i] * g[k] / of.norms[k]);
      firing.Add(0, i, 1, i, -factor * response);
      for (size_t m = of.first(k); m < of.end(k); ++m) {
        firing.Add(0, i, 1, m, factor * x[i] * response / of.norms[k] * 2 * of.alpha * x[m]);
      }
    }
  }
  return Status();
}

}  // namespace

void AddNormalizationAdjoints(AdjointTable& table) {
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    table.Set(op, BatchNorm);
  }
  for (const char* op : {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    table.Set(op, BatchNormGrad);
  }
  table.Set("LRN", LocalResponse);
  table.Set("LRNGrad", LocalResponseGrad);
}

}  // namespace tagflow::reference
