#include "transform/placement/measured_times.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

TEST(MeasuredTimes, AreReadAndWritten) {
  const Result<MeasuredTimes> times =
      ParseMeasuredTimes("# a run\n\n body/MatMul\t81230.5 250 # the product\r\nx 1e3 0.5");
  ASSERT_TRUE(times.ok()) << times.status().ToString();
  ASSERT_EQ(times->size(), 2u);
  EXPECT_EQ(times->at("body/MatMul").mean_ns, 81230.5);
  EXPECT_EQ(times->at("body/MatMul").firings, 250);
  EXPECT_EQ(times->at("x").firings, 0.5);
  const Result<MeasuredTimes> again = ParseMeasuredTimes(MeasuredTimesText(*times));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->at("body/MatMul").mean_ns, 81230.5);
  EXPECT_EQ(again->at("x").mean_ns, 1000);
  EXPECT_EQ(ParseMeasuredTimes("")->size(), 0u);
}

TEST(MeasuredTimes, SayWhichLineIsWrong) {
  for (const char* line :
       {"x", "x 1", "x 1 2 3", "x one 2", "x 1 -2", "x nan 1", "x 1 inf", "x 1 2\nx 1 2"}) {
    const Result<MeasuredTimes> times = ParseMeasuredTimes("# first\n" + std::string(line));
    ASSERT_FALSE(times.ok()) << line;
    EXPECT_EQ(times.status().code(), Code::kInvalidArgument);
    const std::string expected =
        std::string(line).find('\n') == std::string::npos ? "line 2" : "line 3";
    EXPECT_NE(times.status().message().find(expected), std::string::npos)
        << times.status().message();
  }
}

}  // namespace
}  // namespace tagflow
