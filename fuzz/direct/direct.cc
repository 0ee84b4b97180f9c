#include "fuzz/direct/direct.h"

#include <string>

#include "fuzz/direct/evaluator.h"

namespace tagflow::fuzz {
namespace {

template <typename R>
std::vector<Value<R>> FeedsOf(const Program& program, int run) {
  std::vector<Value<R>> feeds;
  for (const Input& input : program.inputs) {
    feeds.push_back(FromTensor<R>(input.feeds[static_cast<size_t>(run)]));
  }
  return feeds;
}

// The errors of a value's elements; no value where there are none.
Tensor ToleranceOf(const Value<Tracked>& value) {
  if (!value.is_real()) return Tensor();
  std::vector<double> errors;
  bool any = false;
  for (size_t i = 0; i < value.size(); ++i) {
    errors.push_back(value.data<Tracked>()[i].error);
    any = any || errors.back() != 0;
  }
  if (!any) return Tensor();
  return Tensor::Of<double>(value.dims(), errors);
}

// All runs, over reals of type R.
template <typename R>
Result<std::vector<RunResult>> EvaluateOver(const Program& program, const DirectOptions& options) {
  Evaluator<R> evaluator(program, options);
  std::vector<RunResult> results;
  for (int run = 0; run < program.runs; ++run) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Value<R>> values,
                             evaluator.Run(FeedsOf<R>(program, run)));
    RunResult& result = results.emplace_back();
    result.undecided = evaluator.undecided();
    for (const Value<R>& value : values) {
      result.values.push_back(ToTensor(value));
      if constexpr (std::is_same_v<R, Tracked>) result.tolerances.push_back(ToleranceOf(value));
    }
  }
  return results;
}

}  // namespace

Result<std::vector<RunResult>> Evaluate(const Program& program, const DirectOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(CheckDTypes(program));
  return options.tolerances ? EvaluateOver<Tracked>(program, options)
                            : EvaluateOver<double>(program, options);
}

}  // namespace tagflow::fuzz
