// Central differences at two step sizes, extrapolated (Richardson): with D(h) = (f(x+h) - f(x-h)) /
// 2h, (4 D(h/2) - D(h)) / 3 is off by a multiple of h^4, and D(h/2) - D(h), of the order of h^2,
// bounds that.
//
// A corner at x itself moves neither D; it shows in the slopes of the two sides, whose difference
// S(h) shrinks like h where the function is smooth: 2 S(h/2) - S(h) is then of the order of h^3.
//
// A function that swings many times within h may do so in step with h and h/2. A third step, much
// smaller, tells.

#include "fuzz/gradient/finite_difference.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "fuzz/direct/direct.h"

namespace tagflow::fuzz {
namespace {

constexpr double kStep = 1.0 / 1024;  // relative to inputs above 1

struct Sample {
  double value = 0;
  Activity activity;
};

bool SameWay(const Activity& a, const Activity& b) {
  return a.operations == b.operations && a.trips == b.trips && a.branches == b.branches;
}

class Sampler {
 public:
  Sampler(const Program& program, int output, int input)
      : program_(program),
        output_(static_cast<size_t>(output)),
        input_(static_cast<size_t>(input)) {
    program_.runs = 1;
    for (Input& fed : program_.inputs) fed.feeds.resize(1);
  }

  Result<Sample> At(size_t element, double offset) {
    const Tensor fed = program_.inputs[input_].feeds[0];
    std::vector<double> moved(fed.flat<double>().begin(), fed.flat<double>().end());
    if (!moved.empty()) moved[element] += offset;
    program_.inputs[input_].feeds[0] =
        fed.rank() == 0 ? Tensor::Scalar(moved[0]) : Tensor::Of<double>(fed.dims(), moved);
    Sample sample;
    DirectOptions options;
    options.activity = &sample.activity;
    Result<std::vector<RunResult>> runs = Evaluate(program_, options);
    program_.inputs[input_].feeds[0] = fed;
    if (!runs.ok()) return runs.status();
    for (double value : (*runs)[0].values[output_].flat<double>()) sample.value += value;
    return sample;
  }
  double Element(size_t element) const {
    return program_.inputs[input_].feeds[0].data<double>()[element];
  }
  // What one rounding along the way does, relative to the value.
  double RelativeRounding() const {
    const bool floats = std::any_of(program_.types.begin(), program_.types.end(),
                                    [](const Type& type) { return type.dtype == DType::kFloat; });
    return floats ? std::ldexp(1, -20) : std::ldexp(1, -45);
  }

 private:
  Program program_;
  size_t output_;
  size_t input_;
};

// The derivative by one element; `here` is the sample at x.
FiniteDifference Differentiate(Sampler& sampler, size_t element, const Sample& here) {
  // A power of two, so that x + h - x is h but for x's own rounding.
  const double x = sampler.Element(element);
  const double h = kStep * std::exp2(std::ceil(std::log2(std::fmax(1, std::fabs(x)))));
  constexpr double kParts[] = {1, 1.0 / 2, 1.0 / 16};
  double slopes[3], bends[3];
  double largest = std::fabs(here.value);
  for (int k = 0; k < 3; ++k) {
    const double step = kParts[k] * h;
    const Result<Sample> above = sampler.At(element, step);
    const Result<Sample> below = sampler.At(element, -step);
    if (!above.ok() || !SameWay(above->activity, here.activity)) return {};
    if (!below.ok() || !SameWay(below->activity, here.activity)) return {};
    slopes[k] = (above->value - below->value) / (2 * step);
    bends[k] = (above->value - 2 * here.value + below->value) / step;
    largest = std::fmax(largest, std::fmax(std::fabs(above->value), std::fabs(below->value)));
  }
  FiniteDifference found;
  found.comparable = std::isfinite(slopes[0] + slopes[1] + slopes[2]);
  found.derivative = (4 * slopes[1] - slopes[0]) / 3;
  const double rounding = sampler.RelativeRounding() * std::fmax(1, largest) / (kParts[2] * h);
  found.error = std::fabs(slopes[1] - slopes[0]) + std::fabs(slopes[2] - slopes[1]) +
                std::fabs(2 * bends[1] - bends[0]) + rounding;
  return found;
}

bool IsDoubles(const Program& program, const std::vector<ValueId>& values, int index) {
  return index >= 0 && static_cast<size_t>(index) < values.size() &&
         program.type(values[static_cast<size_t>(index)]).dtype == DType::kDouble;
}

}  // namespace

Result<std::vector<FiniteDifference>> FiniteDifferences(const Program& program, int output,
                                                        int input) {
  std::vector<ValueId> inputs;
  for (const Input& fed : program.inputs) inputs.push_back(fed.value);
  if (!IsDoubles(program, program.body.results, output) || !IsDoubles(program, inputs, input)) {
    return InvalidArgument("finite differences are of doubles by doubles; result " +
                           std::to_string(output) + " or input " + std::to_string(input) +
                           " is none");
  }
  Sampler sampler(program, output, input);
  TAGFLOW_ASSIGN_OR_RETURN(const Sample here, sampler.At(0, 0));
  std::vector<FiniteDifference> differences;
  const int64_t count = program.inputs[static_cast<size_t>(input)].feeds[0].num_elements();
  for (int64_t i = 0; i < count; ++i) {
    differences.push_back(Differentiate(sampler, static_cast<size_t>(i), here));
  }
  return differences;
}

}  // namespace tagflow::fuzz
