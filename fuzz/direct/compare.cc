#include "fuzz/direct/compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fuzz/direct/describe.h"
#include "fuzz/direct/value.h"

namespace tagflow::fuzz {
namespace {

// The fewest digits that mean the number.
template <typename T>
std::string Digits(T x) {
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof(text), x).ptr);
}

std::string Shown(const Value<double>& value, size_t i) {
  if (value.is_real()) {
    const double x = value.data<double>()[i];
    return value.dtype == DType::kFloat ? Digits(static_cast<float>(x)) : Digits(x);
  }
  const int64_t x = value.data<int64_t>()[i];
  if (value.dtype == DType::kBool) return x != 0 ? "true" : "false";
  return std::to_string(x);
}

bool SameReal(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// "[1,0]" of element i; nothing for a scalar.
std::string PositionText(DimsView dims, size_t i) {
  if (dims.empty()) return "";
  Dims position(dims.size());
  auto rest = static_cast<int64_t>(i);
  for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) position[d] = rest % dims[d];
  return " " + DimsString(position);
}

// What differs first; empty when nothing does. `tolerance` may have no value.
std::string ElementDifference(const Tensor& expected, const Tensor& actual,
                              const Tensor& tolerance) {
  const Value<double> wanted = FromTensor<double>(expected);
  const Value<double> given = FromTensor<double>(actual);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double allowed = tolerance.has_value() ? tolerance.data<double>()[i] : 0;
    std::string off;
    if (wanted.is_real()) {
      const double a = wanted.data<double>()[i];
      const double b = given.data<double>()[i];
      const double distance = std::fabs(a - b);
      if (SameReal(a, b) || (allowed > 0 && distance <= kToleranceFactor * allowed)) continue;
      if (std::isinf(allowed)) continue;
      off = ", off by " + Digits(distance);
      if (allowed > 0) off += " where " + Digits(kToleranceFactor * allowed) + " is allowed";
    } else if (wanted.data<int64_t>()[i] == given.data<int64_t>()[i]) {
      continue;
    }
    return PositionText(expected.dims(), i) + ": " + Shown(given, i) + " instead of " +
           Shown(wanted, i) + off;
  }
  return "";
}

std::string TypeText(const Tensor& tensor) {
  if (!tensor.has_value()) return "nothing";
  return DTypeName(tensor.dtype()) + DimsString(tensor.dims());
}

std::string TensorDifference(const Tensor& expected, const Tensor& actual,
                             const Tensor& tolerance) {
  if (actual.dtype() != expected.dtype() || !std::ranges::equal(actual.dims(), expected.dims())) {
    return ": " + TypeText(actual) + " instead of " + TypeText(expected);
  }
  return ElementDifference(expected, actual, tolerance);
}

std::string NameOf(const Program& program, size_t i) {
  const size_t results = program.body.results.size();
  if (i >= results) return "variable " + std::to_string(i - results);
  return "result " + std::to_string(i) + " (" + ValueName(program, program.body.results[i]) + ")";
}

// As Difference, for all runs. A run that differs where it could is the last that tells anything:
// from then on everything may differ.
Verdict VerdictOfRuns(const Program& program, const std::vector<RunResult>& expected,
                      const std::vector<std::vector<Tensor>>& actual) {
  if (actual.size() != expected.size()) {
    return {std::to_string(actual.size()) + " runs instead of " + std::to_string(expected.size())};
  }
  for (size_t run = 0; run < expected.size(); ++run) {
    const std::string difference = Difference(program, expected[run], actual[run]);
    if (difference.empty()) continue;
    if (expected[run].undecided) return {"", true};
    return {(expected.size() > 1 ? "run " + std::to_string(run) + ": " : "") + difference};
  }
  return {};
}

}  // namespace

std::string Difference(const Program& program, const RunResult& expected,
                       const std::vector<Tensor>& actual) {
  if (actual.size() != expected.values.size()) {
    return std::to_string(actual.size()) + " values instead of " +
           std::to_string(expected.values.size());
  }
  for (size_t i = 0; i < actual.size(); ++i) {
    const bool has_tolerance = i < expected.tolerances.size();
    const Tensor tolerance = has_tolerance ? expected.tolerances[i] : Tensor();
    const std::string difference = TensorDifference(expected.values[i], actual[i], tolerance);
    if (!difference.empty()) return NameOf(program, i) + difference;
  }
  return "";
}

Result<Verdict> Judge(const Program& program, const std::vector<RunResult>& plain,
                      const std::vector<std::vector<Tensor>>& actual,
                      const DirectOptions& options) {
  Verdict verdict = VerdictOfRuns(program, plain, actual);
  if (verdict.difference.empty()) return verdict;
  DirectOptions tracking = options;
  tracking.tolerances = true;
  tracking.activity = nullptr;
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<RunResult> tracked, Evaluate(program, tracking));
  return VerdictOfRuns(program, tracked, actual);
}

}  // namespace tagflow::fuzz
