#include "graph/ops/shape_functions.h"

#include <gtest/gtest.h>

#include <limits>

namespace tagflow::shapes {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(ShapeFunctionsTest, ArithmeticOfDimensions) {
  EXPECT_EQ(AddDims(2, 3), 5);
  EXPECT_EQ(AddDims(2, kUnknown), kUnknown);
  EXPECT_EQ(AddDims(kMax, 1), kUnknown);
  EXPECT_EQ(MultiplyDims(2, 3), 6);
  EXPECT_EQ(MultiplyDims(0, kUnknown), 0);
  EXPECT_EQ(MultiplyDims(2, kUnknown), kUnknown);
  EXPECT_EQ(MultiplyDims(kMax, 2), kUnknown);
  EXPECT_EQ(*MergeDims(kUnknown, 3), 3);
  EXPECT_EQ(*MergeDims(3, kUnknown), 3);
  EXPECT_FALSE(MergeDims(2, 3).ok());
}

TEST(ShapeFunctionsTest, ElementCount) {
  EXPECT_EQ(ElementCount(PartialShape::Scalar()), 1);
  EXPECT_EQ(ElementCount(PartialShape(Dims{2, 3})), 6);
  EXPECT_EQ(ElementCount(PartialShape(Dims{kUnknown, 0})), 0);
  EXPECT_EQ(ElementCount(PartialShape(Dims{kUnknown, 2})), kUnknown);
  EXPECT_EQ(ElementCount(PartialShape()), kUnknown);
}

TEST(ShapeFunctionsTest, CutsAndJoinsShapes) {
  const PartialShape shape(Dims{2, kUnknown, 4});
  EXPECT_EQ(Subshape(shape, 1, 3).ToString(), "[?,4]");
  EXPECT_EQ(Subshape(PartialShape(), 1, 3).ToString(), "<unknown>");
  EXPECT_EQ(Concatenated(shape, PartialShape(Dims{5})).ToString(), "[2,?,4,5]");
  EXPECT_EQ(Concatenated(shape, PartialShape()).ToString(), "<unknown>");
}

TEST(ShapeFunctionsTest, ScatteredSlices) {
  const PartialShape unknown;
  const PartialShape into(Dims{4, 3});
  const auto shape = [](std::initializer_list<int64_t> dims) { return PartialShape(Dims(dims)); };
  EXPECT_TRUE(CheckScatteredSlices(into, shape({2, 1}), shape({2, 3})).ok());
  EXPECT_TRUE(CheckScatteredSlices(into, shape({5, 2}), shape({5})).ok());
  EXPECT_TRUE(CheckScatteredSlices(into, shape({2, 3}), shape({2})).ok());
  EXPECT_TRUE(CheckScatteredSlices(unknown, shape({2, 1}), shape({2, 9})).ok());
  EXPECT_TRUE(CheckScatteredSlices(into, shape({-1, -1}), shape({2, 9})).ok());
  EXPECT_FALSE(CheckScatteredSlices(into, shape({2, 1}), shape({2, 4})).ok());
  EXPECT_FALSE(CheckScatteredSlices(unknown, shape({2, 1}), shape({3, 4})).ok());
  EXPECT_FALSE(CheckScatteredSlices(unknown, shape({2, 1}), shape({})).ok());
}

TEST(ShapeFunctionsTest, NamesInputsAsDeclared) {
  Graph graph;
  const Node& plain = graph.node(*graph.AddNode("s", "Slice"));
  const Node& repeated = graph.node(*graph.AddNode("c", "ConcatV2"));
  const ShapeContext slice(plain, 1, std::vector<PartialShape>(3), {});
  const ShapeContext concat(repeated, 1, std::vector<PartialShape>(3), {});
  EXPECT_EQ(InputName(slice, 1), "begin");
  EXPECT_EQ(InputName(concat, 2), "2") << "the name cannot be told from the position alone";
}

}  // namespace
}  // namespace tagflow::shapes
