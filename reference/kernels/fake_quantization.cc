// Numbers rounded to the levels that integers of a few bits would hold:
//
//   level number n of [least, most] is (n - zero) * step,   step = (max - min) / (most - least)
//   y = the level nearest to x, of two the greater; the first or last for what is beyond
//
// where most = 2^num_bits - 1, least = 0, or 1 of a narrow range, and `zero` is the number of the
// level that is 0: of min's distance from 0 in steps, the nearest number that there is. So the
// range moves a little until 0 is one of its levels. All of it is computed in float, step by step
// as written here, since rounding decides between levels.
//
// The gradient is that of a line between the first and the last level: rounding counts as none.
// Where min and max are both 0 there are no levels; then y is 0, and its gradient goes to x alone.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/element.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// The numbers of the first and the last level.
struct LevelNumbers {
  float least, most;
};
//   Errors: INVALID_ARGUMENT (num_bits)
Result<LevelNumbers> LevelNumbersOf(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t bits, IntAttr(node, "num_bits"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_narrow, BoolAttr(node, "narrow_range"));
  if (bits < 2 || bits > 16) {
    return InvalidArgument("num_bits must be between 2 and 16, inclusive");
  }
  return LevelNumbers{is_narrow ? 1.0F : 0.0F, static_cast<float>((1 << bits) - 1)};
}

struct Levels {
  bool are_none = false;
  float first = 0, last = 0;
  float step = 0;
  float per_unit = 0;  // 1 / step, but for rounding
};

// Of a range that is not finite, or of one number, the first level is NaN, or else the steps are.
Levels LevelsOf(float min, float max, const LevelNumbers& numbers) {
  Levels levels;
  levels.are_none = min == 0 && max == 0;
  levels.step = (max - min) / (numbers.most - numbers.least);
  levels.per_unit = (numbers.most - numbers.least) / (max - min);
  const float exact = numbers.least - min / levels.step;
  const float zero =
      std::isnan(exact) ? 0 : std::round(std::max(numbers.least, std::min(numbers.most, exact)));
  levels.first = (numbers.least - zero) * levels.step;
  levels.last = (numbers.most - zero) * levels.step;
  return levels;
}

enum class Scaling { kDivide, kMultiply };  // which of the two roundings an op takes

float Nearest(float x, const Levels& levels, Scaling scaling) {
  if (levels.are_none) return 0;
  const float zero = std::floor(-levels.first * levels.per_unit + 0.5F);
  const float within = std::max(std::min(x, levels.last), levels.first) - levels.first;
  const float number =
      scaling == Scaling::kDivide ? within / levels.step : within * levels.per_unit;
  return std::floor(number - zero + 0.5F) * levels.step;
}

// Of an element x, how much of its gradient goes to it and to the ends of the range.
struct Shares {
  float to_x, to_min, to_max;
};
Shares SharesOf(float x, const Levels& levels) {
  if (levels.are_none) return {1, 0, 0};
  const bool is_inside = x >= levels.first && x <= levels.last;
  return {is_inside ? 1.0F : 0.0F, x < levels.first ? 1.0F : 0.0F, x > levels.last ? 1.0F : 0.0F};
}

// The levels of each channel; of all elements where there is one only.
using Ranges = std::vector<Levels>;

Result<Ranges> FixedRange(const KernelContext& context, int) {
  TAGFLOW_ASSIGN_OR_RETURN(const float min, FloatAttr(context.node, "min"));
  TAGFLOW_ASSIGN_OR_RETURN(const float max, FloatAttr(context.node, "max"));
  if (!(min < max)) {
    return InvalidArgument("min has to be smaller than max, was: " + std::to_string(min) +
                           " >= " + std::to_string(max));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const LevelNumbers numbers, LevelNumbersOf(context.node));
  return Ranges{LevelsOf(min, max, numbers)};
}

// Inputs first and first + 1, scalars.
Result<Ranges> OneRange(const KernelContext& context, int first) {
  TAGFLOW_ASSIGN_OR_RETURN(const LevelNumbers numbers, LevelNumbersOf(context.node));
  const Tensor &min = context.inputs[first], &max = context.inputs[first + 1];
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(min, "min"));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(max, "max"));
  return Ranges{LevelsOf(min.scalar<float>(), max.scalar<float>(), numbers)};
}

