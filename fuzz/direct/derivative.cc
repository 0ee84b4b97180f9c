// Derivative of direct.h: passes of the evaluator over dual numbers.
//
// Order n nests n duals. The innermost slope follows one element of the input at a time; the outer
// ones follow all elements at once, which sums the gradient of the order below.

#include <string>

#include "fuzz/direct/direct.h"
#include "fuzz/direct/evaluator.h"

namespace tagflow::fuzz {
namespace {

void Seed(Dual<double>& x, double value, double along) { x = {value, along}; }
template <typename T>
void Seed(Dual<Dual<T>>& x, double value, double along) {
  Seed(x.value, value, along);
  x.slope = Dual<T>(1);
}

double Highest(double x) { return x; }
template <typename T>
double Highest(const Dual<T>& x) {
  return Highest(x.slope);
}

// The input's value, with slopes along its element `element`.
template <typename R>
Value<R> Seeded(const Tensor& feed, size_t element) {
  const Value<double> plain = FromTensor<double>(feed);
  std::vector<R> seeded(plain.size());
  for (size_t i = 0; i < seeded.size(); ++i) {
    Seed(seeded[i], plain.data<double>()[i], i == element ? 1 : 0);
  }
  return Value<R>::Of(feed.dtype(), Dims(feed.dims().begin(), feed.dims().end()),
                      std::move(seeded));
}

template <typename R>
Result<double> Along(const Program& program, int output, int input, size_t element) {
  std::vector<Value<R>> feeds;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Tensor& feed = program.inputs[i].feeds[0];
    const bool varies = static_cast<int>(i) == input;
    feeds.push_back(varies ? Seeded<R>(feed, element) : FromTensor<R>(feed));
  }
  Evaluator<R> evaluator(program, {});
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Value<R>> results, evaluator.Run(std::move(feeds)));
  const Value<R>& result = results[static_cast<size_t>(output)];
  double sum = 0;
  for (size_t i = 0; i < result.size(); ++i) sum += Highest(result.template data<R>()[i]);
  return sum;
}

template <typename R>
Result<Tensor> Gradient(const Program& program, int output, int input) {
  const Tensor& feed = program.inputs[static_cast<size_t>(input)].feeds[0];
  std::vector<double> gradient;
  for (size_t i = 0; i < static_cast<size_t>(feed.num_elements()); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const double slope, Along<R>(program, output, input, i));
    gradient.push_back(slope);
  }
  return Tensor::Of<double>(feed.dims(), gradient);
}

bool IsReal(DType dtype) { return dtype == DType::kFloat || dtype == DType::kDouble; }

}  // namespace

Result<Tensor> Derivative(const Program& program, int output, int input, int order) {
  TAGFLOW_RETURN_IF_ERROR(CheckDTypes(program));
  if (output < 0 || static_cast<size_t>(output) >= program.body.results.size() || input < 0 ||
      static_cast<size_t>(input) >= program.inputs.size()) {
    return InvalidArgument("the program has no result " + std::to_string(output) + " or no input " +
                           std::to_string(input));
  }
  const DType from = program.type(program.inputs[static_cast<size_t>(input)].value).dtype;
  const DType to = program.type(program.body.results[static_cast<size_t>(output)]).dtype;
  if (!IsReal(from) || !IsReal(to)) {
    return InvalidArgument("no derivative of " + DTypeName(to) + " with respect to " +
                           DTypeName(from));
  }
  if (order == 1) return Gradient<Dual<double>>(program, output, input);
  if (order == 2) return Gradient<Dual<Dual<double>>>(program, output, input);
  if (order == 3) return Gradient<Dual<Dual<Dual<double>>>>(program, output, input);
  return InvalidArgument("derivatives of order " + std::to_string(order) +
                         " are not evaluated: 1 to 3 are");
}

}  // namespace tagflow::fuzz
