#include "graph/join_of.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

constexpr char kNested[] = R"(
  x = Placeholder()
  p = Placeholder() T=bool
  q = Placeholder() T=bool
  outer = Switch(x, p)
  inner = Switch(outer:1, q)
  deep = Neg(inner:1)
  beside = Neg(inner:0)
  joined = Merge(beside, deep)
  other = Neg(outer:0)
  pivot = Identity(outer:0)
  fixed = Const(^pivot)
  out = Merge(other, joined)
  late = Merge(fixed, joined)
  alone = Neg(deep)
)";

std::string JoinOf(const std::string& dead, const std::string& taken, int way) {
  const TestGraph g(kNested);
  const NodeId join = FindJoinOf(g.graph(), {g.id(dead), 0}, {g.id(taken), way});
  return join == NodeId::kNone ? "" : g.graph().node(join).name;
}

TEST(JoinOfTest, TheNearestMergeThatTheOtherWayReachesToo) {
  EXPECT_EQ(JoinOf("deep", "inner", 0), "joined");
  EXPECT_EQ(JoinOf("other", "outer", 1), "out");
}

TEST(JoinOfTest, AMergeThatIsDeadAsWellIsNone) { EXPECT_EQ(JoinOf("deep", "outer", 0), "out"); }

TEST(JoinOfTest, AMergeInALoopIsNone) {
  const TestGraph g(R"(
    x = Placeholder()
    p = Placeholder() T=bool
    way = Switch(x, p)
    then_in = Enter(way:1) frame_name=loop
    else_in = Enter(way:0) frame_name=loop
    inside = Merge(then_in, else_in)
    out = Exit(inside)
    outside = Merge(out, way:0)
  )");
  EXPECT_EQ(FindJoinOf(g.graph(), {g.id("way"), 1}, {g.id("way"), 0}), g.id("outside"));
}

TEST(JoinOfTest, ThereMayBeNone) { EXPECT_EQ(JoinOf("alone", "inner", 0), ""); }

}  // namespace
}  // namespace tagflow
