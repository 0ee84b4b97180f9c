#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SummaryOpsTest, ASummaryIsAScalar) {
  EXPECT_EQ(ShapesOf("ScalarSummary", {}, {"[2]", "[2]"}), "[]");
  EXPECT_EQ(ShapesOf("MergeSummary", {}, {"[]", "<unknown>"}), "[]");
  EXPECT_EQ(ShapesOf("SummaryWriter", {}, {}), "[]");
}

TEST(SummaryOpsTest, AWriterIsAScalar) {
  EXPECT_EQ(ShapesOf("WriteScalarSummary", {}, {"[]", "[]", "[]", "[]"}), "");
  EXPECT_PRED2(Contains, ShapesOf("FlushSummaryWriter", {}, {"[2]"}), "writer");
}

}  // namespace
}  // namespace tagflow
