#include "fuzz/placement/survey.h"

#include <gtest/gtest.h>

namespace tagflow::fuzz {
namespace {

// placement_soak_test has more time.
TEST(PlacementSurvey, OfAHundredGraphs) {
  constexpr int kGraphs = 100;
  const PlacementSurvey survey = SurveyPlacements(1, kGraphs);
  EXPECT_FALSE(survey.problem) << *survey.problem;
  EXPECT_EQ(survey.graphs, kGraphs);
  EXPECT_GT(survey.refused, 0);
  // Each way wins somewhere, or it would not be worth trying.
  EXPECT_GT(survey.chose_greedy, 0);
  EXPECT_GT(survey.chose_one_device, 0);
  EXPECT_GT(survey.greedy_lost, 0);
  EXPECT_LT(survey.greedy_lost, survey.graphs);
  EXPECT_EQ(survey.chose_greedy + survey.chose_one_device + survey.chose_round_robin,
            survey.graphs);
  std::printf("%s", survey.ToString().c_str());
}

}  // namespace
}  // namespace tagflow::fuzz
