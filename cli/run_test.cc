// Tests: run.cc run_request.cc run_results.cc run_session.cc read_graph.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "cli/commands.h"
#include "cli/progress_line.h"
#include "conformance/command/args.h"
#include "conformance/command/interrupt.h"
#include "transform/placement/measured_times.h"

namespace tagflow::cli {
namespace {

constexpr const char* kNegate = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
)";

// more: adds what is fed to a variable, which zero sets to 0.
constexpr const char* kSum = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
  node { name: "nothing" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }
  node { name: "sum" op: "VariableV2" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "shape" value { shape {} } } }
  node { name: "zero" op: "Assign" input: "sum" input: "nothing"
         attr { key: "T" value { type: DT_INT32 } } }
  node { name: "fed" op: "Assign" input: "sum" input: "x"
         attr { key: "T" value { type: DT_INT32 } } }
  node { name: "value" op: "Identity" input: "sum" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "more" op: "AssignAdd" input: "sum" input: "x"
         attr { key: "T" value { type: DT_INT32 } } }
)";

// train: adds 1 to a variable where p holds.
constexpr const char* kBranch = R"(
  node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } }
  node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
  node { name: "if" op: "Switch" input: "one" input: "p"
         attr { key: "T" value { type: DT_INT32 } } }
  node { name: "minus" op: "Neg" input: "if:1" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "train" op: "NoOp" input: "^minus" }
)";

std::string GraphFile(const char* graph = kNegate) {
  const std::string path = testing::TempDir() + "/graph.pbtxt";
  std::ofstream(path) << graph;
  return path;
}

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome Capture(std::vector<std::string> words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = RunCommand(words);
  const std::string out = testing::internal::GetCapturedStdout();
  return {exit_code, out, testing::internal::GetCapturedStderr()};
}

TEST(RunCommandTest, RunsASavedModel) {
  const std::string model = "graph/saved/testdata/model";
  for (const char* engine : {"optimized", "reference"}) {
    const Outcome served = Capture({model, "--feed", "x=[[1,2]]", "--engine", engine});
    EXPECT_EQ(served.exit_code, kExitOk) << served.err;
    EXPECT_NE(served.out.find("calls: int64[] 8\n"), std::string::npos) << served.out;
    EXPECT_NE(served.out.find("y: double[1,3] [[6.5, 7.5, 14.5]]\n"), std::string::npos)
        << served.out;
    const Outcome again = Capture(
        {model, "--feed", "x=[[1,2]]", "--engine", engine, "--repeat", "3", "--fetch", "calls"});
    EXPECT_EQ(again.out, "calls: int64[] 10\n") << again.err;
    const Outcome counted =
        Capture({model, "--signature", "count", "--feed", "n=10", "--engine", engine});
    EXPECT_EQ(counted.out, "total: int32[] 18\n") << counted.err;
  }
  EXPECT_EQ(Capture({model, "--signature", "count", "--feed", "n=10", "--races"}).out,
            "no race: whatever touches the same is in order\n"
            "1 outcome, of 1 order tried\n  total: int32[] 18\n");
  const Outcome restored = Capture({model, "--feed", "x=[[1,2]]", "--races"});
  EXPECT_NE(restored.out.find("  calls: int64[] 8\n"), std::string::npos) << restored.out;
  EXPECT_EQ(Capture({model, "--signature", "none"}).exit_code, kExitBadInput);
  EXPECT_EQ(Capture({model, "--tags", "none"}).exit_code, kExitBadInput);
}

TEST(RunCommandTest, RunsASavedModelWithTables) {
  for (const char* engine : {"optimized", "reference"}) {
    const Outcome done = Capture({"graph/saved/testdata/tables", "--signature", "serving_default",
                                  "--feed", "words=[\"a\",\"c d\",\"q\"]", "--engine", engine});
    EXPECT_EQ(done.exit_code, kExitOk) << done.err;
    EXPECT_EQ(done.out,
              "names: string[3] [\"zero\", \"many\", \"many\"]\nnumbers: int64[3] [0, 2, 4]\n"
              "seen: int64[3] [10, -1, -1]\n");
  }
}

TEST(RunCommandTest, WritesTimesForThePlacer) {
  const std::string path = testing::TempDir() + "/times.txt";
  const std::vector<std::string> words = {GraphFile(), "--feed", "x=2",     "--fetch", "y",
                                          "--repeat",  "4",      "--times", path};
  const Outcome done = Capture(words);
  ASSERT_EQ(done.exit_code, kExitOk) << done.err;
  EXPECT_EQ(done.out, "y: float[] -2\n");
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Result<MeasuredTimes> times = ParseMeasuredTimes(text);
  ASSERT_TRUE(times.ok()) << times.status().ToString() << text;
  ASSERT_EQ(times->size(), 1u) << text;
  EXPECT_EQ(times->at("y").firings, 1);
  EXPECT_GT(times->at("y").mean_ns, 0);
}

