// Tests: grad.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/commands.h"
#include "conformance/command/args.h"

namespace tagflow::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFloat = R"(attr { key: "T" value { type: DT_FLOAT } })";

std::string Node(const std::string& name, const std::string& op, const std::string& inputs,
                 const std::string& attrs = kFloat) {
  return "node { name: '" + name + "' op: '" + op + "' input: [" + inputs + "] " + attrs + " }\n";
}

// "raised" is v, after a loop of `trips` iterations of v = v * x, from 1.
std::string LoopText(int trips) {
  const auto attrs = [](const std::string& type) {
    return "attr { key: 'T' value { type: " + type + " } } ";
  };
  const auto constant = [&](const std::string& name, const std::string& type,
                            const std::string& value, const std::string& control) {
    return Node(name, "Const", control,
                "attr { key: 'dtype' value { type: " + type + " } } attr { key: 'value' value { " +
                    "tensor { dtype: " + type + " tensor_shape {} " + value + " } } }");
  };
  const auto variable = [&](const std::string& name, const std::string& type,
                            const std::string& next) {
    const std::string enter = attrs(type) + "attr { key: 'frame_name' value { s: 'power' } } ";
    return Node(name + "_in", "Enter", "'" + name + "_0'", enter) +
           Node(name, "Merge", "'" + name + "_in', '" + name + "_next'",
                attrs(type) + "attr { key: 'N' value { i: 2 } }") +
           Node(name + "_ports", "Switch", "'" + name + "', 'goes_on'", attrs(type)) +
           Node(name + "_next", "NextIteration", "'" + next + "'", attrs(type));
  };
  const std::string fed = R"(attr { key: "dtype" value { type: DT_FLOAT } }
                             attr { key: "shape" value { shape {} } })";
  return Node("x", "Placeholder", "", fed) + constant("i_0", "DT_INT32", "int_val: 0", "") +
         constant("v_0", "DT_FLOAT", "float_val: 1", "") +
         Node("x_in", "Enter", "'x'",
              attrs("DT_FLOAT") + "attr { key: 'frame_name' value { s: 'power' } } " +
                  "attr { key: 'is_constant' value { b: true } }") +
         variable("i", "DT_INT32", "i_more") + variable("v", "DT_FLOAT", "v_more") +
         constant("limit", "DT_INT32", "int_val: " + std::to_string(trips), "'^i'") +
         Node("less", "Less", "'i', 'limit'", attrs("DT_INT32")) +
         Node("goes_on", "LoopCond", "'less'", "") +
         constant("one", "DT_INT32", "int_val: 1", "'^v_same'") +
         Node("v_same", "Identity", "'v_ports:1'", attrs("DT_FLOAT")) +
         Node("i_more", "AddV2", "'i_ports:1', 'one'", attrs("DT_INT32")) +
         Node("v_more", "Mul", "'v_same', 'x_in'", attrs("DT_FLOAT")) +
         Node("raised", "Exit", "'v_ports:0'", attrs("DT_FLOAT"));
}

// y = x * x + z, rounded: floor(x), odd: an op that has no gradient, count: int32.
std::string Text() {
  const std::string fed = R"(attr { key: "dtype" value { type: DT_FLOAT } }
                             attr { key: "shape" value { shape {} } })";
  return Node("x", "Placeholder", "", fed) + Node("z", "Placeholder", "", fed) +
         Node("alone", "Placeholder", "", fed) + Node("square", "Mul", "'x', 'x'") +
         Node("y", "AddV2", "'square', 'z'") + Node("rounded", "Floor", "'x'") +
         Node("odd", "RandomShuffle", "'x'") +
         Node("count", "Size", "'x'",
              std::string(kFloat) + "attr { key: 'out_type' value { type: DT_INT32 } }");
}

std::string Read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

class GradCommandTest : public ::testing::Test {
 protected:
  GradCommandTest() { std::ofstream(graph_) << Text(); }
  ~GradCommandTest() override { std::filesystem::remove_all(folder_); }

  Outcome Capture(int (*command)(const std::vector<std::string>&, const OpLibrary&),
                  std::vector<std::string> words, const OpLibrary& library = {}) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = command(words, library);
    const std::string out = testing::internal::GetCapturedStdout();
    return {exit_code, out, testing::internal::GetCapturedStderr()};
  }
  // Of the graph, into made_, unless `more` has another -o.
  Outcome Grad(std::vector<std::string> more, const OpLibrary& library = {}) {
    more.insert(more.begin(), {graph_, "-o", made_});
    return Capture(GradCommand, more, library);
  }
  // What `tensor` of the graph that was made is where x = 3 and z = 5.
  std::string Value(const std::string& tensor) {
    const Outcome run =
        Capture(RunCommand, {made_, "--feed", "x=3", "--feed", "z=5", "--fetch", tensor});
    return run.out + run.err;
  }
  // The gradient's name, from a line "x: name".
  static std::string NameIn(const std::string& line) {
    return line.substr(line.find(": ") + 2, line.find('\n') - line.find(": ") - 2);
  }

  const std::string folder_ = [] {
    const std::string made = testing::TempDir() + "/grad_test";
    std::filesystem::create_directories(made);
    return made;
  }();
  const std::string graph_ = folder_ + "/graph.pbtxt";
  const std::string made_ = folder_ + "/made.pbtxt";
};

