#include "fuzz/gradient/gradient_properties.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz/direct/direct.h"
#include "fuzz/gradient/finite_difference.h"
#include "fuzz/gradient/real_values.h"
#include "fuzz/lower/lower.h"
#include "reference/session.h"
#include "reference/tape/tape.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMaxFirings = 10'000'000;
constexpr uint32_t kOrders = 4;  // of ready nodes

// What differs between the tape and the duals, by one input.
std::optional<std::string> Compare(const reference::TapeGradient& tape, const Tensor& duals,
                                   double epsilon, int output, int input,
                                   GradientCheck::Counts& counts) {
  for (size_t i = 0; i < static_cast<size_t>(duals.num_elements()); ++i) {
    const double expected = duals.data<double>()[i];
    const double found = tape.gradient.data<double>()[i];
    const double magnitude = tape.magnitude.data<double>()[i];
    ++counts.derivatives;
    if (expected != 0) ++counts.nonzero;
    if (found == expected || (std::isnan(found) && std::isnan(expected))) continue;
    const double difference = std::fabs(found - expected);
    if (difference <= kUnderflow) continue;
    const double multiple = difference / (epsilon * magnitude);
    if (multiple <= kTapeMultiple) {
      counts.largest_multiple = std::fmax(counts.largest_multiple, multiple);
      continue;
    }
    return Place(output, input, i) + "the tape has " + Number(found) + " (magnitude " +
           Number(magnitude) + "), duals have " + Number(expected);
  }
  return std::nullopt;
}

void TakeOutStopGradients(Block& block) {
  for (Statement& statement : block.statements) {
    if (statement.op == Op::kStopGradient) statement.op = Op::kIdentity;
    for (Block& inner : statement.blocks) TakeOutStopGradients(inner);
  }
}

}  // namespace

Result<std::vector<reference::TapeGradient>> TapeOf(const Program& program, const Lowered& lowered,
                                                    int output, const std::vector<int>& inputs,
                                                    uint64_t order, const GradientCheck& check) {
  reference::SessionOptions session_options;
  session_options.rules = check.rules;
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<reference::Session> session,
                           reference::Session::Create(lowered.graph.Clone(), session_options));
  if (!lowered.init.empty()) {
    TAGFLOW_RETURN_IF_ERROR(session->Run({}, {}, lowered.init).status());
  }
  reference::GradientCall call;
  call.feeds = FeedsOf(program, lowered, 0);
  call.ys = {lowered.fetches[static_cast<size_t>(output)]};
  for (const int input : inputs) call.xs.push_back(lowered.feeds[static_cast<size_t>(input)]);
  call.options.max_firings = kMaxFirings;
  call.options.seed = order;
  call.adjoints = check.adjoints;
  TAGFLOW_ASSIGN_OR_RETURN(reference::GradientRun run, reference::GradientsOfRun(*session, call));
  return std::move(run.gradients);
}

std::optional<std::string> TapeEqualsDuals(const Program& program, Choices& choices,
                                           const GradientCheck& check) {
  const std::vector<int> results = ResultsOf(program, IsReal);
  const std::vector<int> inputs = InputsOf(program, IsReal);
  if (results.empty() || inputs.empty()) return std::nullopt;
  const int output = choices.Of(results);
  std::vector<Tensor> duals;
  for (int input : inputs) {
    Result<Tensor> derivative = Derivative(program, output, input);
    if (!derivative.ok()) return std::nullopt;
    duals.push_back(*std::move(derivative));
  }
  GradientCheck::Counts ignored;
  GradientCheck::Counts& counts = check.counts != nullptr ? *check.counts : ignored;
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return "the lowering fails: " + lowered.status().ToString();
  const auto tape = TapeOf(program, *lowered, output, inputs, choices.Below(kOrders), check);
  std::optional<std::string> wrong;
  if (!tape.ok()) wrong = "the tape: " + tape.status().ToString();
  for (size_t k = 0; k < inputs.size() && !wrong.has_value(); ++k) {
    wrong = Compare((*tape)[k], duals[k], Epsilon(program), output, inputs[k], counts);
  }
  if (wrong.has_value() && IsUndecided(program)) {
    ++counts.undecided;
    return std::nullopt;
  }
  return wrong;
}

std::optional<std::string> DualsEqualFiniteDifferences(const Program& program, Choices& choices,
                                                       const GradientCheck& check) {
  const std::vector<int> results = ResultsOf(program, IsDouble);
  const std::vector<int> inputs = InputsOf(program, IsDouble);
  if (results.empty() || inputs.empty() || !program.variables.empty()) return std::nullopt;
  const int output = choices.Of(results);
  const int input = choices.Of(inputs);
  Program open = program;
  TakeOutStopGradients(open.body);
  const auto differences = FiniteDifferences(open, output, input);
  const Result<Tensor> duals = Derivative(open, output, input);
  if (!differences.ok() || !duals.ok()) return std::nullopt;
  GradientCheck::Counts ignored;
  GradientCheck::Counts& counts = check.counts != nullptr ? *check.counts : ignored;
  for (size_t i = 0; i < differences->size(); ++i) {
    const FiniteDifference& difference = (*differences)[i];
    const double dual = duals->data<double>()[i];
    if (!difference.comparable || !std::isfinite(dual)) {
      ++counts.incomparable;
      continue;
    }
    ++counts.derivatives;
    if (dual != 0) ++counts.nonzero;
    const double bound = 4 * difference.error + 1e-9 * std::fabs(dual);
    if (std::fabs(dual - difference.derivative) <= bound) continue;
    return Place(output, input, i) + "duals have " + Number(dual) + ", finite differences " +
           Number(difference.derivative) + " with an error of " + Number(difference.error);
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
