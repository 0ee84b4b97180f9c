// FakeQuantWithMinMax…: floats rounded to the levels that integers of a few bits would hold, and
// the gradients of that, which take the rounding for none.
//
// What is to be known of a range is made ready once for each firing. One range for all elements
// stays in registers along the loop; those of channels are read again for each row.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr double kNsEach = 2;

// How a node rounds.
struct Rule {
  float least = 0, most = 0;  // the numbers of the first and the last level
  bool divides = false;       // by the step of the levels, and does not multiply by its inverse
  float min = 0, max = 0;     // where the node names the range
};

struct Range {
  bool is_none = false;           // from 0 to 0: all becomes 0
  float low = 0, high = 0;        // the first and the last level
  float divisor = 1, factor = 1;  // make a distance from `low` the number of a level
  float zero = 0;                 // the number of the level that is 0
  float step = 0;                 // from level to level

  float Round(float x) const {
    const float capped = high < x ? high : x;
    const float within = (capped < low ? low : capped) - low;
    const float rounded = std::floor(within / divisor * factor - zero + 0.5F) * step;
    return is_none ? 0 : rounded;
  }
  float Passes(float x) const { return (x >= low && x <= high) || is_none ? 1 : 0; }
};

Range RangeOf(float min, float max, const Rule& rule) {
  Range range;
  range.is_none = min == 0 && max == 0;
  if (range.is_none) return range;
  const float span = rule.most - rule.least;
  const float inverse = span / (max - min);
  range.step = (max - min) / span;
  float number = rule.least - min / range.step;  // of the level that is to be 0
  if (number < rule.least) number = rule.least;
  if (number > rule.most) number = rule.most;
  number = std::isnan(number) ? 0 : std::round(number);
  range.low = (rule.least - number) * range.step;
  range.high = (rule.most - number) * range.step;
  range.zero = std::floor(-range.low * inverse + 0.5F);
  if (rule.divides) {
    range.divisor = range.step;
  } else {
    range.factor = inverse;
  }
  return range;
}

using Ranges = std::vector<Range>;

// ---- Loops ----

TAGFLOW_CLONES void RoundAll(const Range range, const float* x, float* y, int64_t count) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) y[i] = range.Round(x[i]);
}
TAGFLOW_CLONES void RoundRow(const Range* ranges, const float* x, float* y, int64_t count) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) y[i] = ranges[i].Round(x[i]);
}
TAGFLOW_CLONES void PassAll(const Range range, const float* g, const float* x, float* out,
                            int64_t count) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) out[i] = g[i] * range.Passes(x[i]);
}
TAGFLOW_CLONES void PassRow(const Range* ranges, const float* g, const float* x, float* out,
                            int64_t count) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) out[i] = g[i] * ranges[i].Passes(x[i]);
}

void Round(const Ranges& ranges, const float* x, float* y, int64_t count,
           const KernelContext& context) {
  const auto length = static_cast<int64_t>(ranges.size());
  if (length == 1) {
    context.ForRanges(count, kNsEach, [&](int64_t begin, int64_t end) {
      RoundAll(ranges[0], x + begin, y + begin, end - begin);
    });
  } else if (length > 0) {
    context.ForRanges(count / length, kNsEach * static_cast<double>(length),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin * length; i < end * length; i += length) {
                          RoundRow(ranges.data(), x + i, y + i, length);
                        }
                      });
  }
}

void Pass(const Ranges& ranges, const float* g, const float* x, float* out, int64_t count) {
  const auto length = static_cast<int64_t>(ranges.size());
  if (length == 1) return PassAll(ranges[0], g, x, out, count);
  if (length == 0) return;
  for (int64_t i = 0; i < count; i += length) {
    PassRow(ranges.data(), g + i, x + i, out + i, length);
  }
}

// The sums, by range, of the gradients of what lies below and above it; of infinite ones elsewhere
// NaN, as 0 times infinity is.
void SumBeyond(const Ranges& ranges, const float* g, const float* x, int64_t count, float* by_min,
               float* by_max) {
  const auto length = static_cast<int64_t>(ranges.size());
  std::vector<double> below(ranges.size()), above(ranges.size());
  for (int64_t i = 0; i < count; i += length) {
    for (int64_t k = 0; k < length; ++k) {
      const Range& range = ranges[k];
      if (range.is_none) continue;
      below[k] += g[i + k] * (x[i + k] < range.low ? 1.0F : 0.0F);
      above[k] += g[i + k] * (x[i + k] > range.high ? 1.0F : 0.0F);
    }
  }
  for (int64_t k = 0; k < length; ++k) {
    by_min[k] = static_cast<float>(below[k]);
    by_max[k] = static_cast<float>(above[k]);
  }
}

// ---- Ranges of a firing ----

Result<Rule> ReadRule(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t bits, IntAttr(binding.node, "num_bits"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_narrow, BoolAttr(binding.node, "narrow_range"));
  if (bits < 2 || bits > 16) {
    return InvalidArgument("num_bits must be between 2 and 16, inclusive");
  }
  Rule rule;
  rule.least = is_narrow ? 1 : 0;
  rule.most = static_cast<float>((1 << bits) - 1);
  return rule;
}

