#include "cli/stats_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(StatsTableTest, TimesAndCounts) {
  EXPECT_EQ(TimeText(0), "0 ns");
  EXPECT_EQ(TimeText(999), "999 ns");
  EXPECT_EQ(TimeText(1'250), "1.25 us");
  EXPECT_EQ(TimeText(999'400), "999 us");
  EXPECT_EQ(TimeText(999'600), "1 ms");
  EXPECT_EQ(TimeText(31'400'000), "31.4 ms");
  EXPECT_EQ(TimeText(2'000'000'000), "2.00 s");
  EXPECT_EQ(TimeText(12.4), "12 ns");
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1'234'567), "1,234,567");
}

StatsReport SmallReport() {
  StatsReport report;
  report.steps = {1, 2'000, 2'000, 2'000};
  report.kernels = {1'001, 1'500, 1, 500};
  report.clock_ns = 25;
  report.ops = {{"", "AddV2", {1'000, 1'000, 1, 9}}, {"", "MatMul", {1, 500, 500, 500}}};
  report.nodes = {{"loop/add", "AddV2", {1'000, 1'000, 1, 9}},
                  {"product", "MatMul", {1, 500, 500, 500}}};
  return report;
}

TEST(StatsTableTest, ColumnsAreAligned) {
  EXPECT_EQ(StatsText(SmallReport()),
            R"(1 step in 2 us; 1,001 kernels in 1.5 us. Each time holds a look at the clock, 25 ns.

op      kernels   total   share    mean     min     max
AddV2     1,000    1 us  66.7 %    1 ns    1 ns    9 ns
MatMul        1  500 ns  33.3 %  500 ns  500 ns  500 ns

node      op      kernels   total   share    mean     min     max
loop/add  AddV2     1,000    1 us  66.7 %    1 ns    1 ns    9 ns
product   MatMul        1  500 ns  33.3 %  500 ns  500 ns  500 ns
)");
}

TEST(StatsTableTest, JsonHasWhatTheTableHas) {
  EXPECT_EQ(StatsJson(SmallReport()),
            R"({"steps":1,"steps_ns":2000,"kernels":1001,"kernels_ns":1500,"clock_ns":25,)"
            R"("ops":[{"op":"AddV2","count":1000,"total_ns":1000,"min_ns":1,"max_ns":9},)"
            R"({"op":"MatMul","count":1,"total_ns":500,"min_ns":500,"max_ns":500}],)"
            R"("nodes":[{"node":"loop/add","op":"AddV2","count":1000,"total_ns":1000,"min_ns":1,)"
            R"("max_ns":9},{"node":"product","op":"MatMul","count":1,"total_ns":500,)"
            R"("min_ns":500,"max_ns":500}]})");
}

TEST(StatsTableTest, OfManyNodesTheFirstAreShown) {
  StatsReport report = SmallReport();
  for (int i = 0; i < 30; ++i) {
    report.nodes.push_back({"n" + std::to_string(i), "Neg", {1, 1, 1, 1}});
  }
  const std::string text = StatsText(report);
  EXPECT_THAT(text, HasSubstr("n17 "));
  EXPECT_THAT(text, Not(HasSubstr("n18 ")));
  EXPECT_THAT(text, HasSubstr("and 12 nodes more, which --json has\n"));
}

TEST(StatsTableTest, WithoutKernelsThereIsNoTable) {
  StatsReport report;
  report.steps = {2, 300, 100, 200};
  EXPECT_EQ(StatsText(report),
            "2 steps in 300 ns; 0 kernels in 0 ns. Each time holds a look at the clock, 0 ns.\n");
}

}  // namespace
}  // namespace tagflow::cli
