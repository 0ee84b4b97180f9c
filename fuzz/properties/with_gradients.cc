#include "fuzz/properties/with_gradients.h"

#include <string>
#include <utility>
#include <vector>

#include "fuzz/properties/differences.h"
#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMaxFirings = 50'000'000;

bool IsReal(const Output& output) {
  return output.dtype() == DType::kFloat || output.dtype() == DType::kDouble;
}

// The tensors of these names that are real.
Result<OutputList> RealOutputs(const Scope& scope, const std::vector<std::string>& names) {
  OutputList real;
  for (const std::string& name : names) {
    TAGFLOW_ASSIGN_OR_RETURN(const Output output, scope.Find(name));
    if (IsReal(output)) real.push_back(output);
  }
  return real;
}

// What the program itself fetches.
AllFetched Own(AllFetched all, size_t num_own) {
  for (Fetched& fetched : all) fetched.resize(num_own);
  return all;
}

}  // namespace

Result<Lowered> WithGradients(Lowered lowered) {
  TAGFLOW_ASSIGN_OR_RETURN(const Scope scope, Scope::Open(lowered.graph.Clone()));
  const size_t results = lowered.result_outputs.size();
  const std::vector<std::string> names(lowered.fetches.begin(),
                                       lowered.fetches.begin() + static_cast<ptrdiff_t>(results));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList ys, RealOutputs(scope, names));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList xs, RealOutputs(scope, lowered.feeds));
  if (ys.empty() || xs.empty()) return lowered;
  const Result<OutputList> gradients = Gradients(scope, ys, xs);
  if (!gradients.ok()) return lowered;  // an op without a gradient is on the way
  TAGFLOW_ASSIGN_OR_RETURN(lowered.graph, scope.Finish());
  for (const Output& gradient : *gradients) {
    if (gradient.valid()) lowered.fetches.push_back(gradient.name());
  }
  return lowered;
}

Result<AllFetched> RunWithGradients(ProgramRun& run) {
  reference::RunOptions options;
  options.max_firings = kMaxFirings;
  return run.RunAll(options);
}

Violation DifferenceWithGradients(const Program& program, const Lowered& lowered, size_t num_own,
                                  const AllFetched& expected, const AllFetched& actual) {
  if (Violation own = DifferenceOf(program, Own(expected, num_own), Own(actual, num_own)))
    return own;
  for (size_t run = 0; run < actual.size(); ++run) {
    for (size_t i = num_own; i < lowered.fetches.size(); ++i) {
      if (BitwiseEqual(actual[run][i], expected[run][i])) continue;
      return "run " + std::to_string(run) + ": gradient " + lowered.fetches[i] + ": " +
             actual[run][i].DebugString() + " instead of " + expected[run][i].DebugString();
    }
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
