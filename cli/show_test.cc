// Tests: show.cc, show_native.cc, show_placement.cc, placing.cc
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cli/commands.h"
#include "conformance/command/args.h"
#include "graph/io/export.h"
#include "graph/test_graph.h"
#include "optimized/devices/kinds.h"

namespace tagflow::cli {
namespace {

std::string GraphFile() {
  const std::string path = testing::TempDir() + "/lonely.pbtxt";
  std::ofstream(path) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  )";
  return path;
}

struct Outcome {
  int exit_code;
  std::string out;
};

Outcome Capture(std::vector<std::string> words) {
  testing::internal::CaptureStdout();
  const int exit_code = ShowCommand(words);
  return {exit_code, testing::internal::GetCapturedStdout()};
}

TEST(ShowCommandTest, DescribesAndChecks) {
  const Outcome shown = Capture({GraphFile()});
  EXPECT_EQ(shown.exit_code, kExitOk);
  EXPECT_NE(shown.out.find("x: float of any shape"), std::string::npos) << shown.out;
  EXPECT_EQ(Capture({GraphFile(), "--check"}).exit_code, kExitOk);
  EXPECT_EQ(Capture({GraphFile(), "--fly"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({"no/such"}).exit_code, kExitBadInput);
}

// i counts from 0 to n.
std::string LoopFile(const std::string& device = "") {
  TestGraph loop(R"(
    n = Placeholder() dtype=float
    zero = Const() dtype=float value=0
    e = Enter(zero) frame_name=loop
    k = Enter(n) frame_name=loop is_constant=true
    m = Merge(e, next)
    less = Less(m, k)
    c = LoopCond(less)
    s = Switch(m, c)
    body = Add(s:1, one)
    one = Const(^s) dtype=float value=1
    next = NextIteration(body)
    out = Exit(s:0)
  )",
                 OpRegistry::Standard());
  for (const char* node : {"less", "body"}) {
    loop.mutable_graph().mutable_node(loop.id(node)).device = device;
  }
  const std::string path = testing::TempDir() + "/loop.pbtxt";
  std::ofstream(path) << *ExportGraphToText(loop.graph());
  return path;
}

TEST(ShowCommandTest, ListsLoopsAsMachineCode) {
  const std::string path = LoopFile();
  const Outcome shown = Capture({path, "--native", "--feed", "n=5", "--fetch", "out", "--ir"});
  EXPECT_EQ(shown.exit_code, kExitOk);
  if (shown.out.find("there is no libtagflow_native.so") != std::string::npos) {
    GTEST_SKIP() << shown.out;
  }
  for (const char* part :
       {"straight code", "machine code, compiled in", "less:bool = Less(e:float, ",
        "body:float = Add(e:float, ", "repeat from", "define ", "fadd float"}) {
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << "\n" << shown.out;
  }
  EXPECT_EQ(Capture({path, "--native", "--feed", "n=five", "--fetch", "out"}).exit_code,
            kExitBadInput);
  EXPECT_EQ(Capture({path, "--native", "--dot"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({path, "--ir"}).exit_code, kExitUsage);
}

TEST(ShowCommandTest, WhatIsWrongIsApartFromWhatACallNeeds) {
  const std::string path = testing::TempDir() + "/partly.pbtxt";
  const auto checked = [&path](const std::string& more) {
    std::ofstream(path) << R"(
      node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "odd" op: "MadeUpOp" input: "x" }
      node { name: "twice" op: "Twice" input: "x" }
      library { function { signature { name: "Twice" input_arg { name: "x" type: DT_FLOAT } } } }
    )" << more;
    return Capture({path, "--check"});
  };
  const Outcome fine = checked("");
  EXPECT_EQ(fine.exit_code, kExitOk);
  for (const char* line : {"only where a call needs the node:\n", "  feed x: float of any shape\n",
                           "  node 'odd' needs the op 'MadeUpOp'", "\n0 things are wrong\n"}) {
    EXPECT_NE(fine.out.find(line), std::string::npos) << fine.out;
  }
  const Outcome wrong = checked(R"(node { name: "bad" op: "Neg" input: "x" input: "x"
                                          attr { key: "T" value { type: DT_FLOAT } } })");
  EXPECT_EQ(wrong.exit_code, kExitFailed);
  EXPECT_NE(wrong.out.find("\n1 thing is wrong\n"), std::string::npos) << wrong.out;
  checked("");
  const std::string shown = Capture({path}).out;
  EXPECT_NE(shown.find("functions of the graph called by name:\n"
                       "  Twice: 1 node, such as twice\n"),
            std::string::npos)
      << shown;
}

std::string ProductsFile(const std::string& device = "") {
  const std::string path = testing::TempDir() + "/products.pbtxt";
  const std::string type = R"(attr { key: "T" value { type: DT_FLOAT } })";
  const std::string shape = R"(attr { key: "dtype" value { type: DT_FLOAT } }
      attr { key: "shape" value { shape { dim { size: 512 } dim { size: 512 } } } })";
  std::ofstream(path) << R"(node { name: "x" op: "Placeholder" )" << shape << " }\n"
                      << R"(node { name: "a" op: "MatMul" input: "x" input: "x" )" << type << " }\n"
                      << R"(node { name: "b" op: "MatMul" input: "x" input: "x" device: ")"
                      << device << "\" " << type << " }\n"
                      << R"(node { name: "sum" op: "AddV2" input: "a" input: "b" )" << type
                      << " }\n"
                      << R"(node { name: "more" op: "Neg" input: "sum" )" << type << " }\n";
  return path;
}

