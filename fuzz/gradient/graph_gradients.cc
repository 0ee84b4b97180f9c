#include "fuzz/gradient/graph_gradients.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz/direct/direct.h"
#include "fuzz/gradient/gradient_properties.h"
#include "fuzz/gradient/real_values.h"
#include "fuzz/gradient/whole_numbers.h"
#include "fuzz/lower/lower.h"
#include "graph/builder/builder.h"
#include "graph/validate.h"
#include "reference/session.h"
#include "reference/tape/tape.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMaxFirings = 10'000'000;
constexpr uint32_t kOrders = 4;  // of ready nodes
// Of nested duals and graphs of higher order, which round differently: relative to the greatest
// derivative of the order.
constexpr double kHigherOrderTolerance = 1e-6;

// A graph that holds the gradients of one result, and what to fetch.
struct Differentiated {
  Graph graph;
  std::string y;
  std::vector<std::string> xs;
  std::vector<std::string> gradients;  // "" for none
};

Result<Differentiated> Differentiate(const Lowered& lowered, int output,
                                     const std::vector<int>& inputs, int order,
                                     const GradientOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(const Scope scope, Scope::Open(lowered.graph.Clone()));
  Differentiated made{Graph(), lowered.fetches[static_cast<size_t>(output)], {}, {}};
  TAGFLOW_ASSIGN_OR_RETURN(Output y, scope.Find(made.y));
  OutputList xs;
  for (const int input : inputs) {
    made.xs.push_back(lowered.feeds[static_cast<size_t>(input)]);
    TAGFLOW_ASSIGN_OR_RETURN(const Output x, scope.Find(made.xs.back()));
    xs.push_back(x);
  }
  OutputList gradients;
  for (int i = 0; i < order; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(gradients, Gradients(scope, {y}, xs, {}, options));
    y = gradients[0];
    if (!y.valid()) break;
  }
  TAGFLOW_ASSIGN_OR_RETURN(made.graph, scope.Finish());
  for (const Output& gradient : gradients) {
    made.gradients.push_back(gradient.valid() ? gradient.name() : "");
  }
  return made;
}

DType DTypeOfResult(const Program& program, int result) {
  return program.type(program.body.results[static_cast<size_t>(result)]).dtype;
}

// Adds up all elements of all results of a dtype, or the results that are of one shape, as one more
// result: from it one gradient goes several ways. Returns which it is.
Result<int> AddUpResults(const Program& program, const std::vector<int>& results, int like,
                         bool are_of_one_shape, Lowered& lowered) {
  TAGFLOW_ASSIGN_OR_RETURN(const Scope scope, Scope::Open(std::move(lowered.graph)));
  TAGFLOW_ASSIGN_OR_RETURN(const Output first,
                           scope.Find(lowered.fetches[static_cast<size_t>(like)]));
  OutputList sums;
  for (const int result : results) {
    if (DTypeOfResult(program, result) != DTypeOfResult(program, like)) continue;
    TAGFLOW_ASSIGN_OR_RETURN(const Output value,
                             scope.Find(lowered.fetches[static_cast<size_t>(result)]));
    if (are_of_one_shape && first.shape().fully_known()) {
      if (value.shape() == first.shape()) sums.push_back(value);
      continue;
    }
    const bool is_scalar = value.shape() == PartialShape::Scalar();
    sums.push_back(is_scalar ? value : Sum(scope, value, Range(scope, 0, Rank(scope, value), 1)));
  }
  const Output sum = AddN(scope, sums);
  TAGFLOW_ASSIGN_OR_RETURN(lowered.graph, scope.Finish());
  lowered.fetches.push_back(sum.name());
  return static_cast<int>(lowered.fetches.size()) - 1;
}

bool HasLoops(const Graph& graph) {
  const std::vector<NodeId> nodes = graph.NodeIds();
  return std::ranges::any_of(nodes, [&](NodeId id) { return graph.node(id).op == "Enter"; });
}

// Whether a loop is gone back over from few states: it has a loop that descends to an iteration.
bool Descends(const Graph& graph) {
  const std::vector<NodeId> nodes = graph.NodeIds();
  return std::ranges::any_of(nodes, [&](NodeId id) {
    return graph.node(id).op == "LoopCond" &&
           graph.node(id).name.find("/descend") != std::string::npos;
  });
}

// Lets so many iterations of every loop, also of those that are gone back over, run at once.
void SetParallelIterations(Graph& graph, int64_t width) {
  for (const NodeId id : graph.NodeIds()) {
    const std::string& op = graph.node(id).op;
    if (op == "Enter" || op == "RefEnter") graph.SetAttr(id, "parallel_iterations", width);
  }
}

// One iteration at a time, two, and more than most loops have: what is right with one of them may
// lack an edge with another.
std::vector<int64_t> WidthsFor(const Graph& graph) {
  return HasLoops(graph) ? std::vector<int64_t>{1, 2, 32} : std::vector<int64_t>{0};
}

