#include <gtest/gtest.h>

#include "graph/graph.h"
#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(BasicOpsTest, WhatPassesValuesOnKeepsTheirShape) {
  for (const char* op : {"Identity", "StopGradient", "PreventGradient", "RefIdentity"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]"}), "[2,?]") << op;
  }
  EXPECT_EQ(ShapesOf("IdentityN", {}, {"[2]", "<unknown>", "[]"}), "[2] <unknown> []");
}

TEST(BasicOpsTest, PlaceholdersHaveTheShapeTheySay) {
  const PartialShape row(Dims{-1, 3});
  EXPECT_EQ(ShapesOf("Placeholder", {}, {}), "<unknown>");
  EXPECT_EQ(ShapesOf("Placeholder", {{"shape", row}}, {}), "[?,3]");
  EXPECT_EQ(ShapesOf("PlaceholderV2", {{"shape", row}}, {}), "[?,3]");
  EXPECT_EQ(ShapesOf("PlaceholderWithDefault", {{"shape", row}}, {"[2,3]"}), "[?,3]");
  EXPECT_EQ(ShapesOf("PlaceholderWithDefault", {{"shape", row}}, {"[?,?]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("PlaceholderWithDefault", {{"shape", row}}, {"<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("PlaceholderWithDefault", {{"shape", row}}, {"[2,4]"}),
               "shapes [?,3] and [2,4] differ in dimension 1");
}

TEST(BasicOpsTest, ConstHasTheShapeAndTypeOfItsValue) {
  const Tensor value = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(ShapesOf("Const", {{"dtype", DType::kFloat}, {"value", value}}, {}), "[2]");
  EXPECT_PRED2(Contains, ShapesOf("Const", {{"dtype", DType::kInt32}, {"value", value}}, {}),
               "attr 'dtype' is int32, but attr 'value' holds float");
}

TEST(BasicOpsTest, AssertAndToBool) {
  EXPECT_EQ(ShapesOf("ToBool", {}, {"[2]"}), "[]");
  AttrList one_float;
  one_float.types = {ArgType{DType::kFloat, false}};
  EXPECT_EQ(ShapesOf("Assert", {{"T", one_float}}, {"[]", "[2]"}), "");
  EXPECT_PRED2(Contains, ShapesOf("Assert", {{"T", one_float}}, {"[2]", "[2]"}),
               "input 'condition' must be a scalar");
}

TEST(BasicOpsTest, CopiesAndChecksKeepTheShape) {
  for (const char* op : {"Snapshot", "DeepCopy", "GuaranteeConst"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]"}), "[2,?]") << op;
  }
  EXPECT_EQ(ShapesOf("CheckNumerics", {{"message", "m"}}, {"[2,?]"}), "[2,?]");
}

}  // namespace
}  // namespace tagflow
