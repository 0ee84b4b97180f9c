// The parts of a loop over two devices as one graph. That it computes what the whole graph does is
// tested by running it: //optimized:spread_test, fuzz property `placement`.

#include "transform/partition/join.h"

#include <gtest/gtest.h>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "graph/validate.h"

namespace tagflow {
namespace {

constexpr char kLoop[] = R"(
  n = Placeholder() dtype=int32
  zero = Const() dtype=int32 value=0
  i_enter = Enter(zero) T=int32 frame_name=loop
  n_enter = Enter(n) T=int32 frame_name=loop is_constant=true
  i = Merge(i_enter, i_next) T=int32
  less = Less(i, n_enter) T=int32
  again = LoopCond(less)
  i_switch = Switch(i, again) T=int32
  body = Identity(i_switch:1) T=int32
  one = Const(^body) dtype=int32 value=1
  sum = AddV2(body, one) T=int32
  i_next = NextIteration(sum) T=int32
  i_exit = Exit(i_switch:0) T=int32
)";

class JoinTest : public testing::Test {
 protected:
  // `there` is on b, the rest on a.
  void Join(const std::vector<std::string>& there, const std::vector<std::string>& feeds,
            const std::vector<std::string>& fetches) {
    const Graph& whole = graph_.graph();
    Placement placement{{"a", "b"}, std::vector<std::string>(whole.id_limit(), "a")};
    for (const std::string& name : there) placement.device_of[Index(graph_.id(name))] = "b";
    const CallSpec call = graph_.Call(feeds, fetches);
    Result<std::vector<DevicePart>> parts = PartitionCall(whole, call, placement);
    ASSERT_TRUE(parts.ok()) << parts.status().ToString();
    parts_ = *std::move(parts);
    Result<JoinedCall> joined = JoinParts(whole, call, parts_);
    ASSERT_TRUE(joined.ok()) << joined.status().ToString();
    joined_ = *std::move(joined);
    const Status valid = ValidateCall(joined_.graph, joined_.call).status();
    EXPECT_TRUE(valid.ok()) << valid.ToString();  // sessions do not ask
  }
  const Node& node(const std::string& name) const {
    return joined_.graph.node(joined_.graph.Find(name));
  }

  TestGraph graph_{kLoop, OpRegistry::Standard()};
  std::vector<DevicePart> parts_;
  JoinedCall joined_;
};

TEST_F(JoinTest, HasEveryNodeOfTheParts) {
  Join({"sum"}, {"n"}, {"i_exit"});
  size_t nodes = 0;
  for (const DevicePart& part : parts_) {
    nodes += part.graph.num_nodes();
    for (const NodeId id : part.graph.NodeIds()) {
      EXPECT_EQ(node(part.graph.node(id).name).device, part.device);
    }
  }
  EXPECT_EQ(joined_.graph.num_nodes(), nodes);
  EXPECT_GT(nodes, graph_.graph().num_nodes());
}

TEST_F(JoinTest, NoEdgeCrosses) {
  Join({"sum", "less"}, {"n"}, {"i_exit"});
  for (const NodeId id : joined_.graph.NodeIds()) {
    const Node& to = joined_.graph.node(id);
    for (const OutputRef input : to.inputs) {
      EXPECT_EQ(joined_.graph.node(input.node).device, to.device) << to.name;
    }
  }
}

TEST_F(JoinTest, EachDeviceHasAFrameOfItsOwn) {
  Join({"sum"}, {"n"}, {"i_exit"});
  const Result<ValidatedCall> valid = ValidateCall(joined_.graph, joined_.call);
  ASSERT_TRUE(valid.ok()) << valid.status().ToString();
  EXPECT_EQ(valid->frames.frames.size(), 3u);  // the root, and the loop on each
  EXPECT_EQ(joined_.frame_names["loop@a"], "loop");
  EXPECT_EQ(joined_.frame_names["loop@b"], "loop");
}

TEST_F(JoinTest, TheCallIsThatOfTheWholeAndRunsTheSends) {
  Join({"sum"}, {"n"}, {"i_exit"});
  ASSERT_EQ(joined_.call.feeds.size(), 1u);
  EXPECT_EQ(joined_.graph.node(joined_.call.feeds[0].node).name, "n");
  ASSERT_EQ(joined_.call.fetches.size(), 1u);
  EXPECT_EQ(joined_.graph.node(joined_.call.fetches[0].node).name, "i_exit");
  size_t sends = 0;
  for (const NodeId id : joined_.graph.NodeIds()) sends += joined_.graph.node(id).op == "_Send";
  EXPECT_GE(sends, 3u);  // the predicate, body and sum
  EXPECT_EQ(joined_.call.targets.size(), sends);
}

TEST_F(JoinTest, AFeedThatNobodyTakesKeepsItsPlace) {
  Join({"sum"}, {"i_enter", "n"}, {"n"});
  ASSERT_EQ(joined_.call.feeds.size(), 2u);
  EXPECT_EQ(joined_.graph.node(joined_.call.feeds[1].node).name, "n");
}

}  // namespace
}  // namespace tagflow
