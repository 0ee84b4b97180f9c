// Whom Recvs wait for. That nobody can tell is tested in //fuzz/partition.

#include "transform/partition/late_recvs.h"

#include <gtest/gtest.h>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "transform/limits.h"

namespace tagflow {
namespace {

// Nodes that are named there_… are on another device than the rest. What is said of the Recv of
// `tensor` on the first device: the nodes that it waits for.
std::string WaitsFor(const std::string& text, const std::string& fetch, const std::string& tensor,
                     PartitionOptions options = {}, const std::vector<std::string>& feeds = {},
                     bool at_once = false) {
  TestGraph test(text, OpRegistry::Standard());
  const Graph& graph = test.graph();
  Placement placement{{"here", "there"}, std::vector<std::string>(graph.id_limit(), "here")};
  for (const NodeId id : graph.NodeIds()) {
    if (graph.node(id).name.starts_with("there")) placement.device_of[Index(id)] = "there";
  }
  if (!at_once) options.recvs = RecvStart::kLate;
  const auto parts = PartitionCall(graph, test.Call(feeds, {fetch}), placement, options);
  if (!parts.ok()) return parts.status().ToString();
  const Graph& here = (*parts)[0].graph;
  const NodeId recv = here.Find(tensor + "/_recv_from_1_0_on_0");
  if (recv == NodeId::kNone) return "no Recv";
  std::string names;
  for (const NodeId control : here.node(recv).control_inputs) {
    names += (names.empty() ? "" : " ") + here.node(control).name;
  }
  return names;
}

// A message that takes as long as so many nodes.
PartitionOptions Slow(double message) {
  PartitionOptions options;
  options.times.message = [message](OutputRef, int, int) { return message; };
  return options;
}

// Five nodes one after the other, and what is taken behind the last.
constexpr char kChain[] = R"(
    there = Const() dtype=int32 value=1
    x = Const() dtype=int32 value=1
    a = Neg(x) T=int32
    b = Neg(a) T=int32
    c = Neg(b) T=int32
    d = Neg(c) T=int32
    sum = AddV2(d, there) T=int32
)";

TEST(LateRecvs, TheMessageTakesAsLongAsWhatIsInBetween) {
  EXPECT_EQ(WaitsFor(kChain, "sum", "there"), "c");
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", Slow(0)), "d");
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", Slow(1.5)), "b");
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", Slow(4)), "x");
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", Slow(4.5)), "");
}

// The message takes as long as all nodes but the first two, and is awaited by the last.
TEST(LateRecvs, SoManyNodesAreLookedAt) {
  const auto waits_for = [](int nodes) {
    std::string text = "there = Const() dtype=int32 value=1\n n0 = Const() dtype=int32 value=1\n";
    for (int i = 1; i <= nodes; ++i) {
      text += "n" + std::to_string(i) + " = Neg(n" + std::to_string(i - 1) + ") T=int32\n";
    }
    text += "sum = AddV2(n" + std::to_string(nodes) + ", there) T=int32\n";
    return WaitsFor(text, "sum", "there", Slow(nodes - 1));
  };
  EXPECT_EQ(waits_for(kMostNodesBeforeRecv - 1), "n1");
  EXPECT_EQ(waits_for(kMostNodesBeforeRecv), "n1");
  EXPECT_EQ(waits_for(kMostNodesBeforeRecv + 1), "");
}

TEST(LateRecvs, OrItIsThereAtOnce) {
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", {}, {}, true), "");
}

TEST(LateRecvs, NodesCountAsTheyAreSaidTo) {
  PartitionOptions options = Slow(5);
  options.times.firing = [](NodeId node, int) { return Index(node) == 4 ? 7.0 : 1.0; };  // c
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", options), "b");
}

TEST(LateRecvs, WhatIsMadeLongAgainIsNeededByWhoTakesThat) {
  PartitionOptions options = Slow(2);
  options.compresses_floats = true;
  std::string floats = kChain;
  for (size_t at; (at = floats.find("int32")) != std::string::npos;) floats.replace(at, 5, "float");
  EXPECT_EQ(WaitsFor(floats, "sum", "there", options), "b");
}

TEST(LateRecvs, EveryConsumerIsInTime) {
  const std::string text = std::string(kChain) + "    early = AddV2(b, there) T=int32\n" +
                           "    all = AddV2(sum, early) T=int32\n";
  EXPECT_EQ(WaitsFor(text, "all", "there"), "a");
  const std::string alone = std::string(kChain) + "    soon = Neg(there) T=int32\n" +
                            "    all = AddV2(sum, soon) T=int32\n";
  EXPECT_EQ(WaitsFor(alone, "all", "there"), "");
}

// Where a Merge or a ControlTrigger is in between, or is the consumer, a dead node before it does
// not mean that the consumer is dead.
TEST(LateRecvs, AMergeOrControlTriggerHidesWhatIsBefore) {
  const std::string begin = R"(
    there = Const() dtype=int32 value=1
    p = Placeholder() dtype=bool
    x = Const() dtype=int32 value=1
    way = Switch(x, p) T=int32
    no = Neg(way) T=int32
    nor = Neg(no) T=int32
)";
  EXPECT_EQ(WaitsFor(begin + "    c = AddV2(nor, there) T=int32\n", "c", "there", {}, {"p"}), "no");
  const std::string merge = begin + "    m = Merge(nor, way:1) T=int32\n    d = Neg(m) T=int32\n";
  EXPECT_EQ(WaitsFor(merge + "    c = AddV2(d, there) T=int32\n", "c", "there", {}, {"p"}), "m");
  EXPECT_EQ(WaitsFor(merge + "    c = AddV2(d, there) T=int32\n", "c", "there", Slow(2), {"p"}),
            "");
  EXPECT_EQ(WaitsFor(begin + "    c = Merge(nor, there) T=int32\n", "c", "there", Slow(0), {"p"}),
            "");
  const std::string trigger = begin + R"(
    t = ControlTrigger(^nor)
    d = Const(^t) dtype=int32 value=1
    e = Neg(d) T=int32
)";
  EXPECT_EQ(WaitsFor(trigger + "    c = AddV2(e, there) T=int32\n", "c", "there", {}, {"p"}), "d");
  EXPECT_EQ(WaitsFor(trigger + "    c = AddV2(e, there) T=int32\n", "c", "there", Slow(3), {"p"}),
            "");
}

