// Tests: bench.cc, bench_command.cc

#include "cli/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "conformance/command/args.h"

namespace tagflow::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(TimesOfTest, LeastMedianAndMean) {
  const StepTimes odd = TimesOf({9, 1, 2}, 10);
  EXPECT_EQ(odd.steps, 30);
  EXPECT_EQ(odd.min_ns, 1);
  EXPECT_EQ(odd.median_ns, 2);
  EXPECT_EQ(odd.mean_ns, 4);
  EXPECT_EQ(odd.steps_per_s(), 250e6);
  EXPECT_EQ(TimesOf({4, 1, 2, 8}, 1).median_ns, 3);
}

TEST(TimeInTurnTest, RunsTheStepsInTurnAndAtLeastOnce) {
  std::string order;
  const std::vector<TimedStep> steps = {[&] { return order += 'a', Status(); },
                                        [&] { return order += 'b', Status(); }};
  const auto times = TimeInTurn(steps, 0, [] { return false; });
  ASSERT_TRUE(times.ok());
  ASSERT_EQ(times->size(), 2u);
  // Warmed up one after the other, then a sample of each.
  EXPECT_THAT(order, testing::MatchesRegex("a+b+a+b+"));
  for (const StepTimes& each : *times) {
    EXPECT_GE(each.steps, 1);
    EXPECT_LE(each.min_ns, each.median_ns);
    EXPECT_GE(each.mean_ns, each.min_ns);
  }
}

TEST(TimeInTurnTest, EndsWhenItIsStopped) {
  int asked = 0;
  const std::vector<TimedStep> steps = {[] { return Status(); }};
  EXPECT_TRUE(TimeInTurn(steps, 1e9, [&] { return ++asked == 3; }).ok());
  EXPECT_EQ(asked, 3);
}

TEST(TimeInTurnTest, AnErrorOfAStepIsTheResult) {
  int runs = 0;
  const std::vector<TimedStep> steps = {[&] { return ++runs == 3 ? Internal("third") : Status(); }};
  EXPECT_EQ(TimeInTurn(steps, 0, [] { return false; }).status().code(), Code::kInternal);
}

std::string GraphFile() {
  const std::string path = testing::TempDir() + "/bench_graph.pbtxt";
  std::ofstream(path) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
    node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }
    node { name: "y" op: "FloorDiv" input: "x" input: "x"
           attr { key: "T" value { type: DT_INT32 } } }
    node { name: "sum" op: "VariableV2" attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "shape" value { shape {} } } }
    node { name: "start" op: "Assign" input: "sum" input: "zero"
           attr { key: "T" value { type: DT_INT32 } } }
    node { name: "fed" op: "Assign" input: "sum" input: "x"
           attr { key: "T" value { type: DT_INT32 } } }
    node { name: "more" op: "AssignAdd" input: "sum" input: "x"
           attr { key: "T" value { type: DT_INT32 } } }
  )";
  return path;
}

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome Capture(std::vector<std::string> more, const std::string& graph = GraphFile()) {
  std::vector<std::string> words = {graph, "--seconds", "0"};
  words.insert(words.end(), more.begin(), more.end());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = BenchCommand(words);
  const std::string out = testing::internal::GetCapturedStdout();
  return {exit_code, out, testing::internal::GetCapturedStderr()};
}

TEST(BenchCommandTest, TimesOneEngine) {
  const Outcome done = Capture({"--feed", "x=3", "--fetch", "y", "--threads", "2"});
  EXPECT_EQ(done.exit_code, kExitOk) << done.err;
  EXPECT_THAT(done.out, ContainsRegex("^engine +threads +steps +min +median +mean +steps/s\n"
                                      "optimized +2 +[0-9,]+ "));
}

TEST(BenchCommandTest, AThreadPerCoreAndFeedsForWhatInitializes) {
  const Outcome done = Capture({"--feed", "x=3", "--target", "more", "--init", "fed"});
  EXPECT_EQ(done.exit_code, kExitOk) << done.err;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  EXPECT_THAT(done.out, ContainsRegex("\noptimized +" + std::to_string(cores) + " "));
}

TEST(BenchCommandTest, TimesTwoEnginesInTurn) {
  const Outcome done =
      Capture({"--feed", "x=3", "--fetch", "y", "--against", "optimized-tokens:2"});
  EXPECT_EQ(done.exit_code, kExitOk) << done.err;
  EXPECT_THAT(done.out, ContainsRegex("\noptimized-tokens:2 +2 "));
  EXPECT_THAT(done.out,
              ContainsRegex("\noptimized-tokens:2 takes [0-9.e+]+ times as long as optimized\n$"));
}

TEST(BenchCommandTest, TimesASignatureOfASavedModel) {
  const std::string model = "graph/saved/testdata/model";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--feed", "x=[[1,2]]"},
           {"--feed", "x=[[1,2]]", "--fetch", "y", "--tags", "serve", "--against", "reference"},
           {"--signature", "count", "--feed", "n=10"}}) {
    const Outcome done = Capture(words, model);
    EXPECT_EQ(done.exit_code, kExitOk) << done.err;
    EXPECT_THAT(done.out, HasSubstr("\noptimized "));
  }
  EXPECT_EQ(Capture({"--signature", "none"}, model).exit_code, kExitBadInput);
}

TEST(BenchCommandTest, AsJson) {
  const Outcome done = Capture({"--feed", "x=3", "--target", "more", "--init", "start", "--engine",
                                "reference", "--against", "optimized", "--json"});
  EXPECT_EQ(done.exit_code, kExitOk) << done.err;
  EXPECT_THAT(done.out, HasSubstr(R"({"engines":[{"engine":"reference","threads":1,"steps":)"));
  EXPECT_THAT(done.out, ContainsRegex("\"ratio\":[0-9.]+}\n$"));
}

TEST(BenchCommandTest, EachKindOfFailureHasItsExitCode) {
  EXPECT_EQ(Capture({"--feed", "x=3"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({"--fetch", "y"}).exit_code, kExitBadInput);
  EXPECT_EQ(Capture({"--feed", "x=3", "--fetch", "z"}).exit_code, kExitBadInput);
  EXPECT_EQ(Capture({"--feed", "x=0", "--fetch", "y"}).exit_code, kExitFailed);
  EXPECT_EQ(Capture({"--feed", "x=3", "--fetch", "more"}).exit_code, kExitFailed);
  for (const char* engine : {"fast", "optimized:", "optimized:-1", "optimized:2x", "reference:2"}) {
    EXPECT_EQ(Capture({"--feed", "x=3", "--fetch", "y", "--engine", engine}).exit_code, kExitUsage)
        << engine;
  }
  EXPECT_THAT(Capture({"--fetch", "more", "--json"}).out, HasSubstr("{\"error\":{"));
}

TEST(BenchCommandTest, HelpNamesEveryOption) {
  const std::string help = Capture({"--help"}).out;
  for (const char* option : {"--feed", "--fetch", "--target", "--init", "--engine", "--against",
                             "--threads", "--seconds", "--json", "--signature", "--tags"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

}  // namespace
}  // namespace tagflow::cli
