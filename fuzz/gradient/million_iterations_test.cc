// Long loops are differentiated without a value in memory for each iteration.
//
// Tests: transform/gradients/rematerialize.cc

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/engines/engine.h"
#include "fuzz/engines/optimized_engine.h"
#include "graph/builder/builder.h"
#include "optimized/session.h"
#include "transform/gradients/gradients.h"

namespace tagflow::fuzz {
namespace {

// How many elements a history of the loop ends with.
std::vector<Output> HistoryLengths(const Scope& scope, const std::string& loop) {
  std::vector<Output> lengths;
  const Graph graph = scope.graph().Clone();
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const bool leaves = node.op == "Exit" && node.name.starts_with(loop + "/history/state");
    if (leaves) {
      lengths.push_back(Op(scope, "TensorListLength", {Output(scope.state(), OutputRef{id, 0})}));
    }
  }
  return lengths;
}

TEST(MillionIterations, KeepSquareRootsOfThem) {
  constexpr int32_t kIterations = 1'000'000;
  const Scope scope = Scope::Root();
  const Output x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
  const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
  const Output power = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 1.0)},
      [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x};
      },
      {.name = "power"})[1];
  GradientOptions options;
  options.rematerialize = {{.loop = "power"}};
  const Result<OutputList> gradient = Gradients(scope, power, x, {}, options);
  ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
  const std::vector<Output> states = HistoryLengths(scope, "power");
  ASSERT_EQ(states.size(), 2u);
  std::vector<std::string> fetches = {(*gradient)[0].name()};
  for (const Output& length : states) fetches.push_back(length.name());
  const auto session = *OptimizedEngine(optimized::SessionOptions())->Open(*scope.Finish());
  const double at = 1 + 1e-6;
  const auto values = session->Run({{"x", Tensor::Scalar(at)}, {"n", Tensor::Scalar(kIterations)}},
                                   fetches, {}, {});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  const double expected = kIterations * std::pow(at, kIterations - 1);
  EXPECT_NEAR((*values)[0].scalar<double>(), expected, 1e-9 * expected);
  // Block b has b iterations, so these are the lengths of the histories, too: 1,414 blocks hold
  // 1,000,405 iterations.
  for (size_t i = 1; i < values->size(); ++i) EXPECT_EQ((*values)[i].scalar<int32_t>(), 1414);
}

// x^100000 with 50 states, of each variable: no list has more elements, but where the forward loop
// hands the state at hand on as well.
TEST(MillionIterations, KeepAsFewStatesAsTheyAreAllowed) {
  constexpr int32_t kIterations = 100'000;
  const Scope scope = Scope::Root();
  const Output x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
  const Output power = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 1.0)},
      [&](const Scope& s, const OutputList& v) { return Less(s, v[0], kIterations); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x};
      },
      {.name = "power"})[1];
  const Result<OutputList> gradient =
      Gradients(scope, power, x, {}, {.rematerialize = {{.loop = "power", .states = 50}}});
  ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
  const std::vector<Output> states = HistoryLengths(scope, "power");
  ASSERT_EQ(states.size(), 2u);
  std::vector<std::string> fetches = {(*gradient)[0].name()};
  for (const Output& length : states) fetches.push_back(length.name());
  const auto session = *OptimizedEngine(optimized::SessionOptions())->Open(*scope.Finish());
  const double at = 1 + 1e-6;
  const auto values = session->Run({{"x", Tensor::Scalar(at)}}, fetches, {}, {});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  const double expected = kIterations * std::pow(at, kIterations - 1);
  EXPECT_NEAR((*values)[0].scalar<double>(), expected, 1e-9 * expected);
  for (size_t i = 1; i < values->size(); ++i) EXPECT_EQ((*values)[i].scalar<int32_t>(), 51);
}

}  // namespace
}  // namespace tagflow::fuzz