TEST(RunCommandTest, PrintsWhatIsFetched) {
  const Outcome done = Capture({GraphFile(), "--feed", "x=2.5", "--fetch", "y"});
  EXPECT_EQ(done.exit_code, kExitOk);
  EXPECT_EQ(done.out, "y: float[] -2.5\n");
  EXPECT_EQ(done.err, "");
}

TEST(RunCommandTest, EitherEngineRunsTheGraph) {
  for (const char* engine :
       {"reference", "optimized", "optimized:2", "optimized-simplified", "optimized-tokens:3:7"}) {
    const Outcome done = Capture({GraphFile(kSum), "--engine", engine, "--init", "zero", "--repeat",
                                  "3", "--feed", "x=2", "--fetch", "more", "--threads", "2"});
    EXPECT_EQ(done.exit_code, kExitOk) << done.err;
    EXPECT_EQ(done.out, "more: int32[] 6\n");
    EXPECT_EQ(Capture({GraphFile(), "--engine", engine, "--fetch", "y"}).exit_code, kExitBadInput);
  }
  EXPECT_EQ(Capture({GraphFile(), "--engine", "none", "--fetch", "y"}).exit_code, kExitUsage);
}

TEST(RunCommandTest, CountsAndTimesKernelsOfTheEngine) {
  const std::vector<std::string> words = {
      GraphFile(kSum), "--init", "zero",    "--repeat", "3",
      "--feed",        "x=2",    "--fetch", "more",     "--stats"};
  auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return Capture(all);
  };
  const Outcome text = with({"--engine", "optimized"});
  EXPECT_EQ(text.exit_code, kExitOk) << text.err;
  EXPECT_THAT(text.out, testing::StartsWith("more: int32[] 6\n\n3 steps in "));
  EXPECT_THAT(text.out, testing::ContainsRegex("\nnode +op +kernels +total"));
  EXPECT_THAT(text.out, testing::ContainsRegex("\nmore +AssignAdd +3 "));
  EXPECT_THAT(with({"--engine", "optimized", "--json"}).out,
              testing::HasSubstr(R"("files":[],"stats":{"steps":3,)"));
  EXPECT_EQ(with({"--engine", "reference"}).exit_code, kExitUsage);
}

TEST(RunCommandTest, AStepThatFailsHasStatisticsToo) {
  const std::vector<std::string> words = {GraphFile(kSum), "--feed",   "x=2",       "--fetch",
                                          "more",          "--engine", "optimized", "--stats"};
  const Outcome failed = Capture(words);  // the variable has no value
  EXPECT_EQ(failed.exit_code, kExitFailed);
  EXPECT_THAT(failed.out, testing::StartsWith("1 step in "));
}

TEST(RunCommandTest, TracesTheLastStepOfTheEngine) {
  const std::string trace = testing::TempDir() + "/kernels.json";
  const Outcome done =
      Capture({GraphFile(kSum), "--init", "zero", "--repeat", "3", "--feed", "x=2", "--fetch",
               "more", "--engine", "optimized", "--trace", trace, "--stats"});
  EXPECT_EQ(done.exit_code, kExitOk) << done.err;
  std::ifstream file(trace);
  std::string last;
  int kernels = 0;
  for (std::string line; std::getline(file, line); last = line) {
    kernels += line.find("\"AssignAdd\"") != line.npos;
  }
  EXPECT_EQ(kernels, 1);
  EXPECT_EQ(last, "]}");
}

TEST(RunCommandTest, PassesAreChosenByName) {
  const std::vector<std::string> run = {GraphFile(kSum), "--init",  "zero", "--feed",
                                        "x=2",           "--fetch", "more"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), run.begin(), run.end());
    return Capture(more);
  };
  for (const char* passes : {"none", "all", "constants,duplicates"}) {
    EXPECT_EQ(with({"--engine", "optimized", "--passes", passes}).out, "more: int32[] 2\n");
  }
  EXPECT_EQ(with({"--engine", "optimized", "--passes", "some"}).exit_code, kExitUsage);
  EXPECT_EQ(with({"--passes", "all"}).out, "more: int32[] 2\n");
  EXPECT_EQ(with({"--engine", "reference", "--passes", "all"}).exit_code, kExitUsage);
}

TEST(RunCommandTest, EachKindOfFailureHasItsExitCode) {
  EXPECT_EQ(Capture({}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({GraphFile(), "--fetch", "y"}).exit_code, kExitBadInput);
  // A folder that would have to be made inside a file.
  EXPECT_EQ(Capture({GraphFile(), "--feed", "x=1", "--fetch", "y", "--out", GraphFile() + "/a"})
                .exit_code,
            kExitFailed);
}

TEST(RunCommandTest, InitializesVariablesAndRepeatsTheStep) {
  const std::vector<std::string> words = {GraphFile(kSum), "--feed", "x=5", "--fetch", "more"};
  auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return Capture(all);
  };
  EXPECT_EQ(with({}).exit_code, kExitFailed);  // the variable has no value
  EXPECT_EQ(with({"--init", "zero"}).out, "more: int32[] 5\n");
  EXPECT_EQ(with({"--init", "zero", "--repeat", "4"}).out, "more: int32[] 20\n");
  EXPECT_EQ(with({"--init", "nobody"}).exit_code, kExitBadInput);
  // What initializes may be fed.
  EXPECT_EQ(with({"--init", "fed"}).out, "more: int32[] 10\n");
  EXPECT_EQ(with({"--init", "zero", "--repeat", "0"}).exit_code, kExitUsage);
}

