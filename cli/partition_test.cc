#include <gtest/gtest.h>

#include <fstream>

#include "cli/commands.h"
#include "conformance/command/args.h"
#include "graph/io/import.h"
#include "reference/partitioned.h"

namespace tagflow::cli {
namespace {

std::string GraphFile(const std::string& square_device) {
  const std::string path = testing::TempDir() + "/cut.pbtxt";
  std::ofstream(path) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
    node { name: "square" op: "Square" input: "x" device: ")" +
                             square_device + R"("
      attr { key: "T" value { type: DT_INT32 } } }
    node { name: "out" op: "Neg" input: "square" attr { key: "T" value { type: DT_INT32 } } }
    node { name: "other" op: "Neg" input: "x" attr { key: "T" value { type: DT_INT32 } } }
  )";
  return path;
}

struct Outcome {
  int exit_code;
  std::string out;
  std::string error;
};

Outcome Partition(std::vector<std::string> words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = PartitionCommand(words);
  const std::string out = testing::internal::GetCapturedStdout();
  return {exit_code, out, testing::internal::GetCapturedStderr()};
}

constexpr char kDevices[] = "--devices=/device:CPU:0,/device:CPU:1";

TEST(PartitionCommandTest, WritesPartsThatRunTogether) {
  const std::string folder = testing::TempDir() + "/parts";
  for (const bool text : {false, true}) {
    std::vector<std::string> words = {
        GraphFile("/device:CPU:1"), kDevices, "--out", folder, "--fetch", "out"};
    if (text) words.push_back("--text");
    const Outcome outcome = Partition(words);
    ASSERT_EQ(outcome.exit_code, kExitOk) << outcome.error;
    const std::string suffix = text ? ".pbtxt" : ".pb";
    EXPECT_EQ(outcome.out, folder + "/part_0" + suffix +
                               "  /device:CPU:0  4 nodes, 1 Send, 1 Recv\n" + folder + "/part_1" +
                               suffix + "  /device:CPU:1  3 nodes, 1 Send, 1 Recv\n");
    const Result<Graph> a = ReadGraphFile(folder + "/part_0" + suffix);
    const Result<Graph> b = ReadGraphFile(folder + "/part_1" + suffix);
    ASSERT_TRUE(a.ok() && b.ok());
    reference::PartitionedSession session({&*a, &*b});
    const auto values = session.Run({{"x", Tensor::Scalar<int32_t>(3)}}, {"out"});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ((*values)[0].scalar<int32_t>(), -9);
  }
}

TEST(PartitionCommandTest, TheWholeGraphWhereNothingIsFetched) {
  const std::string folder = testing::TempDir() + "/whole";
  const Outcome outcome = Partition({GraphFile("/device:CPU:1"), kDevices, "--out", folder});
  EXPECT_NE(outcome.out.find("5 nodes, 1 Send, 1 Recv"), std::string::npos) << outcome.out;
  const Outcome fed = Partition({GraphFile("/device:CPU:1"), kDevices, "--out", folder, "--fetch",
                                 "out", "--feed", "square"});
  EXPECT_NE(fed.out.find("/device:CPU:1  2 nodes, 1 Send, 0 Recvs"), std::string::npos) << fed.out;
}

TEST(PartitionCommandTest, ByCostSmallThingsStayTogether) {
  const std::string folder = testing::TempDir() + "/by_cost";
  const std::string devices = "--devices=/device:CPU:1,/device:CPU:0";
  const Outcome asked = Partition({GraphFile("/device:CPU:0"), devices, "--out", folder});
  EXPECT_NE(asked.out.find("/device:CPU:1  5 nodes, 1 Send, 1 Recv\n"), std::string::npos)
      << asked.out;
  const Outcome by_cost =
      Partition({GraphFile("/device:CPU:0"), devices, "--by-cost", "--out", folder});
  EXPECT_NE(by_cost.out.find("/device:CPU:1  0 nodes"), std::string::npos) << by_cost.out;
  EXPECT_NE(by_cost.out.find("/device:CPU:0  4 nodes, 0 Sends, 0 Recvs\n"), std::string::npos)
      << by_cost.out;
}

TEST(PartitionCommandTest, SaysWhatIsWrong) {
  const std::string graph = GraphFile("/device:GPU:0");
  const Outcome gone = Partition({graph, kDevices, "--out", testing::TempDir() + "/gone"});
  EXPECT_EQ(gone.exit_code, kExitFailed);
  EXPECT_NE(gone.error.find("'/device:GPU:0' is not there"), std::string::npos) << gone.error;
  const std::string out = "--out=" + testing::TempDir();
  EXPECT_EQ(Partition({graph, out}).exit_code, kExitUsage);
  EXPECT_EQ(Partition({graph, "--devices=a,,b", out}).exit_code, kExitUsage);
  EXPECT_EQ(Partition({graph, "--devices=a,a", out}).exit_code, kExitUsage);
  EXPECT_EQ(Partition({kDevices, out}).exit_code, kExitUsage);
  EXPECT_EQ(Partition({"no/such", kDevices, out}).exit_code, kExitBadInput);
  EXPECT_EQ(Partition({graph, kDevices, out, "--fetch", "nobody"}).exit_code, kExitBadInput);
  EXPECT_EQ(Partition({"--help"}).exit_code, kExitOk);
}

}  // namespace
}  // namespace tagflow::cli