// The gradients' values in the first run; empty tensors for those that there are not.
//   width: of all loops' parallel_iterations; 0: as they are
Result<std::vector<Tensor>> Values(const Program& program, const Lowered& lowered,
                                   const Differentiated& made, const Engine& engine, uint64_t order,
                                   int64_t width = 0) {
  Graph graph = made.graph.Clone();
  if (width > 0) SetParallelIterations(graph, width);
  for (const Status& error : ValidateGraph(graph)) return error;
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<EngineSession> session,
                           engine.Open(std::move(graph)));
  reference::RunOptions options;
  options.max_firings = kMaxFirings;
  options.seed = order;
  if (!lowered.init.empty()) {
    TAGFLOW_RETURN_IF_ERROR(session->Run({}, {}, lowered.init, options).status());
  }
  std::vector<std::string> fetches;
  for (const std::string& gradient : made.gradients) {
    if (!gradient.empty()) fetches.push_back(gradient);
  }
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> fetched,
                           session->Run(FeedsOf(program, lowered, 0), fetches, {}, options));
  std::vector<Tensor> values;
  size_t next = 0;
  for (const std::string& gradient : made.gradients) {
    values.push_back(gradient.empty() ? Tensor() : std::move(fetched[next++]));
  }
  return values;
}

double At(const Tensor& tensor, size_t i) {
  if (tensor.dtype() == DType::kFloat) return static_cast<double>(tensor.data<float>()[i]);
  return tensor.data<double>()[i];
}

bool Alike(double found, double expected, double bound) {
  if (found == expected || (std::isnan(found) && std::isnan(expected))) return true;
  return std::fabs(found - expected) <= bound + (bound > 0 ? kUnderflow : 0);
}

// What differs by one input. `bounds`: by how much each element may.
std::optional<std::string> Difference(const Tensor& found, const std::vector<double>& expected,
                                      const std::vector<double>& bounds, int output, int input,
                                      GraphGradientCheck::Counts& counts) {
  ++counts.gradients;
  if (!found.has_value()) ++counts.none;
  if (found.has_value() && static_cast<size_t>(found.num_elements()) != expected.size()) {
    return "d result " + std::to_string(output) + " / d input " + std::to_string(input) + " has " +
           std::to_string(found.num_elements()) + " elements, and the input has " +
           std::to_string(expected.size());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const double value = found.has_value() ? At(found, i) : 0;
    ++counts.derivatives;
    if (value != 0) ++counts.nonzero;
    if (Alike(value, expected[i], found.has_value() ? bounds[i] : 0)) continue;
    return Place(output, input, i) + (found.has_value() ? Number(value) : "no gradient") +
           ", and it is " + Number(expected[i]) + " (within " + Number(bounds[i]) + ")";
  }
  return std::nullopt;
}

std::vector<double> Elements(const Tensor& tensor) {
  const auto data = tensor.data<double>();
  return {data, data + tensor.num_elements()};
}

// A stack has no gradient, which has to be said before anything is built.
bool IsRefused(const Status& status, const Graph& graph) {
  return status.code() == Code::kUnimplemented &&
         std::ranges::any_of(graph.NodeIds(),
                             [&](NodeId id) { return graph.node(id).op == "StackV2"; });
}

std::optional<std::string> UnlessUndecided(const Program& program, std::optional<std::string> wrong,
                                           GraphGradientCheck::Counts& counts) {
  if (!wrong.has_value() || !IsUndecided(program)) return wrong;
  ++counts.undecided;
  return std::nullopt;
}

// Loops keep lists, or run again: in blocks, or with a few states where it is known how long they
// are. Stacks have no gradients.
GradientOptions SomeOptions(Choices& choices, bool may_be_stacks, const GraphGradientCheck& check,
                            GraphGradientCheck::Counts& counts) {
  GradientOptions options;
  options.registry = check.registry;
  enum { kLists, kAgainInBlocks, kAgainFromStates, kStacks };
  switch (
      choices.Of({kLists, kAgainInBlocks, kAgainFromStates, may_be_stacks ? kStacks : kLists})) {
    case kAgainInBlocks:
      options.rematerialize = {{.loop = "*"}};
      ++counts.again;
      break;
    case kAgainFromStates:
      options.rematerialize = {{.loop = "*", .states = choices.Between(kSeveral)}};
      ++counts.again;
      break;
    case kStacks:
      options.history = History::kStacks;
      break;
    case kLists:
      break;
  }
  return options;
}

