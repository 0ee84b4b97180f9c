#ifndef TAGFLOW_FUZZ_GRADIENT_TEST_ORDERS_H_
#define TAGFLOW_FUZZ_GRADIENT_TEST_ORDERS_H_

// The gradients of a graph made by hand, and the gradients of those: on both engines, against the
// tape.

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "graph/validate.h"
#include "optimized/session.h"
#include "reference/races.h"
#include "reference/session.h"
#include "reference/tape/tape.h"
#include "transform/gradients/gradients.h"

namespace tagflow::fuzz {

using Feeds = std::vector<std::pair<std::string, Tensor>>;

inline std::mt19937 random_bits(7);  // NOLINT: one sequence for the whole test

inline Tensor RandomDoubles(DimsView dims) {
  std::uniform_real_distribution<double> draw(0.5, 2);
  std::vector<double> values(static_cast<size_t>(*NumElements(dims)));
  for (double& value : values) value = draw(random_bits);
  return Tensor::Of<double>(dims, values);
}

inline std::vector<std::string> NamesOf(const OutputList& outputs) {
  std::vector<std::string> names;
  for (const Output& output : outputs) names.push_back(output.name());
  return names;
}

// What is fetched, by the reference, which finds no race.
inline std::vector<Tensor> ByReference(const Scope& scope, const Feeds& feeds,
                                       const OutputList& fetches) {
  const Result<Graph> graph = scope.Finish();
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  if (!graph.ok()) return {};
  for (const Status& error : ValidateGraph(*graph)) ADD_FAILURE() << error.ToString();
  const auto session = *reference::Session::Create(graph->Clone());
  reference::RunOptions options;
  options.max_firings = 1'000'000;
  reference::History history;
  options.history = &history;
  const auto values = session->Run(feeds, NamesOf(fetches), {}, options);
  EXPECT_TRUE(values.ok()) << "reference: " << values.status().ToString();
  for (const reference::Race& race : FindRaces(history)) ADD_FAILURE() << race.ToString(history);
  return values.ok() ? *values : std::vector<Tensor>();
}

inline std::vector<Tensor> ByEngine(const Scope& scope, const Feeds& feeds,
                                    const OutputList& fetches) {
  const auto session = *optimized::Session::Create(*scope.Finish());
  const auto values = session->Run(feeds, NamesOf(fetches));
  EXPECT_TRUE(values.ok()) << "engine: " << values.status().ToString();
  return values.ok() ? *values : std::vector<Tensor>();
}

inline void ExpectNear(const std::vector<Tensor>& found,
                       const std::vector<reference::TapeGradient>& tape, const OutputList& xs) {
  ASSERT_EQ(found.size(), xs.size());
  for (size_t k = 0; k < xs.size(); ++k) {
    ASSERT_EQ(DimsString(found[k].dims()), DimsString(tape[k].gradient.dims())) << xs[k].name();
    for (int64_t i = 0; i < found[k].num_elements(); ++i) {
      const double bound =
          64 * std::numeric_limits<double>::epsilon() * tape[k].magnitude.data<double>()[i];
      EXPECT_NEAR(found[k].data<double>()[i], tape[k].gradient.data<double>()[i], bound)
          << "by " << xs[k].name() << ", element " << i;
    }
  }
}

// Whether the gradients of y by the xs, which are fed, are what the tape says.
inline void EqualTheTape(const Scope& scope, const Feeds& feeds, const Output& y,
                         const OutputList& xs, const OutputList& gradients) {
  const auto session = *reference::Session::Create(*scope.Finish());
  reference::GradientCall call;
  call.feeds = feeds;
  call.ys = {y.name()};
  call.xs = NamesOf(xs);
  const Result<reference::GradientRun> run = GradientsOfRun(*session, call);
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  ExpectNear(ByReference(scope, feeds, gradients), run->gradients, xs);
  ExpectNear(ByEngine(scope, feeds, gradients), run->gradients, xs);
}

// The sum of all elements of the squares, so that every derivative depends on all others.
inline Output SumOfSquares(const Scope& scope, const OutputList& outputs) {
  OutputList sums;
  for (const Output& output : outputs) {
    const Output flat = Reshape(scope, output, Const(scope, std::vector<int32_t>{-1}));
    sums.push_back(Sum(scope, Mul(scope, flat, flat), 0));
  }
  return AddN(scope, sums);
}

// Gradients by the xs, which are doubles that are fed; those of a weighed sum of them; and so on.
inline void CheckOrders(const Scope& scope, const Feeds& feeds, Output y, const OutputList& xs,
                        int orders = 2, GradientOptions options = {}) {
  options.zeros_for_unreached = true;
  for (int order = 1; order <= orders; ++order) {
    SCOPED_TRACE("order " + std::to_string(order));
    const Result<OutputList> gradients = Gradients(scope, {y}, xs, {}, options);
    ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
    EqualTheTape(scope, feeds, y, xs, *gradients);
    if (testing::Test::HasFailure()) return;
    OutputList weighed;
    for (size_t k = 0; k < xs.size(); ++k) {
      weighed.push_back(
          Mul(scope, (*gradients)[k], Const(scope, RandomDoubles(feeds[k].second.dims()))));
    }
    y = SumOfSquares(scope, weighed);
  }
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_TEST_ORDERS_H_
