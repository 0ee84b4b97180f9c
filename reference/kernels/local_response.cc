// Normalization of each element of images by the elements of the channels near by, all channels of
// a place being the last dimension:
//
//   y[c] = x[c] * norm[c] ^ -beta,   norm[c] = bias + alpha * sum of x[k]^2
//
// over k in [c - depth_radius, c + depth_radius] that are channels. Computed in double and rounded
// once.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

struct Rule {
  int64_t radius = 0;
  double bias = 0, alpha = 0, beta = 0;
};

Result<Rule> RuleOf(const Node& node) {
  Rule rule;
  TAGFLOW_ASSIGN_OR_RETURN(rule.radius, IntAttr(node, "depth_radius"));
  if (rule.radius < 0 || rule.radius > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("depth_radius = " + std::to_string(rule.radius) + " is not an int32");
  }
  TAGFLOW_ASSIGN_OR_RETURN(rule.bias, FloatAttr(node, "bias"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.alpha, FloatAttr(node, "alpha"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.beta, FloatAttr(node, "beta"));
  return rule;
}

// Of each channel of a place, the sum of term(k) over the channels k near by.
template <typename Term>
std::vector<double> SumsNearBy(int64_t channels, int64_t radius, Term term) {
  std::vector<double> sums;
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0;
    const int64_t end = std::min(channels, c + radius + 1);
    for (int64_t k = std::max<int64_t>(0, c - radius); k < end; ++k) sum += term(k);
    sums.push_back(sum);
  }
  return sums;
}

std::vector<double> NormsOf(const Rule& rule, const double* x, int64_t channels) {
  std::vector<double> norms =
      SumsNearBy(channels, rule.radius, [x](int64_t k) { return x[k] * x[k]; });
  for (double& norm : norms) norm = rule.bias + rule.alpha * norm;
  return norms;
}

constexpr DTypeSet kTypes = {DType::kHalf, DType::kFloat};

//   input: [batch, rows, columns, channels], half or float;  output: as input
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (rank, depth_radius)
Status LocalResponse(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kTypes));
  if (input.rank() != 4) return InvalidArgument("in must be 4-dimensional");
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, RuleOf(context.node));
  std::vector<double> values = LoadDoubles(input);
  const int64_t channels = input.dim(3);
  for (size_t begin = 0; begin < values.size(); begin += static_cast<size_t>(channels)) {
    double* x = values.data() + begin;
    const std::vector<double> norms = NormsOf(rule, x, channels);
    for (int64_t c = 0; c < channels; ++c) x[c] *= std::pow(norms[c], -rule.beta);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(input.dtype(), input.dims(), values));
  return Status();
}

//   input_grads g, input_image x, output_image y: of one shape, as of LocalResponse
//   output[c] = g[c] norm[c]^-beta - 2 alpha beta x[c] * sum of g[k] y[k] / norm[k] near by
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes, depth_radius)
Status LocalResponseGrad(KernelContext& context) {
  const Tensor& image = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, image.dtype(), kTypes));
  for (const Tensor& input : context.inputs) {
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, input.dtype(), image.dtype()));
    if (input.rank() != 4) return InvalidArgument("inputs must be 4-dimensional");
    if (std::ranges::equal(input.dims(), image.dims())) continue;
    return InvalidArgument("input_grads, input_image, and out_image should have the same shape");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, RuleOf(context.node));
  const std::vector<double> gs = LoadDoubles(context.inputs[0]), xs = LoadDoubles(image),
                            ys = LoadDoubles(context.inputs[2]);
  const int64_t channels = image.dim(3);
  std::vector<double> values;
  for (size_t begin = 0; begin < xs.size(); begin += static_cast<size_t>(channels)) {
    const double *g = gs.data() + begin, *x = xs.data() + begin, *y = ys.data() + begin;
    const std::vector<double> norms = NormsOf(rule, x, channels);
    const std::vector<double> near =
        SumsNearBy(channels, rule.radius, [&](int64_t k) { return g[k] * y[k] / norms[k]; });
    for (int64_t c = 0; c < channels; ++c) {
      values.push_back(g[c] * std::pow(norms[c], -rule.beta) -
                       2 * rule.alpha * rule.beta * x[c] * near[c]);
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(image.dtype(), image.dims(), values));
  return Status();
}

}  // namespace

Status RegisterLocalResponseKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"LRN", LocalResponse}, {"LRNGrad", LocalResponseGrad}});
}

}  // namespace tagflow::reference
