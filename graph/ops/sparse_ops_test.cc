#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SparseOpsTest, DenseOnesHaveTheShapeThatIsGiven) {
  EXPECT_EQ(ShapesOf("SparseToDense", {}, {"[4,2]", "=[3,5]", "[4]", "[]"}), "[3,5]");
  EXPECT_EQ(ShapesOf("SparseToDense", {}, {"[4,2]", "[2]", "[4]", "[]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("SparseToDense", {}, {"[]", "<unknown>", "[]", "[]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("SparseToDense", {}, {"[1,1,1]", "[1]", "[1]", "[]"}), "matrix");
  EXPECT_PRED2(Contains, ShapesOf("SparseToDense", {}, {"[1]", "[1]", "[1]", "[1]"}), "scalar");
  EXPECT_PRED2(Contains, ShapesOf("SparseToDense", {}, {"[1]", "=[-2]", "[1]", "[]"}), "-2");
}

TEST(SparseOpsTest, ReshapedAndSortedOnesHaveAsManyElements) {
  EXPECT_EQ(ShapesOf("SparseReshape", {}, {"[4,2]", "[2]", "[3]"}), "[4,3] [3]");
  EXPECT_EQ(ShapesOf("SparseReshape", {}, {"<unknown>", "[2]", "[?]"}), "[?,?] [?]");
  EXPECT_PRED2(Contains, ShapesOf("SparseReshape", {}, {"[4]", "[2]", "[3]"}), "of rank 2");
  EXPECT_EQ(ShapesOf("SparseReorder", {}, {"[4,?]", "[?]", "[2]"}), "[4,2] [4]");
  EXPECT_PRED2(Contains, ShapesOf("SparseReorder", {}, {"[4,3]", "[4]", "[2]"}), "must be equal");
}

TEST(SparseOpsTest, FilledRowsAreToldByTheShape) {
  EXPECT_EQ(ShapesOf("SparseFillEmptyRows", {}, {"[4,2]", "[4]", "=[3,5]", "[]"}),
            "[?,2] [?] [3] [4]");
  EXPECT_EQ(ShapesOf("SparseFillEmptyRows", {}, {"[4,2]", "[4]", "[2]", "[]"}),
            "[?,2] [?] [?] [4]");
  EXPECT_PRED2(Contains, ShapesOf("SparseFillEmptyRows", {}, {"[4,1]", "[4]", "=[-3]", "[]"}),
               "-3 rows");
  EXPECT_EQ(ShapesOf("SparseFillEmptyRowsGrad", {}, {"[4]", "[6]"}), "[4] []");
}

TEST(SparseOpsTest, JoinedOnesHaveTheElementsOfAll) {
  EXPECT_EQ(ShapesOf("SparseConcat", {{"concat_dim", 0}, {"N", 2}},
                     {"[4,2]", "[3,?]", "[4]", "[3]", "[2]", "[2]"}),
            "[7,2] [7] [2]");
  EXPECT_PRED2(Contains,
               ShapesOf("SparseConcat", {{"concat_dim", 0}, {"N", 2}},
                        {"[4,2]", "[3,1]", "[4]", "[3]", "[2]", "[1]"}),
               "must be equal");
}

TEST(SparseOpsTest, PartsHaveTheRankOfTheWhole) {
  EXPECT_EQ(ShapesOf("SparseSplit", {{"num_split", 2}}, {"[]", "[4,3]", "[4]", "[3]"}),
            "[?,3] [?,3] [?] [?] [3] [3]");
  EXPECT_EQ(ShapesOf("SparseSlice", {}, {"[4,?]", "[4]", "[?]", "[3]", "[3]"}), "[?,3] [?] [3]");
  EXPECT_PRED2(Contains, ShapesOf("SparseSlice", {}, {"[4,2]", "[4]", "[2]", "[3]", "[3]"}),
               "must be equal");
  EXPECT_EQ(ShapesOf("SparseSliceGrad", {}, {"[2]", "[4,3]", "[3]", "[2,3]"}), "[4]");
}

TEST(SparseOpsTest, WrittenOnesAreThreePartsEach) {
  EXPECT_EQ(ShapesOf("SerializeSparse", {}, {"[4,2]", "[4]", "[2]"}), "[3]");
  EXPECT_EQ(ShapesOf("SerializeManySparse", {}, {"<unknown>", "[4]", "[2]"}), "[?,3]");
  EXPECT_PRED2(Contains, ShapesOf("SerializeSparse", {}, {"[4]", "[4]", "[2]"}), "of rank 2");
  EXPECT_EQ(ShapesOf("DeserializeSparse", {}, {"[2,3]"}), "[?,?] [?] [?]");
  EXPECT_EQ(ShapesOf("DeserializeSparse", {}, {"<unknown>"}), "[?,?] [?] [?]");
  EXPECT_PRED2(Contains, ShapesOf("DeserializeSparse", {}, {"[3,2]"}), "must be equal");
  EXPECT_PRED2(Contains, ShapesOf("DeserializeSparse", {}, {"[]"}), "rank");
  EXPECT_EQ(ShapesOf("DeserializeManySparse", {}, {"[?,?]"}), "[?,?] [?] [?]");
  EXPECT_PRED2(Contains, ShapesOf("DeserializeManySparse", {}, {"[3]"}), "of rank 2");
}

}  // namespace
}  // namespace tagflow
