// Tests: command.cc
//
// Every command that reads or runs a graph knows the ops of the library it is given.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "conformance/command/args.h"

namespace tagflow::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kGraph = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
  node { name: "y" op: "Test>Twice" input: "x" }
)";

std::string Case() {
  const std::string value = "value { dtype: DT_INT32 tensor_shape {} int_val: ";
  return "name: 'twice' graph {" + std::string(kGraph) + "} steps { feeds { name: 'x' " + value +
         "21 } } fetches: 'y' expect { any_of { " + value.substr(value.find('{') + 1) + "42 } } }";
}

class OwnOpsTest : public ::testing::Test {
 protected:
  OwnOpsTest() {
    EXPECT_TRUE(RegisterStandardOps(ops_).ok());
    EXPECT_TRUE(
        ops_.Register(OpDefBuilder("Test>Twice").Input("x: int32").Output("y: int32")).ok());
    EXPECT_TRUE(reference::RegisterStandardKernels(kernels_).ok());
    EXPECT_TRUE(kernels_
                    .Register("Test>Twice",
                              [](reference::KernelContext& context) {
                                const int32_t x = context.inputs[0].scalar<int32_t>();
                                context.outputs[0] = Tensor::Scalar<int32_t>(x * 2);
                                return Status();
                              })
                    .ok());
  }

  std::string File(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  // What is printed, after the exit code.
  std::string Tagflow(std::vector<std::string> words, const OpLibrary& library) {
    words.insert(words.begin(), "tagflow");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = Main(static_cast<int>(argv.size()), argv.data(), library);
    const std::string out = testing::internal::GetCapturedStdout();
    return std::to_string(code) + " " + out + testing::internal::GetCapturedStderr();
  }

  // Whether the command succeeds with the op, saying `says`, and fails or complains without it.
  void KnowsTheOp(const std::vector<std::string>& words, const std::string& says) {
    EXPECT_THAT(Tagflow(words, {&ops_, &kernels_}), HasSubstr("0 " + says)) << words[0];
    EXPECT_THAT(Tagflow(words, {}), Not(HasSubstr("0 " + says))) << words[0];
  }

  OpRegistry ops_;
  reference::KernelRegistry kernels_;
};

TEST_F(OwnOpsTest, EveryCommandKnowsThem) {
  const std::string graph = File("twice.pbtxt", kGraph);
  KnowsTheOp({"run", graph, "--feed", "x=21", "--fetch", "y", "--engine", "reference"},
             "y: int32[] 42\n");
  KnowsTheOp({"run", graph, "--feed", "x=21", "--fetch", "y", "--races"}, "no race: ");
  KnowsTheOp(
      {"show", graph, "--check"},
      "only where a call needs the node:\n  feed x: int32 of any shape\n0 things are wrong\n");
  KnowsTheOp({"diff", graph, "--engine", "reference:3", "--feed", "x=1", "--fetch", "y"},
             "no difference in ");
  const std::string test = File("twice.textproto", Case());
  KnowsTheOp({"diff", test, "--engine", "reference:3"}, "no difference in ");
  KnowsTheOp({"check", "--in-process", test}, "1 case: 1 passed");
}

TEST_F(OwnOpsTest, AnOpWithoutAKernelCanBeReadAndNotRun) {
  const OpLibrary library{.ops = &ops_};
  const std::string graph = File("twice.pbtxt", kGraph);
  EXPECT_THAT(Tagflow({"show", graph, "--check"}, library), HasSubstr("\n0 things"));
  EXPECT_THAT(Tagflow({"run", graph, "--feed", "x=1", "--fetch", "y"}, library),
              HasSubstr("UNIMPLEMENTED"));
}

TEST_F(OwnOpsTest, WhatIsNoCommandIsAWrongCommandLine) {
  EXPECT_THAT(Tagflow({"walk"}, {}), HasSubstr("2 error: there is no command 'walk'"));
}

}  // namespace
}  // namespace tagflow::cli
