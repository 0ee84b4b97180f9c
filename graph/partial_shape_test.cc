#include "graph/partial_shape.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

PartialShape S(Dims dims) { return PartialShape(std::move(dims)); }
std::string Text(const Result<PartialShape>& shape) {
  return shape.ok() ? shape->ToString() : "error: " + shape.status().message();
}

TEST(PartialShapeTest, SaysWhatIsKnown) {
  EXPECT_EQ(PartialShape().ToString(), "<unknown>");
  EXPECT_EQ(PartialShape::Scalar().ToString(), "[]");
  EXPECT_EQ(S({-1, 3}).ToString(), "[?,3]");
  EXPECT_EQ(PartialShape::UnknownOfRank(2).ToString(), "[?,?]");
  EXPECT_FALSE(PartialShape().fully_known());
  EXPECT_FALSE(S({-1, 3}).fully_known());
  EXPECT_TRUE(S({2, 3}).fully_known());
}

TEST(PartialShapeTest, AcceptsWhatMayBe) {
  EXPECT_TRUE(PartialShape().Accepts(Dims{1, 2, 3}));
  EXPECT_TRUE(S({-1, 3}).Accepts(Dims{7, 3}));
  EXPECT_FALSE(S({-1, 3}).Accepts(Dims{7, 4}));
  EXPECT_FALSE(S({-1, 3}).Accepts(Dims{3}));
}

TEST(PartialShapeTest, MergeKeepsWhatEitherKnows) {
  EXPECT_EQ(Text(MergeShapes(S({-1, 3}), S({2, -1}))), "[2,3]");
  EXPECT_EQ(Text(MergeShapes(PartialShape(), S({2}))), "[2]");
  EXPECT_EQ(Text(MergeShapes(S({2}), PartialShape())), "[2]");
  EXPECT_EQ(Text(MergeShapes(S({2}), S({3}))), "error: shapes [2] and [3] differ in dimension 0");
  EXPECT_EQ(Text(MergeShapes(S({2}), S({2, 1}))), "error: shapes [2] and [2,1] differ in rank");
}

TEST(PartialShapeTest, JoinKeepsWhatBothKnow) {
  EXPECT_EQ(JoinShapes(S({2, 3}), S({2, 4})).ToString(), "[2,?]");
  EXPECT_EQ(JoinShapes(S({2, -1}), S({2, 4})).ToString(), "[2,?]");
  EXPECT_EQ(JoinShapes(S({2}), S({2, 4})).ToString(), "<unknown>");
  EXPECT_EQ(JoinShapes(S({2}), PartialShape()).ToString(), "<unknown>");
}

TEST(PartialShapeTest, BroadcastFollowsNumPy) {
  EXPECT_EQ(Text(BroadcastShapes(S({2, 1, 3}), S({4, 1}))), "[2,4,3]");
  EXPECT_EQ(Text(BroadcastShapes(S({}), S({4, 1}))), "[4,1]");
  EXPECT_EQ(Text(BroadcastShapes(S({1}), S({0}))), "[0]");
  EXPECT_EQ(Text(BroadcastShapes(S({-1}), S({3}))), "[3]") << "-1 must be 1 or 3";
  EXPECT_EQ(Text(BroadcastShapes(S({-1}), S({1}))), "[?]");
  EXPECT_EQ(Text(BroadcastShapes(PartialShape(), S({3}))), "<unknown>");
  EXPECT_EQ(Text(BroadcastShapes(S({2}), S({3}))),
            "error: shapes [2] and [3] cannot be broadcast together");
}

}  // namespace
}  // namespace tagflow