TEST(ShowPlacementTest, ExplainsEachNode) {
  const Outcome shown = Capture({ProductsFile(), "--placement", "--devices",
                                 "/device:CPU:0,/device:CPU:1", "--fetch", "sum"});
  ASSERT_EQ(shown.exit_code, kExitOk);
  EXPECT_NE(shown.out.find("a step, as estimated\n  all on /device:CPU:0  135 ms\n"),
            std::string::npos)
      << shown.out;
  EXPECT_NE(shown.out.find("ms  chosen\n"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("greedy: done "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("and 1 that the call does not need\n"), std::string::npos) << shown.out;
}

TEST(ShowPlacementTest, DevicesHaveShortNames) {
  for (const char* devices : {"CPU:0,CPU:1", "cpu,CPU:1", "device:CPU:0,/device:CPU:1"}) {
    const Outcome shown =
        Capture({ProductsFile(), "--placement", "--devices", devices, "--fetch", "sum"});
    EXPECT_NE(shown.out.find("all on /device:CPU:0 "), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("all on /device:CPU:1 "), std::string::npos) << shown.out;
  }
  EXPECT_EQ(Capture({ProductsFile(), "--placement", "--devices=SIM,/device:SIM:0"}).exit_code,
            kExitUsage);
  EXPECT_EQ(Capture({ProductsFile(), "--placement", "--devices=SIM:x"}).exit_code, kExitUsage);
}

TEST(ShowPlacementTest, SaysByWhatTheCallWouldRun) {
  const auto how = [](const std::string& device) {
    const Outcome shown = Capture({LoopFile(device), "--placement", "--devices", "CPU," + device,
                                   "--fetch", "out", "--soft-placement"});
    return shown.out.substr(std::min(shown.out.find("the call would"), shown.out.size()));
  };
  EXPECT_EQ(how("/device:CPU:1"),
            "the call would run by tokens: 'n/_send_to_1_0_on_0' sends or receives, over 2 "
            "devices\n");
  EXPECT_EQ(how("/device:SIM:0"),
            "the call would run by tokens: '/device:SIM:0' has no streams, over 2 devices\n");
  const auto kinds = optimized::StandardDeviceKinds();
  const bool has_toolkit = std::ranges::any_of(kinds, [](const auto& kind) {
    return kind->name() == "GPU" && !kind->kernels()->Targets().empty();
  });
  EXPECT_EQ(how("/device:GPU:0"),
            !has_toolkit ? "the call would run by straight code\n"
                         : "the call would run by straight code, over 2 devices\n"
                           "  steps run at once where two are alike\n"
                           "  the loop of 'c' runs by the host, unless its predicate comes to be "
                           "on a device\n");
}

TEST(ShowPlacementTest, FunctionsAreLowered) {
  const Outcome shown = Capture({"graph/saved/testdata/model", "--placement", "--devices=CPU",
                                 "--fetch=StatefulPartitionedCall"});
  EXPECT_EQ(shown.exit_code, kExitOk);
  EXPECT_NE(shown.out.find("StatefulPartitionedCall/StatefulPartitionedCall/matmul"),
            std::string::npos)
      << shown.out;
}

TEST(ShowPlacementTest, SoftlyIsAsked) {
  const std::string graph = ProductsFile("/device:SIM:0");
  std::vector<std::string> words = {graph, "--placement", "--devices=/device:CPU:0,/device:SIM:0",
                                    "--without", "SIM:MatMul"};
  EXPECT_EQ(Capture(words).exit_code, kExitFailed);
  words.push_back("--soft-placement");
  const Outcome shown = Capture(words);
  EXPECT_EQ(shown.exit_code, kExitOk);
  EXPECT_NE(shown.out.find("softly: '/device:SIM:0' has no kernel for MatMul of float\n"),
            std::string::npos)
      << shown.out;
}

TEST(ShowPlacementTest, MeasuredTimesCount) {
  const std::string times = testing::TempDir() + "/times.txt";
  std::ofstream(times) << "a 1000 1\nb 1000 1\nsum 1000 1\nmore 1000 1\n";
  const std::vector<std::string> words = {ProductsFile(), "--placement", "--devices=/device:CPU:0",
                                          "--times=" + times};
  const Outcome shown = Capture(words);
  EXPECT_NE(shown.out.find("all on /device:CPU:0  4.1 us  chosen\n"), std::string::npos)
      << shown.out;
  std::ofstream(times) << "a\n";
  EXPECT_EQ(Capture(words).exit_code, kExitBadInput);
}

TEST(ShowPlacementTest, SaysWhatMakesNoSense) {
  const std::string graph = ProductsFile();
  const std::string devices = "--devices=/device:CPU:0";
  EXPECT_EQ(Capture({graph, "--placement"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({graph, devices}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({graph, "--placement", "--check", devices}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({graph, "--placement", "--devices=/nonsense"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({graph, "--placement", "--devices=/task:0"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({graph, "--placement", devices, "--without=Add"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({graph, "--placement", devices, "--without=SIM:add"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({graph, "--placement", devices, "--fetch=no"}).exit_code, kExitBadInput);
  EXPECT_EQ(Capture({graph, "--placement", devices, "--times=no/such"}).exit_code, kExitBadInput);
}

}  // namespace
}  // namespace tagflow::cli
