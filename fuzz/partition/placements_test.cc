// Tests: placements.cc, together.cc

#include "fuzz/partition/placements.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fuzz/partition/together.h"
#include "graph/op_def.h"
#include "graph/test_graph.h"

namespace tagflow::fuzz {
namespace {

TEST(Placements, AreOfEveryKindAndKeepTogetherWhatMustBe) {
  const TestGraph test(R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    x = Const() dtype=int32 value=1
    y = Square(x) T=int32
    z = Neg(y) T=int32
    enter = Enter(v) T=resource frame_name=f
    read = ReadVariableOp(enter) dtype=int32
    again = VarHandleOp() dtype=int32 shared_name=v
    write = AssignVariableOp(again, z) dtype=int32
    other = VarHandleOp() dtype=int32 shared_name=v container=c
  )",
                       OpRegistry::Standard());
  std::map<std::string, int> seen;
  bool apart = false, is_other_apart = false;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    std::string about;
    const Placement placement = DrawPlacement(test.graph(), {}, choices, &about);
    ++seen[about];
    auto device_of = [&](const char* name) { return placement.device_of[Index(test.id(name))]; };
    const std::string where = device_of("v");
    for (const char* name : {"enter", "read", "again", "write"}) {
      EXPECT_EQ(device_of(name), where) << name << ", " << about;
    }
    is_other_apart = is_other_apart || device_of("other") != where;
    const std::set<std::string> used(placement.device_of.begin(), placement.device_of.end());
    EXPECT_TRUE(!about.starts_with("all on one") || used.size() == 1);
    apart = apart || used.size() == 4;
  }
  EXPECT_EQ(seen.size(), 5u * 3u);
  EXPECT_TRUE(apart);
  EXPECT_TRUE(is_other_apart);
}

TEST(Placements, WhatIsFedMayCross) {
  const TestGraph test(R"(
    v = Variable() dtype=int32 shape=[]
    x = Const() dtype=int32 value=1
    write = Assign(v, x) T=int32
    read = Neg(write) T=int32
  )",
                       OpRegistry::Standard());
  const auto id = [&](const char* name) { return test.id(name); };
  const std::vector<NodeId> alone = MustBeTogether(test.graph(), {{id("write"), 0}});
  EXPECT_EQ(MustBeTogether(test.graph(), {})[Index(id("read"))], id("v"));
  EXPECT_EQ(alone[Index(id("read"))], id("read"));
  EXPECT_EQ(alone[Index(id("write"))], id("v"));
}

}  // namespace
}  // namespace tagflow::fuzz