TEST_F(GradCommandTest, WritesTheGraphAndSaysWhatTheGradientsAreCalled) {
  const Outcome done = Grad({"--of", "y", "--wrt", "x"});
  EXPECT_EQ(done.exit_code, kExitOk) << done.err;
  EXPECT_THAT(done.out, testing::MatchesRegex("x: gradients/[^\n]*\n"));
  const std::string name = NameIn(done.out);
  EXPECT_EQ(Value(name), name + ": float[] 6\n");
  EXPECT_EQ(Value("y"), "y: float[] 14\n");
}

// y = x a + b, where a is the variable `scale`: by x the sums of its rows, by it x in each column.
TEST_F(GradCommandTest, OfAModelIsAModelWhoseSignatureGivesTheGradients) {
  const std::string model = folder_ + "/model";
  const std::vector<std::string> words = {
      "graph/saved/testdata/model", "-o", model, "--of", "y", "--wrt", "x", "--wrt", "scale"};
  const Outcome done = Capture(GradCommand, words);
  EXPECT_EQ(done.exit_code, kExitOk) << done.err;
  EXPECT_THAT(done.out, testing::MatchesRegex("x: gradients/[^\n]*\nscale: gradients/[^\n]*\n"));
  const Outcome run = Capture(RunCommand, {model, "--feed", "x=[[1,2]]"});
  EXPECT_THAT(run.out + run.err, HasSubstr("gradients/x: float[1,2] [[3, 12]]\n"));
  EXPECT_THAT(run.out, HasSubstr("gradients/scale: float[2,3] [[1, 1, 1], [2, 2, 2]]\n"));
  EXPECT_THAT(run.out, HasSubstr("y: double[1,3] [[6.5, 7.5, 14.5]]\n"));
  EXPECT_THAT(Capture(GradCommand, words).err, HasSubstr("is there already"));
}

TEST_F(GradCommandTest, ASignatureThatAModelLacksIsNamed) {
  const Outcome done = Capture(GradCommand, {"graph/saved/testdata/model", "-o", folder_ + "/none",
                                             "--signature", "other", "--of", "y", "--wrt", "x"});
  EXPECT_EQ(done.exit_code, kExitBadInput);
  EXPECT_THAT(done.err, HasSubstr("the model has no signature 'other'"));
}

TEST_F(GradCommandTest, EveryXHasALine) {
  const Outcome done = Grad({"--of", "y", "--wrt", "x", "--wrt", "alone", "--wrt=z"});
  EXPECT_EQ(done.exit_code, kExitOk) << done.err;
  EXPECT_THAT(done.out, testing::MatchesRegex("x: [^\n]*\nalone: none\nz: [^\n]*\n"));
}

TEST_F(GradCommandTest, ZerosOnRequestWhereNoPathLeads) {
  EXPECT_EQ(Grad({"--of", "rounded", "--wrt", "x"}).out, "x: none\n");
  const std::string name = NameIn(Grad({"--of", "rounded", "--wrt", "x", "--zeros"}).out);
  EXPECT_EQ(Value(name), name + ": float[] 0\n");
}

TEST_F(GradCommandTest, SeveralYsAreAddedUpWithTheirWeights) {
  const Outcome sum = Grad({"--of", "y", "--of", "square", "--wrt", "x"});
  EXPECT_EQ(Value(NameIn(sum.out)), NameIn(sum.out) + ": float[] 12\n");
  const Outcome weighted =
      Grad({"--of", "y", "--of", "square", "--grad-y", "z", "--grad-y", "x", "--wrt", "x"});
  EXPECT_EQ(Value(NameIn(weighted.out)), NameIn(weighted.out) + ": float[] 48\n");
}

TEST_F(GradCommandTest, TheEndingOfTheFileSaysItsForm) {
  const std::string binary = folder_ + "/made.pb";
  ASSERT_EQ(Grad({"--of", "y", "--wrt", "x", "-o", binary}).exit_code, kExitOk);
  ASSERT_EQ(Grad({"--of", "y", "--wrt", "x"}).exit_code, kExitOk);
  EXPECT_THAT(Read(made_), testing::StartsWith("node {"));
  EXPECT_THAT(Read(binary), Not(HasSubstr("node {")));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/x"));
}

TEST_F(GradCommandTest, AGradientCanBeTakenOfAGradientInPlace) {
  const std::string first = NameIn(Grad({"--of", "y", "--wrt", "x", "-o", graph_}).out);
  const Outcome second = Grad({"--of", first, "--wrt", "x"});
  EXPECT_EQ(second.exit_code, kExitOk) << second.err;
  EXPECT_EQ(Value(NameIn(second.out)), NameIn(second.out) + ": float[] 2\n");
}

