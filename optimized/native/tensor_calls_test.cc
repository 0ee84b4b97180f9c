// Tests: tensor_type.h

#include "optimized/native/tensor_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace tagflow::optimized {
namespace {

using testing::ElementsAre;

constexpr DType kFloat = DType::kFloat;

std::optional<TensorCall> CallOf(ScalarCall::Shapes shapes, const std::vector<Dims>& inputs,
                                 const Dims& output) {
  const ScalarCall call = {.shapes = shapes, .input = kFloat, .output = kFloat};
  std::vector<TensorType> types;
  for (const Dims& dims : inputs) types.push_back({kFloat, dims});
  std::vector<const TensorType*> pointers;
  for (const TensorType& type : types) pointers.push_back(&type);
  return TensorCallOf(call, pointers, {kFloat, output});
}

TEST(TensorCallsTest, OneLoopWhereAllHaveOneShape) {
  const auto call = CallOf(ScalarCall::Shapes::kBroadcast, {{2, 3}, {}, {1, 1}, {2, 3}}, {2, 3});
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->columns, 0);
  EXPECT_THAT(call->inputs, ElementsAre(Walk::kElement, Walk::kScalar, Walk::kOne, Walk::kElement));
}

TEST(TensorCallsTest, RowsAndColumns) {
  const auto row = CallOf(ScalarCall::Shapes::kBroadcast, {{2, 3, 4}, {3, 4}}, {2, 3, 4});
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->columns, 12);
  EXPECT_THAT(row->inputs, ElementsAre(Walk::kElement, Walk::kRow));
  const auto column = CallOf(ScalarCall::Shapes::kBroadcast, {{2, 3, 1}, {2, 3, 4}}, {2, 3, 4});
  ASSERT_TRUE(column.has_value());
  EXPECT_EQ(column->columns, 4);
  EXPECT_THAT(column->inputs, ElementsAre(Walk::kColumn, Walk::kElement));
  // Neither repeats as a whole.
  const auto outer = CallOf(ScalarCall::Shapes::kBroadcast, {{3, 1}, {1, 4}}, {3, 4});
  ASSERT_TRUE(outer.has_value());
  EXPECT_EQ(outer->columns, 4);
  EXPECT_THAT(outer->inputs, ElementsAre(Walk::kColumn, Walk::kRow));
}

TEST(TensorCallsTest, WhatTakesMoreLoops) {
  EXPECT_FALSE(CallOf(ScalarCall::Shapes::kBroadcast, {{2, 3, 4}, {2, 1, 4}}, {2, 3, 4}));
  EXPECT_FALSE(CallOf(ScalarCall::Shapes::kBroadcast, {{3, 4}, {2, 3, 1}}, {2, 3, 4}));
}

TEST(TensorCallsTest, ShapesThatDoNotFit) {
  EXPECT_FALSE(CallOf(ScalarCall::Shapes::kBroadcast, {{2}, {3}}, {3}));
  EXPECT_FALSE(CallOf(ScalarCall::Shapes::kBroadcast, {{3}, {3}}, {2, 3}));
  EXPECT_FALSE(CallOf(ScalarCall::Shapes::kSame, {{3}, {1}}, {3}));
  EXPECT_FALSE(CallOf(ScalarCall::Shapes::kBias, {{2, 3}, {2}}, {2, 3}));
  EXPECT_FALSE(CallOf(ScalarCall::Shapes::kBias, {{3}, {3}}, {3}));
  EXPECT_FALSE(CallOf(ScalarCall::Shapes::kChosenWhole, {{3}, {3, 3}, {3, 3}}, {3, 3}));
  EXPECT_TRUE(CallOf(ScalarCall::Shapes::kBias, {{2, 3}, {3}}, {2, 3}));
  EXPECT_TRUE(CallOf(ScalarCall::Shapes::kChosenWhole, {{}, {3, 3}, {3, 3}}, {3, 3}));
}

TEST(TensorCallsTest, Pieces) {
  const TensorType value = {kFloat, {2, 6, 5}};
  const auto call = TensorCallOfSplit(value, -2, 3, {kFloat, {2, 2, 5}});
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->columns, 10);
  EXPECT_EQ(call->pieces, 3);
  EXPECT_FALSE(TensorCallOfSplit(value, 1, 4, {kFloat, {2, 1, 5}}));
  EXPECT_FALSE(TensorCallOfSplit(value, 3, 1, value));
  EXPECT_FALSE(TensorCallOfSplit(value, 1, 3, value));
}

TEST(TensorTypeTest, IsOfDTypeAndShape) {
  const Tensor tensor = Tensor::Vector<float>({1, 2});
  EXPECT_TRUE((TensorType{kFloat, {2}}.IsOf(tensor)));
  EXPECT_FALSE((TensorType{kFloat, {2, 1}}.IsOf(tensor)));
  EXPECT_FALSE((TensorType{DType::kInt32, {2}}.IsOf(tensor)));
  EXPECT_TRUE((TensorType{kFloat}.IsOf(Tensor::Scalar(1.0f))));
  EXPECT_FALSE((TensorType{kFloat}.IsOf(Tensor())));
}

}  // namespace
}  // namespace tagflow::optimized
