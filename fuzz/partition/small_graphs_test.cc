// Tests: bodies.cc

#include "fuzz/partition/small_graphs.h"

#include <gtest/gtest.h>

#include <set>

#include "reference/races.h"

namespace tagflow::fuzz {
namespace {

TEST(SmallGraphs, BodiesAreCounted) {
  std::vector<int64_t> counts;
  for (int size = 1; size <= 4; ++size) {
    std::set<Body> all;
    counts.push_back(ForEachBody(size, [&](const Body& body) { return all.insert(body).second; }));
    EXPECT_EQ(static_cast<int64_t>(all.size()), counts.back()) << "each comes once";
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 30, 397, 6813}));
}

// Which op takes what of which, in words that do not depend on the order of ops.
std::string Shape(const Body& body) {
  std::vector<std::string> values = {"x", "c"};
  for (const BodyNode& node : body) {
    const std::string a = values[static_cast<size_t>(node.a)];
    const std::string b = node.b < 0 ? "" : values[static_cast<size_t>(node.b)];
    const bool swaps = node.op == BodyOp::kAdd && b < a;
    std::string text = std::to_string(static_cast<int>(node.op)) + "(" + (swaps ? b : a);
    if (node.b >= 0) text += " " + (swaps ? a : b);
    text += ")";
    if (node.op == BodyOp::kSwitch) values.push_back(text + ":0");
    values.push_back(node.op == BodyOp::kSwitch ? text + ":1" : text);
  }
  return values.back();
}

// A shape does not show which of its equal parts are one op, so a few of them are of several
// bodies.
TEST(SmallGraphs, BodiesDifferInMoreThanTheOrderOfOps) {
  std::set<std::string> shapes;
  int64_t with_twins = 0;
  const int64_t bodies = ForEachBody(3, [&](const Body& body) {
    with_twins += shapes.insert(Shape(body)).second ? 0 : 1;
    return true;
  });
  EXPECT_EQ(bodies - with_twins, static_cast<int64_t>(shapes.size()));
  EXPECT_EQ(with_twins, 0);
}

TEST(SmallGraphs, TheLeastOrderIsThatOfAnyOther) {
  ForEachBody(3, [](const Body& body) {
    EXPECT_EQ(InLeastOrder(body), body);
    return true;
  });
  // Two switches, of which one is taken first: numbers change with the order.
  const Body one = {{BodyOp::kNeg, 1},
                    {BodyOp::kSwitch, 0},
                    {BodyOp::kAdd, 2, 0},
                    {BodyOp::kMerge, 3, 4},
                    {BodyOp::kAdd, 5, 6}};
  const Body other = {{BodyOp::kSwitch, 0},
                      {BodyOp::kMerge, 2, 3},
                      {BodyOp::kNeg, 1},
                      {BodyOp::kAdd, 0, 5},
                      {BodyOp::kAdd, 6, 4}};
  EXPECT_EQ(InLeastOrder(one), InLeastOrder(other));
  EXPECT_NE(InLeastOrder(one), InLeastOrder({{BodyOp::kNeg, 1},
                                             {BodyOp::kAdd, 0, 2},
                                             {BodyOp::kSwitch, 3},
                                             {BodyOp::kMerge, 4, 5},
                                             {BodyOp::kAdd, 3, 6}}));
}

TEST(SmallGraphs, TheSearchStopsWhenAsked) {
  int seen = 0;
  ForEachBody(3, [&](const Body&) { return ++seen < 5; });
  EXPECT_EQ(seen, 5);
}

// Every body has one outcome, live or dead as its surroundings are; and the branches go both ways.
TEST(SmallGraphs, EveryGraphRunsWithoutARace) {
  for (const Surroundings surroundings :
       {Surroundings::kCond, Surroundings::kLoop, Surroundings::kWaiting, Surroundings::kNested}) {
    std::set<std::string> values;
    for (int size = 1; size <= 3; ++size) {
      ForEachBody(size, [&](const Body& body) {
        const SmallGraph small = BuildSmallGraph(body, surroundings, 10);
        auto session = reference::Session::Create(small.graph.Clone());
        for (const SmallGraph::Call& call : small.calls) {
          reference::History history;
          reference::RunOptions options;
          options.history = &history;
          const auto value = (*session)->Run(call.feeds, {small.fetch}, {}, options);
          EXPECT_TRUE(value.ok()) << call.about << value.status().ToString() << TextOf(small);
          EXPECT_TRUE(reference::FindRaces(history).empty()) << call.about << TextOf(small);
          if (!value.ok()) continue;
          values.insert((*value)[0].DebugString());
          EXPECT_TRUE(call.about != "left out" || (*value)[0].DebugString() == "int32[] 3");
        }
        return !testing::Test::HasFailure();
      });
    }
    EXPECT_GE(values.size(), 20u);
  }
}

TEST(SmallGraphs, EveryNodeIsInOneUnit) {
  const SmallGraph small = BuildSmallGraph({{BodyOp::kNeg, 0}}, Surroundings::kNested, 10);
  std::set<NodeId> placed;
  for (const std::vector<NodeId>& unit : small.units) {
    for (const NodeId id : unit) EXPECT_TRUE(placed.insert(id).second);
  }
  EXPECT_EQ(placed.size(), small.graph.num_nodes());
  EXPECT_EQ(small.units.size(), 10u);
  EXPECT_NE(TextOf(small).find("body0 = Neg( x_switch:1 )\n"), std::string::npos);
}

}  // namespace
}  // namespace tagflow::fuzz