TEST_F(GradCommandTest, AGradientOfOnesOwn) {
  GradientRegistry gradients;
  ASSERT_TRUE(gradients
                  .Register("Floor",
                            [](NodeGradient& node) {
                              node.Give(0, node.grad(0));
                              return Status();
                            })
                  .ok());
  const Outcome done = Grad({"--of", "rounded", "--wrt", "x"}, {.gradients = &gradients});
  EXPECT_EQ(Value(NameIn(done.out)), NameIn(done.out) + ": float[] 1\n");
}

TEST_F(GradCommandTest, LoopsRunAgainOnRequest) {
  std::ofstream(graph_) << LoopText(5);
  for (const char* how : {"*", "power", "power,states=2", "*,states=1", "power,states=3,trips=5"}) {
    const Outcome done = Grad({"--of", "raised", "--wrt", "x", "--remat", how});
    ASSERT_EQ(done.exit_code, kExitOk) << done.err;
    EXPECT_THAT(Read(made_), HasSubstr("power_grad")) << how;
    const Outcome run = Capture(RunCommand, {made_, "--feed", "x=3", "--fetch", NameIn(done.out)});
    EXPECT_EQ(run.out, NameIn(done.out) + ": float[] 405\n") << how << run.err;
  }
  const auto fails = [&](const std::string& how, int exit_code, const std::string& says) {
    const Outcome done = Grad({"--of", "raised", "--wrt", "x", "--remat", how});
    EXPECT_EQ(done.exit_code, exit_code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(says));
  };
  fails("power,states=two", kExitUsage, "'two' is no number");
  fails("power,states=2,trips=", kExitUsage, "'' is no number");
  fails("power,states=0", kExitBadInput, "1 saved state at least");
  fails("power,states=2,trips=4", kExitBadInput, "makes 5 iterations, not 4");
  fails("tower", kExitBadInput,
        "there is no loop 'tower' to be rematerialized: the loop is 'power'");
}

TEST_F(GradCommandTest, AnXInALoopIsAnErrorThatSaysWhatToTake) {
  std::ofstream(graph_) << LoopText(5);
  for (const auto& [x, instead] : {std::pair("v_more", "computed from ('x'"),
                                   std::pair("v", "'v_0'"), std::pair("x_in", "'x'")}) {
    const Outcome done = Grad({"--of", "raised", "--wrt", x});
    EXPECT_EQ(done.exit_code, kExitBadInput);
    EXPECT_THAT(done.err, HasSubstr("is in frame 'power'"));
    EXPECT_THAT(done.err, HasSubstr(instead));
  }
}

TEST_F(GradCommandTest, ErrorsNameWhatIsWrongAndWriteNothing) {
  const auto fails = [&](const std::vector<std::string>& words, int exit_code,
                         const std::string& says) {
    const Outcome done = Grad(words);
    EXPECT_EQ(done.exit_code, exit_code) << done.err;
    EXPECT_THAT(done.err, testing::StartsWith("error: "));
    EXPECT_THAT(done.err, HasSubstr(says));
    EXPECT_EQ(done.out, "");
    EXPECT_FALSE(std::filesystem::exists(made_));
  };
  fails({"--wrt", "x"}, kExitUsage, "--of NAME");
  fails({"--of", "y"}, kExitUsage, "--wrt NAME");
  fails({"--of", "y", "--wrt", "x", "-o="}, kExitUsage, "grad takes one graph");
  fails({"--of", "y", "--wrt", "x", "-o", ""}, kExitUsage, "-o FILE");
  fails({"--of", "y", "--wrt", "x", "--fast"}, kExitUsage, "there is no option --fast");
  fails({"--of", "yy", "--wrt", "x"}, kExitBadInput, "--of yy: the graph has no node 'yy'");
  fails({"--of", "y", "--wrt", "x:1"}, kExitBadInput, "--wrt x:1");
  fails({"--of", "y", "--wrt", "x", "--grad-y", "no"}, kExitBadInput, "--grad-y no");
  fails({"--of", "y", "--wrt", "x", "--grad-y", "count"}, kExitBadInput, "'count'");
  fails({"--of", "count", "--wrt", "x"}, kExitBadInput, "node:   count");
  fails({"--of", "odd", "--wrt", "x"}, kExitBadInput,
        "the op RandomShuffle of 'odd' has no gradient");
  fails({"--of", "y", "--wrt", "x", "-o", folder_}, kExitFailed, "cannot write");
}

TEST_F(GradCommandTest, WithoutAFileOrGraph) {
  EXPECT_EQ(Capture(GradCommand, {graph_, "--of", "y", "--wrt", "x"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture(GradCommand, {graph_, "--of", "y", "--wrt", "x", "-o"}).exit_code, kExitUsage);
  EXPECT_EQ(
      Capture(GradCommand, {folder_ + "/no", "--of", "y", "--wrt", "x", "-o", made_}).exit_code,
      kExitBadInput);
  const Outcome help = Capture(GradCommand, {"--help"});
  EXPECT_EQ(help.exit_code, kExitOk);
  for (const char* option : {"--of", "--wrt", "--grad-y", "--zeros", "--remat", "-o"}) {
    EXPECT_THAT(help.out, HasSubstr("  " + std::string(option) + " "));
  }
}

}  // namespace
}  // namespace tagflow::cli
