// Placements broken on purpose: each is found, and found for what it is.

#include "fuzz/placement/check.h"

#include <gtest/gtest.h>

#include "graph/op_def.h"
#include "graph/test_graph.h"

namespace tagflow::fuzz {
namespace {

class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    TestGraph test(R"(
      v = VarHandleOp() dtype=int32 shared_name=v
      one = Const() dtype=int32 value=1
      write = AssignVariableOp(v, one) dtype=int32
      read = ReadVariableOp(v, ^write) dtype=int32
      out = Square(read) T=int32
    )",
                   OpRegistry::Standard());
    test.mutable_graph().mutable_node(test.id("one")).device = "/device:CPU:*";
    question_.calls = {test.Call({}, {"out"})};
    question_.graph = test.Take();
    question_.catalog.AddDevice({"/device:CPU:0", "CPU"});
    question_.catalog.AddDevice({"/device:SIM:0", "SIM"});
    for (const NodeId id : question_.graph.NodeIds()) {
      const std::string& op = question_.graph.node(id).op;
      question_.catalog.AddKernel(op, "CPU", DType::kInt32);
      if (op != "Square") question_.catalog.AddKernel(op, "SIM", DType::kInt32);
    }
    report_ = *Place(question_.graph, question_.catalog, question_.options);
  }
  void Move(const std::string& name, const std::string& device) {
    report_.placement.device_of[Index(question_.graph.Find(name))] = device;
  }
  // What is said of the report now.
  std::string Found() const { return CheckPlacement(question_, report_).value_or("nothing"); }

  PlacementQuestion question_;
  PlacementReport report_;
};

TEST_F(CheckTest, FindsNothingInAGoodOne) { EXPECT_EQ(Found(), "nothing"); }

TEST_F(CheckTest, FindsADeviceThatIsNotThere) {
  Move("out", "/device:GPU:0");
  EXPECT_EQ(Found(), "node 'out' on '/device:GPU:0' is nowhere");
}

TEST_F(CheckTest, FindsAMissingKernel) {
  Move("out", "/device:SIM:0");
  EXPECT_EQ(Found(), "node 'out' on '/device:SIM:0' has no kernel there");
}

TEST_F(CheckTest, FindsABrokenGroup) {
  Move("read", "/device:SIM:0");
  EXPECT_EQ(Found(), "node 'read' on '/device:SIM:0' is not with 'v'");
}

TEST_F(CheckTest, FindsARequestThatWasNotHeard) {
  Move("one", "/device:SIM:0");
  EXPECT_EQ(Found(), "node 'one' on '/device:SIM:0' asks for '/device:CPU:*'");
  question_.options.soft = true;
  EXPECT_EQ(Found(), "node 'one' on '/device:SIM:0' does not say why it is not on '/device:CPU:*'");
}

TEST_F(CheckTest, FindsAMissingReason) {
  report_.reasons[0].clear();
  EXPECT_EQ(Found(), "node 'v' on '/device:CPU:0' has no reason");
}

TEST_F(CheckTest, FindsWrongEstimates) {
  report_.candidates[1].makespan_ns = 1;
  EXPECT_EQ(Found(), "all on /device:SIM:0 would take less");
  report_.candidates[report_.chosen].makespan_ns += 1;
  EXPECT_NE(Found().find("is said to take"), std::string::npos) << Found();
}

TEST_F(CheckTest, FindsAnotherPlacement) {
  report_.reasons[0] += "?";
  EXPECT_EQ(Found(), "a second time gives another placement");
}

TEST_F(CheckTest, ARefusalNeedsARequestAndANode) {
  EXPECT_FALSE(CheckRefusal(question_, InvalidArgument("so").WithNode("one")));
  EXPECT_TRUE(CheckRefusal(question_, InvalidArgument("so")));
  EXPECT_TRUE(CheckRefusal(question_, Internal("so").WithNode("one")));
  question_.options.soft = true;
  EXPECT_TRUE(CheckRefusal(question_, InvalidArgument("so").WithNode("one")));
}

}  // namespace
}  // namespace tagflow::fuzz
