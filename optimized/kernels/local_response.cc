// LRN and its gradient: each element over a power of the sum of squares of the channels near by.
// The channels of one place are a row.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct Rule {
  int64_t radius = 0;
  double bias = 0, alpha = 0, beta = 0;
};

Result<Rule> ReadRule(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(binding, binding.input_dtype(0), SetOf(DType::kHalf, DType::kFloat)));
  Rule rule;
  TAGFLOW_ASSIGN_OR_RETURN(rule.radius, IntAttr(binding.node, "depth_radius"));
  if (rule.radius < 0 || rule.radius > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("depth_radius must be an int32 of 0 or more, not " +
                           std::to_string(rule.radius));
  }
  TAGFLOW_ASSIGN_OR_RETURN(rule.bias, FloatAttr(binding.node, "bias"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.alpha, FloatAttr(binding.node, "alpha"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.beta, FloatAttr(binding.node, "beta"));
  return rule;
}

// x ^ -beta, for the exponents that models have without a logarithm.
double Power(double x, double beta) {
  if (beta == 0.5) return 1 / std::sqrt(x);
  if (beta == 0.75) return 1 / (std::sqrt(x) * std::sqrt(std::sqrt(x)));
  if (beta == 1) return 1 / x;
  return std::pow(x, -beta);
}

// Sums near by of a row of channels, in a time that does not depend on the radius: a window of
// w = 2 * radius + 1 terms is the end of one block of w and the beginning of the next one.
//
//   block    |. . . . . . . w|. . . . . . . .|
//   window            |# # # # # # # #|        = ending_[#] + beginning_[#]
//
// Nothing is subtracted, so that a term that is not finite is in no sum but its own.
class NearBy {
 public:
  NearBy(int64_t radius, int64_t channels)
      : channels_(channels),
        reach_(std::min(radius, channels)),
        padded_(static_cast<size_t>(channels + 2 * reach_), 0.0),
        beginning_(padded_),
        ending_(padded_) {}

  // One for each channel, of which the sums are to be made.
  double* terms() { return padded_.data() + reach_; }

  // sums[c] = the sum of the terms within the radius of c.
  void Sum(double* sums) {
    const int64_t window = 2 * reach_ + 1;
    const auto size = static_cast<int64_t>(padded_.size());
    for (int64_t begin = 0; begin < size; begin += window) {
      const int64_t end = std::min(size, begin + window);
      double sum = 0;
      for (int64_t i = begin; i < end; ++i) beginning_[i] = sum += padded_[i];
      sum = 0;
      for (int64_t i = end - 1; i >= begin; --i) ending_[i] = sum += padded_[i];
    }
    for (int64_t c = 0; c < channels_; ++c) {
      sums[c] = beginning_[c + window - 1];
      if (c % window != 0) sums[c] += ending_[c];
    }
  }

 private:
  const int64_t channels_;
  const int64_t reach_;
  std::vector<double> padded_;     // the terms, between as many zeros as a window needs
  std::vector<double> beginning_;  // the sum from the beginning of the block to here
  std::vector<double> ending_;     // the sum from here to the end of the block
};

void NormsOf(const Rule& rule, const double* x, NearBy& near, std::vector<double>& norms) {
  for (size_t c = 0; c < norms.size(); ++c) near.terms()[c] = x[c] * x[c];
  near.Sum(norms.data());
  for (double& norm : norms) norm = rule.bias + rule.alpha * norm;
}

//   input, output: [batch, rows, columns, channels]
//   Errors: INVALID_ARGUMENT (rank)
Status LocalResponse(const Rule& rule, KernelContext& context) {
  const Tensor& input = context.input(0);
  if (input.rank() != 4) return InvalidArgument("in must be 4-dimensional");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), input.dims(), {0}));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<double>::OfWidest(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<double>::OfWidest(*out));
  const int64_t channels = x.size() == 0 ? 0 : input.dim(3);
  NearBy near(rule.radius, channels);
  std::vector<double> norms(static_cast<size_t>(channels));
  for (int64_t begin = 0; begin < x.size(); begin += channels) {
    NormsOf(rule, x.data() + begin, near, norms);
    for (int64_t c = 0; c < channels; ++c) {
      y[begin + c] = x[begin + c] * Power(norms[c], rule.beta);
    }
  }
  y.Finish();
  return Status();
}

Status CheckGradInputs(const KernelContext& context) {
  const DimsView dims = context.input(1).dims();
  if (dims.size() != 4) return InvalidArgument("inputs must be 4-dimensional");
  for (const int i : {0, 2}) {
    if (std::ranges::equal(context.input(i).dims(), dims)) continue;
    return InvalidArgument("input_grads, input_image, and out_image should have the same shape");
  }
  return Status();
}

//   input_grads, input_image, output_image, output: one shape, as of LocalResponse
//   Errors: INVALID_ARGUMENT (shapes)
Status LocalResponseGrad(const Rule& rule, KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckGradInputs(context));
  const Tensor& image = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, image.dtype(), image.dims(), {0, 1, 2}));
  TAGFLOW_ASSIGN_OR_RETURN(const auto g, ElementsAs<double>::OfWidest(context.input(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<double>::OfWidest(image));
  TAGFLOW_ASSIGN_OR_RETURN(const auto y, ElementsAs<double>::OfWidest(context.input(2)));
  TAGFLOW_ASSIGN_OR_RETURN(auto backprop, ElementsFor<double>::OfWidest(*out));
  const int64_t channels = x.size() == 0 ? 0 : image.dim(3);
  NearBy near(rule.radius, channels);
  std::vector<double> norms(static_cast<size_t>(channels)), sums(norms);
  for (int64_t begin = 0; begin < x.size(); begin += channels) {
    NormsOf(rule, x.data() + begin, near, norms);
    for (int64_t c = 0; c < channels; ++c) {
      near.terms()[c] = g[begin + c] * y[begin + c] / norms[c];
    }
    near.Sum(sums.data());
    for (int64_t c = 0; c < channels; ++c) {
      const double through = 2 * rule.alpha * rule.beta * x[begin + c] * sums[c];
      backprop[begin + c] = g[begin + c] * Power(norms[c], rule.beta) - through;
    }
  }
  backprop.Finish();
  return Status();
}

template <Status (*kernel)(const Rule&, KernelContext&)>
Result<BoundKernel> BindByRule(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, ReadRule(binding));
  return BoundKernel([rule](KernelContext& context) { return kernel(rule, context); });
}

}  // namespace

Status RegisterLocalResponseKernels(KernelRegistry& registry) {
  return RegisterAll(
      registry, {{"LRN", BindByRule<LocalResponse>}, {"LRNGrad", BindByRule<LocalResponseGrad>}});
}

}  // namespace tagflow::optimized