TEST(RunCommandTest, ADeadTargetIsNotedAndNoError) {
  for (const char* engine : {"reference", "optimized", "optimized-tokens:2"}) {
    const auto run = [engine](const char* p, const std::vector<std::string>& more) {
      std::vector<std::string> words = {GraphFile(kBranch), "--engine", engine, "--feed", p};
      words.insert(words.end(), more.begin(), more.end());
      return Capture(words);
    };
    const Outcome dead = run("p=false", {"--target", "train"});
    EXPECT_EQ(dead.exit_code, kExitOk);
    EXPECT_EQ(dead.out, "");
    EXPECT_EQ(dead.err, "note: target 'train' was dead: it did not run\n");
    EXPECT_EQ(run("p=true", {"--target", "train"}).err, "");
    EXPECT_EQ(run("p=false", {"--init", "train", "--target", "one"}).err, dead.err);
  }
}

TEST(RunCommandTest, TheFastEngineRunsUnlessTheReferenceIsAskedFor) {
  const std::vector<std::string> words = {GraphFile(), "--feed", "x=2", "--fetch", "y"};
  const auto with = [&words](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return Capture(all);
  };
  EXPECT_THAT(with({"--stats"}).out, testing::HasSubstr("1 step in "));
  EXPECT_THAT(with({"--devices", "SIM"}).err, testing::HasSubstr("/device:SIM:0: 1 kernel in "));
  EXPECT_THAT(with({"--devices", "SIM", "--stats"}).err,
              testing::HasSubstr("the call ran by tokens: '/device:SIM:0' has no streams"));
  const Outcome seeded = with({"--seed", "3"});
  EXPECT_EQ(seeded.out, "y: float[] -2\n");
  EXPECT_EQ(seeded.err, "note: --seed 3: the reference runs the step\n");
  const std::string trace = testing::TempDir() + "/tokens.jsonl";
  EXPECT_EQ(with({"--trace", trace}).err,
            "note: --trace " + trace + ": the reference runs the step\n");
  std::string line;
  std::getline(std::ifstream(trace) >> std::ws, line);
  EXPECT_THAT(line, testing::StartsWith("{\"firing\":"));
  EXPECT_EQ(with({"--seed", "3", "--stats"}).exit_code, kExitUsage);
}

TEST(RunCommandTest, TellsRaces) {
  const Outcome found = Capture({GraphFile(kSum), "--feed", "x=2", "--init", "zero", "--target",
                                 "more", "--fetch", "value", "--races"});
  EXPECT_EQ(found.exit_code, kExitOk);
  EXPECT_EQ(found.err, "note: --races: the reference runs the step\n");
  EXPECT_THAT(found.out, testing::HasSubstr("'more' and 'value' are not ordered"));
  EXPECT_THAT(found.out, testing::HasSubstr("2 outcomes"));
  EXPECT_EQ(Capture({GraphFile(kSum), "--fetch", "none", "--races"}).exit_code, kExitBadInput);
}

TEST(RunCommandTest, LargeResultsAreSummarized) {
  std::string list = "x=[0";
  for (int i = 1; i < 2000; ++i) list += "," + std::to_string(i);
  const std::vector<std::string> words = {GraphFile(), "--feed", list + "]", "--fetch", "y"};
  EXPECT_EQ(Capture(words).out, "y: float[2000] [-0, -1, -2, ..., -1997, -1998, -1999]\n");
  std::vector<std::string> full = words;
  full.push_back("--full");
  EXPECT_EQ(Capture(full).out.find("..."), std::string::npos);
}

TEST(RunCommandTest, HelpNamesEveryOption) {
  const std::string help = Capture({"--help"}).out;
  for (const char* option :
       {"--feed", "--fetch", "--target", "--out", "--trace", "--max-steps", "--deadline", "--seed",
        "--json", "--init", "--repeat", "--stats", "--passes", "--full", "--races"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

TEST(InterruptTest, TheFirstSignalIsOnlyNoted) {
  CatchInterrupts();
  EXPECT_FALSE(Interrupted());
  raise(SIGINT);
  EXPECT_TRUE(Interrupted());
  EXPECT_EXIT(raise(SIGINT), testing::KilledBySignal(SIGINT), "");
}

TEST(ProgressLineTest, SaysNothingWhereThereIsNoTerminal) {
  testing::internal::CaptureStderr();
  {
    ProgressLine line("running");
    line.Update(1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tagflow::cli
