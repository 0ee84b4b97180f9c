#include "cli/races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow::cli {
namespace {

using ::testing::HasSubstr;

// A variable that is read and added to, in no order.
constexpr char kRace[] = R"(
  v = VariableV2() dtype=float shape=[]
  nothing = Const() dtype=float value=0
  one = Const() dtype=float value=1
  init = Assign(v, nothing) T=float
  add = AssignAdd(v, one) T=float
  value = Identity(v) T=float
  after = Identity(v, ^add) T=float
)";

reference::Exploration Explored(const ExploredCall& call,
                                const reference::ExploreOptions& options = {}) {
  auto found =
      ExploreCall(call, TestGraph(kRace, OpRegistry::Standard()).Take(), OpLibrary(), options);
  EXPECT_TRUE(found.ok()) << found.status().ToString();
  return *std::move(found);
}

TEST(RacesTest, EveryPairAndEveryOutcome) {
  const ExploredCall call = {{}, {"value"}, {"add"}, {"init"}, 0};
  const reference::Exploration found = Explored(call);
  const std::string text = RacesText(found, call.fetches, {});
  EXPECT_THAT(text, HasSubstr("'add' and 'value' are not ordered\n"));
  EXPECT_THAT(text, HasSubstr("2 outcomes, of 2 orders tried\n"));
  EXPECT_THAT(text, HasSubstr("in 1 order:\n  value: float[] 0\n"));
  EXPECT_THAT(text, HasSubstr("in 1 order:\n  value: float[] 1\n"));
  const std::string json = RacesJson(found, call.fetches);
  EXPECT_THAT(json, HasSubstr("{\"races\":[\"race on "));
  EXPECT_THAT(json, HasSubstr("{\"orders\":1,\"outputs\":{\"value\":{\"dtype\":\"float\""));
  EXPECT_THAT(json, HasSubstr("\"orders\":2,\"exhaustive\":true}\n"));
}

TEST(RacesTest, WhatIsOrderedIsNoRace) {
  const ExploredCall call = {{}, {"after"}, {}, {"init"}, 2};
  const std::string text = RacesText(Explored(call), call.fetches, {});
  EXPECT_EQ(text,
            "no race: whatever touches the same is in order\n"
            "1 outcome, of 1 order tried\n  after: float[] 3\n");
}

TEST(RacesTest, AnErrorIsAnOutcome) {
  const ExploredCall call = {{}, {"value"}, {}, {}, 0};
  const reference::Exploration found = Explored(call);
  EXPECT_THAT(RacesText(found, call.fetches, {}), HasSubstr("  error: FAILED_PRECONDITION"));
  EXPECT_THAT(RacesJson(found, call.fetches), HasSubstr("\"error\":{\"code\":"));
}

TEST(RacesTest, ABoundIsTold) {
  const ExploredCall call = {{}, {"value"}, {"add"}, {"init"}, 0};
  reference::ExploreOptions one;
  one.max_orders = 1;
  EXPECT_THAT(RacesText(Explored(call, one), call.fetches, one),
              HasSubstr("there may be more: stopped after 1 order"));
  reference::ExploreOptions short_runs;
  short_runs.max_firings = 2;
  EXPECT_THAT(RacesText(Explored(call, short_runs), call.fetches, short_runs),
              HasSubstr("followed for 2 firings and no further; --max-steps"));
}

TEST(RacesTest, ErrorsOfTheCall) {
  const auto fails = [](const ExploredCall& call) {
    return ExploreCall(call, TestGraph(kRace, OpRegistry::Standard()).Take(), OpLibrary(), {})
        .status()
        .code();
  };
  EXPECT_EQ(fails({{}, {"none"}, {}, {}, 0}), Code::kNotFound);
  EXPECT_EQ(fails({{}, {"value"}, {}, {"none"}, 0}), Code::kNotFound);
  EXPECT_EQ(fails({{}, {"value"}, {}, {}, 1}), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace tagflow::cli