Result<Rule> ReadFixedRule(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Rule rule, ReadRule(binding));
  TAGFLOW_ASSIGN_OR_RETURN(rule.min, FloatAttr(binding.node, "min"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.max, FloatAttr(binding.node, "max"));
  if (rule.min < rule.max) return rule;
  return InvalidArgument("min has to be smaller than max, was: " + std::to_string(rule.min) +
                         " >= " + std::to_string(rule.max));
}
Result<Rule> ReadDividingRule(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Rule rule, ReadRule(binding));
  rule.divides = true;
  return rule;
}

Result<Ranges> FixedRange(const Rule& rule, const KernelContext&, int) {
  return Ranges{RangeOf(rule.min, rule.max, rule)};
}

// Of the inputs `first` and the next one.
Result<Ranges> OneRange(const Rule& rule, const KernelContext& context, int first) {
  for (const int i : {first, first + 1}) {
    if (context.input(i).rank() == 0) continue;
    return InvalidArgument(std::string(i == first ? "min" : "max") +
                           " must be a scalar, but it has shape " +
                           DimsString(context.input(i).dims()));
  }
  return Ranges{RangeOf(context.input(first).scalar<float>(),
                        context.input(first + 1).scalar<float>(), rule)};
}

Result<Ranges> RangePerChannel(const Rule& rule, const KernelContext& context, int first) {
  const DimsView dims = context.input(first - 1).dims();
  if (dims.empty()) return InvalidArgument("inputs must have channels: a scalar has none");
  for (const int i : {first, first + 1}) {
    const Tensor& bound = context.input(i);
    if (bound.rank() == 1 && bound.dim(0) == dims.back()) continue;
    return InvalidArgument(std::string(i == first ? "min" : "max") +
                           " has incorrect size, expected " + std::to_string(dims.back()) +
                           " was " + DimsString(bound.dims()));
  }
  const auto min = context.input(first).flat<float>(), max = context.input(first + 1).flat<float>();
  Ranges ranges;
  ranges.reserve(min.size());
  for (size_t i = 0; i < min.size(); ++i) ranges.push_back(RangeOf(min[i], max[i], rule));
  return ranges;
}

// ---- Kernels ----

using ReadRuleOf = Result<Rule> (*)(const Binding& binding);
using RangesOf = Result<Ranges> (*)(const Rule& rule, const KernelContext& context, int first);

//   inputs[0]: x; then the range, as ranges_of takes it;  output: as x
//   Errors: INVALID_ARGUMENT (attrs, shapes), RESOURCE_EXHAUSTED
template <ReadRuleOf read, RangesOf ranges_of>
Result<BoundKernel> BindRound(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, read(binding));
  return BoundKernel([rule](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Ranges ranges, ranges_of(rule, context, 1));
    const Tensor& input = context.input(0);
    const int64_t count = input.num_elements();
    const auto* x = static_cast<const float*>(input.raw_data());
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DType::kFloat, input.dims(), {0}));
    Round(ranges, x, static_cast<float*>(out->mutable_raw_data()), count, context);
    return Status();
  });
}

//   inputs[0], inputs[1]: the gradient and x, of one shape; then the range
//   outputs[0]: as x; outputs[1], outputs[2]: by min and max, where these are inputs
//   Errors: INVALID_ARGUMENT (attrs, shapes), RESOURCE_EXHAUSTED
template <ReadRuleOf read, RangesOf ranges_of>
Result<BoundKernel> BindGradient(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, read(binding));
  return BoundKernel([rule](KernelContext& context) -> Status {
    const Tensor& gradient = context.input(0);
    const Tensor& input = context.input(1);
    if (!std::ranges::equal(gradient.dims(), input.dims())) {
      return InvalidArgument("gradient and input must be the same size");
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Ranges ranges, ranges_of(rule, context, 2));
    const int64_t count = input.num_elements();
    const auto* g = static_cast<const float*>(gradient.raw_data());
    const auto* x = static_cast<const float*>(input.raw_data());
    if (context.num_inputs() > 2) {
      const Dims dims(context.input(2).dims().begin(), context.input(2).dims().end());
      TAGFLOW_ASSIGN_OR_RETURN(Tensor * by_min, context.Allocate(1, DType::kFloat, dims));
      TAGFLOW_ASSIGN_OR_RETURN(Tensor * by_max, context.Allocate(2, DType::kFloat, dims));
      SumBeyond(ranges, g, x, count, static_cast<float*>(by_min->mutable_raw_data()),
                static_cast<float*>(by_max->mutable_raw_data()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                             context.Allocate(0, DType::kFloat, input.dims(), {0, 1}));
    Pass(ranges, g, x, static_cast<float*>(out->mutable_raw_data()), count);
    return Status();
  });
}

}  // namespace

Status RegisterFakeQuantizationKernels(KernelRegistry& registry) {
  const std::string args = "FakeQuantWithMinMaxArgs", vars = "FakeQuantWithMinMaxVars";
  const std::string channels = vars + "PerChannel", gradient = "Gradient";
  return RegisterAll(registry, {{args, BindRound<ReadFixedRule, FixedRange>},
                                {args + gradient, BindGradient<ReadFixedRule, FixedRange>},
                                {vars, BindRound<ReadDividingRule, OneRange>},
                                {vars + gradient, BindGradient<ReadDividingRule, OneRange>},
                                {channels, BindRound<ReadRule, RangePerChannel>},
                                {channels + gradient, BindGradient<ReadRule, RangePerChannel>}});
}

}  // namespace tagflow::optimized
