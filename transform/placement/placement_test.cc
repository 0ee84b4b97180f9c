// Tests: colocation.cc, placement.cc

#include "transform/placement/placement.h"

#include <gtest/gtest.h>

#include <map>

#include "graph/op_def.h"
#include "graph/test_graph.h"

namespace tagflow {
namespace {

constexpr char kText[] = R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    p = Placeholder() dtype=bool
    x = Const() dtype=int32 value=1
    y = Square(x) T=int32
    switch = Switch(y, p) T=int32
    z = Neg(switch) T=int32
    merge = Merge(z, switch:1) T=int32
    again = VarHandleOp() dtype=int32 shared_name=v
    write = AssignVariableOp(again, z) dtype=int32
    read = ReadVariableOp(v, ^write) dtype=int32
)";
const std::vector<std::string> kDevices = {"/device:CPU:0", "/device:CPU:1", "/device:SIM:0"};

using Names = std::map<std::string, std::string>;

class Placed {
 public:
  explicit Placed(const Names& asked, const Names& with = {})
      : graph_(kText, OpRegistry::Standard()) {
    for (const auto& [name, device] : asked) {
      graph_.mutable_graph().mutable_node(graph_.id(name)).device = device;
    }
    for (const auto& [name, other] : with) {
      AttrList list;
      list.strings = {"loc:@" + other};
      graph_.mutable_graph().SetAttr(graph_.id(name), "_class", AttrValue(std::move(list)));
    }
    Result<Placement> placement = PlaceAsAsked(graph_.graph(), kDevices);
    status = placement.status();
    if (placement.ok()) placement_ = *std::move(placement);
  }
  std::string Of(const std::string& name) const {
    return placement_.device_of[Index(graph_.id(name))];
  }
  Status status;

 private:
  TestGraph graph_;
  Placement placement_;
};

TEST(PlaceAsAsked, NothingAskedIsTheFirstDevice) {
  const Placed placed(Names{});
  for (const char* name : {"v", "x", "switch", "merge", "read"}) {
    EXPECT_EQ(placed.Of(name), kDevices[0]) << name;
  }
}

TEST(PlaceAsAsked, AWholeNameOrPartOfOne) {
  const Placed placed(Names{{"x", "/job:localhost/task:0/device:CPU:1"}, {"y", "/device:SIM:*"}});
  EXPECT_EQ(placed.Of("x"), kDevices[1]);
  EXPECT_EQ(placed.Of("y"), kDevices[2]);
  EXPECT_EQ(placed.Of("z"), kDevices[0]);
}

TEST(PlaceAsAsked, ControlFlowGoesWithItsData) {
  const Placed placed(Names{{"y", "/device:CPU:1"}, {"z", "/device:SIM:0"}});
  EXPECT_EQ(placed.Of("switch"), kDevices[1]);
  EXPECT_EQ(placed.Of("merge"), kDevices[2]);
}

TEST(PlaceAsAsked, WhatSharesAVariableIsTogether) {
  const Placed placed(Names{{"read", "/device:CPU:1"}});
  for (const char* name : {"v", "again", "write", "read"}) {
    EXPECT_EQ(placed.Of(name), kDevices[1]) << name;
  }
  EXPECT_EQ(placed.Of("z"), kDevices[0]);
}

// As TensorFlow writes loops: the Switch of a variable asks to be with its Merge.
TEST(PlaceAsAsked, ALoopVariableGoesWithItsDataAsAWhole) {
  const Names asked = {{"x", "/device:CPU:1"}, {"z", "/device:SIM:0"}};
  const Placed placed(asked, {{"merge", "switch"}});
  EXPECT_EQ(placed.Of("merge"), kDevices[0]) << "y, the first data of the two, is there";
  EXPECT_EQ(placed.Of("switch"), kDevices[0]);
  const Placed moved(Names{{"y", "/device:CPU:1"}}, {{"merge", "switch"}});
  EXPECT_EQ(moved.Of("merge"), kDevices[1]);
  EXPECT_EQ(moved.Of("switch"), kDevices[1]);
  const Placed held(Names{{"y", "/device:CPU:1"}}, {{"merge", "x"}});
  EXPECT_EQ(held.Of("merge"), kDevices[0]) << "with x, which is no control flow";
}

// An Enter is copied to whoever uses it, and what it takes may not be able to follow.
TEST(PlaceAsAsked, WhoUsesAnEnterOfAReferenceOrHandleIsWithIt) {
  const TestGraph graph(R"(
    handle = VarHandleOp() dtype=int32 shared_name=h
    enter = Enter(handle) T=resource frame_name=f
    wait = NoOp(^enter)
    variable = VariableV2() dtype=int32 shared_name=v
    value = Enter(variable) T=int32 frame_name=f
    deeper = Enter(value) T=int32 frame_name=g
    take = Square(deeper) T=int32
    x = Const() dtype=int32 value=1
    plain = Enter(x) T=int32 frame_name=f
    other = NoOp(^plain)
  )",
                        OpRegistry::Standard());
  const std::vector<NodeId> groups = Colocated(graph.graph());
  EXPECT_EQ(groups[Index(graph.id("wait"))], graph.id("handle"));
  EXPECT_EQ(groups[Index(graph.id("take"))], graph.id("variable"));
  EXPECT_EQ(groups[Index(graph.id("other"))], graph.id("other"));
}

TEST(PlaceAsAsked, WhatAsksToBeTogetherIs) {
  const Placed placed(Names{{"z", "/device:SIM:0"}, {"x", "/device:SIM:0"}},
                      {{"p", "z"}, {"y", "gone"}});
  EXPECT_EQ(placed.Of("p"), kDevices[2]);
  EXPECT_EQ(placed.Of("y"), kDevices[0]);
}

TEST(PlaceAsAsked, RequestsOfAGroupAreNarrowedTogether) {
  const Placed placed(Names{{"v", "/device:CPU:*"}, {"write", "/task:0/device:*:1"}});
  EXPECT_EQ(placed.Of("read"), kDevices[1]);
}

TEST(PlaceAsAsked, SoftlyWhatIsNotThereIsNotAskedFor) {
  TestGraph graph(kText, OpRegistry::Standard());
  graph.mutable_graph().mutable_node(graph.id("x")).device = "/device:GPU:0";
  graph.mutable_graph().mutable_node(graph.id("y")).device = "/device:CPU:1";
  EXPECT_FALSE(PlaceAsAsked(graph.graph(), kDevices).ok());
  const Result<Placement> placed = PlaceAsAsked(graph.graph(), kDevices, /*soft=*/true);
  ASSERT_TRUE(placed.ok()) << placed.status().ToString();
  EXPECT_EQ(placed->device_of[Index(graph.id("x"))], "/device:CPU:0");
  EXPECT_EQ(placed->device_of[Index(graph.id("y"))], "/device:CPU:1");
}

TEST(PlaceAsAsked, RefusesWhatCannotBe) {
  const Placed gone(Names{{"x", "/device:GPU:0"}});
  EXPECT_EQ(gone.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(gone.status.rule(), "graph.4");
  EXPECT_EQ(gone.status.node(), "x");
  const Placed apart(Names{{"v", "/device:CPU:0"}, {"write", "/device:CPU:1"}});
  EXPECT_EQ(apart.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(apart.status.rule(), "partition.4");
  EXPECT_NE(apart.status.message().find("nodes 'v' (on '/device:CPU:0') and 'write'"),
            std::string::npos)
      << apart.status.message();
  EXPECT_FALSE(Placed(Names{{"x", "/nonsense"}}).status.ok());
}

}  // namespace
}  // namespace tagflow