// Inputs first and first + 1, as long as the last dimension of the input before them.
Result<Ranges> RangePerChannel(const KernelContext& context, int first) {
  TAGFLOW_ASSIGN_OR_RETURN(const LevelNumbers numbers, LevelNumbersOf(context.node));
  const Tensor& x = context.inputs[first - 1];
  if (x.rank() == 0) return InvalidArgument("inputs must have channels: a scalar has none");
  for (const int i : {first, first + 1}) {
    const Tensor& bound = context.inputs[i];
    if (bound.rank() == 1 && bound.dim(0) == x.dims().back()) continue;
    return InvalidArgument(std::string(i == first ? "min" : "max") +
                           " has incorrect size, expected " + std::to_string(x.dims().back()) +
                           " was " + DimsString(bound.dims()));
  }
  const std::vector<float> min = Load<float>(context.inputs[first]);
  const std::vector<float> max = Load<float>(context.inputs[first + 1]);
  Ranges ranges;
  for (size_t i = 0; i < min.size(); ++i) ranges.push_back(LevelsOf(min[i], max[i], numbers));
  return ranges;
}

using RangesOf = Result<Ranges> (*)(const KernelContext& context, int first);

//   inputs[0]: x, float; then the range, as ranges_of takes it;  output: as x
//   Errors: INVALID_ARGUMENT (attrs, shapes)
Kernel Quantize(RangesOf ranges_of, Scaling scaling) {
  return [=](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Ranges ranges, ranges_of(context, 1));
    const Tensor& input = context.inputs[0];
    std::vector<float> values = Load<float>(input);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = Nearest(values[i], ranges[i % ranges.size()], scaling);
    }
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DType::kFloat, input.dims(), values));
    return Status();
  };
}

//   inputs[0], inputs[1]: the gradient and x, of one shape; then the range
//   outputs[0]: as x; outputs[1], outputs[2]: by min and max, sums for each range, where the range
//   is an input
//   Errors: INVALID_ARGUMENT (attrs, shapes)
Kernel QuantizeGradient(RangesOf ranges_of) {
  return [=](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(RequireSameShape(context));
    TAGFLOW_ASSIGN_OR_RETURN(const Ranges ranges, ranges_of(context, 2));
    const Tensor& input = context.inputs[1];
    const std::vector<float> x = Load<float>(input);
    std::vector<float> values = Load<float>(context.inputs[0]);
    std::vector<double> by_min(ranges.size()), by_max(ranges.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t range = i % ranges.size();
      const Shares shares = SharesOf(x[i], ranges[range]);
      // Ends of a range that is none get nothing, not even of an infinite gradient.
      if (!ranges[range].are_none) {
        by_min[range] += values[i] * shares.to_min;
        by_max[range] += values[i] * shares.to_max;
      }
      values[i] *= shares.to_x;
    }
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DType::kFloat, input.dims(), values));
    if (context.outputs.size() == 1) return Status();
    const DimsView dims = context.inputs[2].dims();
    TAGFLOW_ASSIGN_OR_RETURN(
        context.outputs[1],
        Store(DType::kFloat, dims, std::vector<float>(by_min.begin(), by_min.end())));
    TAGFLOW_ASSIGN_OR_RETURN(
        context.outputs[2],
        Store(DType::kFloat, dims, std::vector<float>(by_max.begin(), by_max.end())));
    return Status();
  };
}

}  // namespace

Status RegisterFakeQuantizationKernels(KernelRegistry& registry) {
  return RegisterAll(
      registry,
      {{"FakeQuantWithMinMaxArgs", Quantize(FixedRange, Scaling::kMultiply)},
       {"FakeQuantWithMinMaxArgsGradient", QuantizeGradient(FixedRange)},
       {"FakeQuantWithMinMaxVars", Quantize(OneRange, Scaling::kDivide)},
       {"FakeQuantWithMinMaxVarsGradient", QuantizeGradient(OneRange)},
       {"FakeQuantWithMinMaxVarsPerChannel", Quantize(RangePerChannel, Scaling::kMultiply)},
       {"FakeQuantWithMinMaxVarsPerChannelGradient", QuantizeGradient(RangePerChannel)}});
}

}  // namespace tagflow::reference
