#include "fuzz/lower/to_case.h"

#include <algorithm>

#include "fuzz/direct/compare.h"
#include "graph/io/export.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::fuzz {
namespace {

double Widest(const Tensor& tolerance) {
  double widest = 0;
  if (!tolerance.has_value()) return widest;
  for (const double bound : tolerance.flat<double>()) widest = std::max(widest, bound);
  return widest * kToleranceFactor;
}

Status AddRun(const Program& program, const Lowered& lowered, size_t run, const RunResult& expected,
              conformance::Step& step) {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    conformance::NamedTensor& feed = *step.add_feeds();
    feed.set_name(lowered.feeds[i]);
    TAGFLOW_RETURN_IF_ERROR(
        TensorToProto(program.inputs[i].feeds[run], TensorForm::kReadable, *feed.mutable_value()));
  }
  for (size_t i = 0; i < lowered.fetches.size(); ++i) {
    step.add_fetches(lowered.fetches[i]);
    conformance::Expectation& expectation = *step.add_expect();
    TAGFLOW_RETURN_IF_ERROR(
        TensorToProto(expected.values[i], TensorForm::kReadable, *expectation.add_any_of()));
    if (i < expected.tolerances.size()) expectation.set_absolute(Widest(expected.tolerances[i]));
  }
  return Status();
}

}  // namespace

Result<conformance::Case> ToCase(const Program& program, const std::string& name,
                                 const std::string& about) {
  TAGFLOW_ASSIGN_OR_RETURN(const Lowered lowered, Lower(program));
  DirectOptions options;
  options.tolerances = true;
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<RunResult> expected, Evaluate(program, options));
  return ToCase(program, lowered, expected, name, about);
}

Result<conformance::Case> ToCase(const Program& program, const Lowered& lowered,
                                 const std::vector<RunResult>& expected, const std::string& name,
                                 const std::string& about) {
  conformance::Case result;
  result.set_name(name);
  result.set_about(about);
  TAGFLOW_ASSIGN_OR_RETURN(*result.mutable_graph(),
                           ExportGraph(lowered.graph, TensorForm::kReadable));
  if (!lowered.init.empty()) {
    conformance::Step& init = *result.add_steps();
    for (const std::string& target : lowered.init) init.add_targets(target);
  }
  for (size_t run = 0; run < expected.size(); ++run) {
    TAGFLOW_RETURN_IF_ERROR(AddRun(program, lowered, run, expected[run], *result.add_steps()));
  }
  return result;
}

}  // namespace tagflow::fuzz
