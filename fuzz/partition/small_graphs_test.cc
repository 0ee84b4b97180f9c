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
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 33, 455, 8319}));
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
