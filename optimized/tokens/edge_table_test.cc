#include "optimized/tokens/edge_table.h"

#include <gtest/gtest.h>

namespace tagflow::optimized::tokens {
namespace {

TEST(EdgeTable, JoinsTheEdgesOfOneConsumer) {
  EdgeTable table(2);
  table.Add(1, 0, Edge(EdgeKind::kCount, 7, 1));
  table.Add(0, 0, Edge(EdgeKind::kCount, 5, 1));
  table.Add(0, 1, Edge(EdgeKind::kCount, 5, 1));
  table.Add(0, 0, Edge(EdgeKind::kCount, 6, 1));
  table.Lay([](uint32_t target, uint32_t) { return target == 7 ? 1u : 3u; },
            [](uint32_t) { return false; });
  EXPECT_EQ(table.end(0) - table.begin(0), 2u);
  const std::vector<Edge> edges = table.TakeEdges();
  ASSERT_EQ(edges.size(), 3u);
  EXPECT_EQ(edges[0].target, 5u);
  EXPECT_EQ(edges[0].detail, 2u);
  EXPECT_EQ(edges[1].target, 6u);
  EXPECT_TRUE(edges[0].kind == EdgeKind::kCount && edges[2].kind == EdgeKind::kOnly);
}

TEST(EdgeTable, KeepsPortsApartWhereTheyDiffer) {
  EdgeTable table(1);
  table.Add(0, 2, Edge(EdgeKind::kCount, 5, 1));  // control
  table.Add(0, 0, Edge(EdgeKind::kCount, 5, 1));
  table.Add(0, 1, Edge(EdgeKind::kMergeData, 6, 0));
  table.Add(0, 1, Edge(EdgeKind::kMergeData, 6, 1));
  table.Lay([](uint32_t, uint32_t) { return 9u; }, [](uint32_t) { return true; });
  EXPECT_EQ(table.PortEnd(0, 0), 1u);
  EXPECT_EQ(table.PortEnd(0, 1), 3u);
  EXPECT_EQ(table.end(0), 4u);
}

}  // namespace
}  // namespace tagflow::optimized::tokens
