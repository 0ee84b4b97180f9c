#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(VariableOpsTest, Handles) {
  const PartialShape shape(Dims{2});
  EXPECT_EQ(ShapesOf("VarHandleOp", {{"shape", shape}}, {}), "[]");
  EXPECT_EQ(ShapesOf("ReadVariableOp", {}, {"[]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("VariableShape", {}, {"[]"}), "[?]");
  EXPECT_EQ(ShapesOf("VarIsInitializedOp", {}, {"[]"}), "[]");
  EXPECT_EQ(ShapesOf("AssignVariableOp", {}, {"[]", "[2]"}), "");
}

TEST(VariableOpsTest, References) {
  const PartialShape shape(Dims{2});
  EXPECT_EQ(ShapesOf("VariableV2", {{"shape", shape}}, {}), "[2]");
  EXPECT_EQ(ShapesOf("VariableV2", {{"shape", PartialShape::Scalar()}}, {}), "[]");
  EXPECT_EQ(ShapesOf("Variable", {{"shape", PartialShape::Scalar()}}, {}), "<unknown>");
  EXPECT_EQ(ShapesOf("IsVariableInitialized", {}, {"[2]"}), "[]");
  EXPECT_EQ(ShapesOf("CountUpTo", {{"limit", 3}}, {"[]"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("CountUpTo", {{"limit", 3}}, {"[1]"}), "must be a scalar");
}

TEST(VariableOpsTest, AssignChecksShapesIfAsked) {
  EXPECT_EQ(ShapesOf("Assign", {}, {"[2,?]", "[?,3]"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("Assign", {}, {"[2]", "[3]"}), "differ in dimension 0");
  EXPECT_EQ(ShapesOf("Assign", {{"validate_shape", false}}, {"[2]", "[3]"}), "[3]");
  EXPECT_EQ(ShapesOf("AssignAdd", {}, {"[2]", "[?]"}), "[2]");
}

TEST(VariableOpsTest, OfAStep) {
  const PartialShape shape(Dims{2});
  EXPECT_EQ(ShapesOf("TemporaryVariable", {{"shape", shape}}, {}), "[2]");
  EXPECT_EQ(ShapesOf("DestroyTemporaryVariable", {{"var_name", "x"}}, {"[2]"}), "[2]");
  EXPECT_EQ(ShapesOf("ResourceCountUpTo", {{"limit", 3}}, {"[]"}), "[]");
}

}  // namespace
}  // namespace tagflow
