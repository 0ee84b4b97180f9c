// The programs of gradient_cases.cc, differentiated now, on the reference and on the engine.

#include "conformance/gradients/gradient_cases.h"

#include <gtest/gtest.h>

#include <set>

#include "graph/validate.h"
#include "optimized/session.h"
#include "reference/session.h"

namespace tagflow::conformance {
namespace {

class EveryGradient : public testing::TestWithParam<GradientCase> {
 protected:
  void SetUp() override {
    const Scope scope = Scope::Root();
    GetParam().build(scope);
    Result<Graph> graph = scope.Finish();
    ASSERT_TRUE(graph.ok()) << graph.status().ToString();
    for (const Status& error : ValidateGraph(*graph)) ADD_FAILURE() << error.ToString();
    graph_ = *std::move(graph);
  }

  template <typename Run>
  void ExpectAllSteps(const Run& run, const std::string& where) {
    for (const GradientStep& step : GetParam().steps) {
      const Result<std::vector<Tensor>> values = run(step);
      ASSERT_TRUE(values.ok()) << where << ": " << values.status().ToString();
      for (size_t i = 0; i < step.expect.size(); ++i) {
        EXPECT_TRUE(BitwiseEqual((*values)[i], step.expect[i]))
            << where << ": " << GetParam().fetches[i] << " is " << (*values)[i].DebugString()
            << ", not " << step.expect[i].DebugString();
      }
    }
  }

  Graph graph_;
};

TEST_P(EveryGradient, OnTheReferenceInAnyOrder) {
  const auto session = reference::Session::Create(graph_.Clone());
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    reference::RunOptions options;
    options.seed = seed;
    options.max_firings = 1'000'000;
    ExpectAllSteps(
        [&](const GradientStep& step) {
          return (*session)->Run(step.feeds, GetParam().fetches, {}, options);
        },
        "order " + std::to_string(seed));
  }
}

TEST_P(EveryGradient, OnTheEngineWithEitherExecutor) {
  using optimized::ExecutorChoice;
  for (const auto& [executor, threads] :
       std::vector<std::pair<ExecutorChoice, int>>{{ExecutorChoice::kAuto, 1},
                                                   {ExecutorChoice::kTokens, 1},
                                                   {ExecutorChoice::kTokens, 3}}) {
    optimized::SessionOptions options;
    options.executor = executor;
    options.threads = threads;
    const auto session = optimized::Session::Create(graph_.Clone(), options);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    ExpectAllSteps(
        [&](const GradientStep& step) {
          return (*session)->Run(step.feeds, GetParam().fetches, {});
        },
        std::to_string(threads) + " threads");
  }
}

std::string TestName(const testing::TestParamInfo<GradientCase>& info) {
  std::string name = info.param.name;
  for (char& letter : name) {
    if (letter == '-') letter = '_';
  }
  return "_" + name;
}
INSTANTIATE_TEST_SUITE_P(, EveryGradient, testing::ValuesIn(GradientCases()), TestName);

TEST(GradientCases, NamesAreDistinctAndEveryFetchHasAValue) {
  std::set<std::string> names;
  for (const GradientCase& one : GradientCases()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_FALSE(one.rules.empty()) << one.name;
    for (const GradientStep& step : one.steps) {
      EXPECT_EQ(step.expect.size(), one.fetches.size()) << one.name;
    }
  }
}

}  // namespace
}  // namespace tagflow::conformance