std::optional<std::string> HigherOrder(const Program& program, Choices& choices,
                                       const GraphGradientCheck& check, int order) {
  const std::vector<int> results = ResultsOf(program, IsDouble);
  const std::vector<int> inputs = InputsOf(program, IsDouble);
  if (results.empty() || inputs.empty()) return std::nullopt;
  const int output = choices.Of(results);
  const int input = choices.Of(inputs);
  const Result<Tensor> duals = Derivative(program, output, input, order);
  if (!duals.ok()) return std::nullopt;
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return "the lowering fails: " + lowered.status().ToString();
  GraphGradientCheck::Counts ignored;
  auto& counts = check.counts != nullptr ? *check.counts : ignored;
  GradientOptions options;
  options.registry = check.registry;
  // What runs again three times over takes seconds.
  if (order == 2) options = SomeOptions(choices, false, check, counts);
  Result<Differentiated> made = Differentiate(*lowered, output, {input}, order, options);
  if (!made.ok()) {
    if (IsRefused(made.status(), lowered->graph)) return std::nullopt;
    return "Gradients: " + made.status().ToString();
  }
  const auto values = Values(program, *lowered, *made, *check.engine, choices.Below(kOrders));
  if (!values.ok()) return "the gradient's run: " + values.status().ToString();
  const std::vector<double> expected = Elements(*duals);
  double greatest = 0;
  for (const double value : expected) greatest = std::fmax(greatest, std::fabs(value));
  const std::vector<double> bounds(expected.size(),
                                   kHigherOrderTolerance * std::fmax(greatest, 1e-3));
  return UnlessUndecided(program, Difference((*values)[0], expected, bounds, output, input, counts),
                         counts);
}

// By how much elements of gradients may differ from the tape's, by input. Whole numbers that are
// small enough are not rounded. An engine rounds the values on the way otherwise than the tape's
// run, which a steep program makes much of.
std::vector<std::vector<double>> Bounds(const Program& program, bool is_whole, const Engine& engine,
                                        const std::vector<reference::TapeGradient>& tape,
                                        GraphGradientCheck::Counts& counts) {
  const double epsilon = Epsilon(program);
  const double unit =
      engine.capabilities().is_reference ? kTapeMultiple * epsilon : std::sqrt(epsilon);
  std::vector<std::vector<double>> bounds;
  double greatest = 0;
  for (const reference::TapeGradient& gradient : tape) {
    bounds.push_back(Elements(gradient.magnitude));
    for (const double magnitude : bounds.back()) greatest = std::fmax(greatest, magnitude);
  }
  const bool is_exact = is_whole && greatest * epsilon < 0.5;
  if (is_exact) ++counts.exact;
  for (std::vector<double>& of_input : bounds) {
    for (double& bound : of_input) bound *= is_exact ? 0 : unit;
  }
  return bounds;
}

}  // namespace

std::optional<std::string> GraphGradientsEqualTape(const Program& given, Choices& choices,
                                                   const GraphGradientCheck& check) {
  const bool is_whole = choices.Chance(kSometimes);
  const Program program = is_whole ? WholeNumbers(given) : given;
  const std::vector<int> results = ResultsOf(program, IsReal);
  const std::vector<int> inputs = InputsOf(program, IsReal);
  if (results.empty() || inputs.empty()) return std::nullopt;
  if (!Evaluate(program).ok()) return std::nullopt;
  int output = choices.Of(results);
  Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return "the lowering fails: " + lowered.status().ToString();
  if (results.size() > 1 && choices.Chance(kEvenly)) {
    const bool are_of_one_shape = choices.Chance(kEvenly);
    const Result<int> sum = AddUpResults(program, results, output, are_of_one_shape, *lowered);
    if (!sum.ok()) return "the sum of the results: " + sum.status().ToString();
    output = *sum;
  }
  GraphGradientCheck::Counts ignored;
  auto& counts = check.counts != nullptr ? *check.counts : ignored;
  const GradientOptions options = SomeOptions(choices, true, check, counts);
  const Result<Differentiated> made = Differentiate(*lowered, output, inputs, 1, options);
  if (!made.ok()) {
    if (IsRefused(made.status(), lowered->graph)) return std::nullopt;
    return "Gradients: " + made.status().ToString();
  }
  if (Descends(made->graph)) ++counts.few;
  const auto tape = TapeOf(program, *lowered, output, inputs);
  if (!tape.ok()) return "the tape: " + tape.status().ToString();
  const auto bounds = Bounds(program, is_whole, *check.engine, *tape, counts);
  const uint64_t order = choices.Below(kOrders);
  for (const int64_t width : WidthsFor(made->graph)) {
    const std::string where =
        width > 0 ? "with parallel_iterations " + std::to_string(width) + ": " : "";
    const auto values = Values(program, *lowered, *made, *check.engine, order, width);
    if (!values.ok()) return where + "the gradient's run: " + values.status().ToString();
    for (size_t k = 0; k < inputs.size(); ++k) {
      auto wrong = Difference((*values)[k], Elements((*tape)[k].gradient), bounds[k], output,
                              inputs[k], counts);
      if (wrong.has_value()) return UnlessUndecided(program, where + *wrong, counts);
    }
  }
  return std::nullopt;
}

std::optional<std::string> SecondOrder(const Program& program, Choices& choices,
                                       const GraphGradientCheck& check) {
  return HigherOrder(program, choices, check, 2);
}

std::optional<std::string> ThirdOrder(const Program& program, Choices& choices,
                                      const GraphGradientCheck& check) {
  return HigherOrder(program, choices, check, 3);
}

}  // namespace tagflow::fuzz