TEST(LateRecvs, NobodyWaitsForWhatIsBeforeAFeed) {
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", Slow(2), {"c"}), "");
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", Slow(1), {"c"}), "");
  EXPECT_EQ(WaitsFor(kChain, "sum", "there", Slow(0), {"c"}), "d");
}

constexpr char kLoop[] = R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    i_enter = Enter(zero) T=int32 frame_name=loop
    n_enter = Enter(n) T=int32 frame_name=loop is_constant=true
    i = Merge(i_enter, next) T=int32
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    switch = Switch(i, again) T=int32
    there_square = Square(switch:1) T=int32
    a = Neg(switch:1) T=int32
    b = Neg(a) T=int32
    sum = AddV2(b, there_square) T=int32
    next = NextIteration(sum) T=int32
    exit = Exit(switch) T=int32
    x = Neg(exit) T=int32
    y = Neg(x) T=int32
    there = Const() dtype=int32 value=1
    after = AddV2(y, there) T=int32
)";

// Two Recvs of one consumer must not wait for each other.
TEST(LateRecvs, NobodyWaitsForARecv) {
  const std::string both = R"(
    there_one = Const() dtype=int32 value=1
    there_two = Const() dtype=int32 value=1
    one = Neg(there_one) T=int32
    sum = AddN(there_one, there_two) T=int32 N=2
    both = AddV2(one, sum) T=int32
)";
  EXPECT_EQ(WaitsFor(both, "both", "there_one", Slow(0)), "");
  EXPECT_EQ(WaitsFor(both, "both", "there_two", Slow(0)), "");
}

TEST(LateRecvs, InALoopNodesOfTheSameIteration) {
  EXPECT_EQ(WaitsFor(kLoop, "after", "there_square", {}, {"n"}), "again/_loop_merge_on_0 a");
  EXPECT_EQ(WaitsFor(kLoop, "after", "there_square", Slow(3), {"n"}), "again/_loop_merge_on_0 i");
  EXPECT_EQ(WaitsFor(kLoop, "after", "there_square", Slow(4), {"n"}), "again/_loop_merge_on_0");
}

TEST(LateRecvs, BehindALoopItsExit) {
  EXPECT_EQ(WaitsFor(kLoop, "after", "there", {}, {"n"}), "x");
  EXPECT_EQ(WaitsFor(kLoop, "after", "there", Slow(2), {"n"}), "exit");
  EXPECT_EQ(WaitsFor(kLoop, "after", "there", Slow(2.5), {"n"}), "");
}

// Each of the two by itself has time enough; one after the other they have not, until twice as much
// is left for them.
TEST(LateRecvs, MessagesMeetOnTheirWay) {
  const std::string two = R"(
    there_one = Const() dtype=int32 value=1
    there_two = Const() dtype=int32 value=1
    x = Const() dtype=int32 value=1
    a = Neg(x) T=int32
    b = Neg(a) T=int32
    c = Neg(b) T=int32
    d = Neg(c) T=int32
    e = Neg(d) T=int32
    sum = AddN(e, there_one, there_two) T=int32 N=3
)";
  EXPECT_EQ(WaitsFor(two, "sum", "there_one", Slow(2)), "a");
  EXPECT_EQ(WaitsFor(two, "sum", "there_two", Slow(2)), "a");
  EXPECT_EQ(WaitsFor(two, "sum", "there_two", Slow(3)), "");
}

}  // namespace
}  // namespace tagflow
