#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SegmentOpsTest, SortedIdsGiveAnUnknownNumberOfRows) {
  for (const char* op : {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[4]"}), "[?,3]");
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "[4]"}), "<unknown>");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,3]", "[3]"}), "must be equal");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,3]", "[4,3]"}), "must be of rank 1");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[]", "[1]"}), "rank 1 or more");
  }
}

TEST(SegmentOpsTest, UnsortedIdsAreToldHowManyRowsThereAre) {
  for (const char* op :
       {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[4]", "=7"}), "[7,3]");
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[4,3]", "[]"}), "[?]");
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[]", "=2"}), "[2,4,3]");
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "<unknown>", "=2"}), "<unknown>");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4]", "[4]", "=-2"}), "not be negative");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4]", "[4,1]", "=2"}), "must begin");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4]", "[4]", "=[2]"}), "must be a scalar");
  }
}

TEST(SegmentOpsTest, SparseOnesTakeAnIndexForEachId) {
  for (const char* op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[9]", "[?]"}), "[?,3]");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,3]", "[9]", "[8]"}), "differ");
  }
}

TEST(SegmentOpsTest, SparseOnesMayBeToldHowManyRowsThereAre) {
  for (const char* op : {"SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
                         "SparseSegmentSqrtNWithNumSegments", "SparseSegmentSumGrad",
                         "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[9]", "[?]", "=5"}), "[5,3]");
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[9]", "[?]", "[]"}), "[?,3]");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,3]", "[9]", "[?]", "=-5"}), "not be negative");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,3]", "[9]", "[?]", "[1]"}), "must be a scalar");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,3]", "[9]", "[8]", "[]"}), "differ");
  }
}

TEST(SegmentOpsTest, GradientsOfRowsThatAreTakenSayWhich) {
  for (const char* op :
       {"SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[9]", "[?]", "=5"}), "[?,3] [?]");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,3]", "[9]", "[?]", "=-5"}), "not be negative");
  }
}

}  // namespace
}  // namespace tagflow
