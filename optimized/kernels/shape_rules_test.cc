// Shapes that kernels of the host and of devices work out in one way.
// Tests: channels.cc, product_shapes.cc, reduced_shapes.cc

#include <gtest/gtest.h>

#include "optimized/kernels/channels.h"
#include "optimized/kernels/product_shapes.h"
#include "optimized/kernels/reduced_shapes.h"

namespace tagflow::optimized {
namespace {

TEST(ReducedShapes, KeepDimsWhereTheyAreToldTo) {
  const Tensor axes = Tensor::Vector<int32_t>({0, -1});
  const ReducedShapes dropped = *ReducedShapesOf(Dims{2, 3, 4}, axes, false);
  EXPECT_EQ(dropped.kept, (Dims{1, 3, 1}));
  EXPECT_EQ(dropped.output, Dims{3});
  EXPECT_EQ(ReducedShapesOf(Dims{2, 3, 4}, axes, true)->output, (Dims{1, 3, 1}));
}

TEST(ReducedShapes, RefuseAxesThatAreNotThereOrNamedTwice) {
  EXPECT_EQ(ReducedShapesOf(Dims{2}, Tensor::Scalar<int64_t>(1), false).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(ReducedShapesOf(Dims{2, 3}, Tensor::Vector<int32_t>({1, -1}), false).status().code(),
            Code::kInvalidArgument);
}

TEST(Channels, AreLastOrSecond) {
  EXPECT_EQ(*ChannelDims(Dims{2, 3, 4}, false), (Dims{1, 1, 4}));
  EXPECT_EQ(*ChannelDims(Dims{2, 3, 4}, true), (Dims{1, 3, 1}));
  EXPECT_EQ(ChannelDims(Dims{2}, false).status().code(), Code::kInvalidArgument);
}

TEST(ProductShapes, AreOfMatricesThatFit) {
  const Dims matrix = {2, 3}, batch = {4, 2, 3}, vector = {3};
  EXPECT_TRUE(RequireMatrices(matrix, matrix, true).ok());
  EXPECT_TRUE(RequireMatrices(matrix, batch, false).ok());
  EXPECT_FALSE(RequireMatrices(matrix, batch, true).ok());
  EXPECT_FALSE(RequireMatrices(vector, matrix, false).ok());
  EXPECT_TRUE(RequireOneInnerSize(matrix, matrix, 3, 3).ok());
  EXPECT_FALSE(RequireOneInnerSize(matrix, matrix, 3, 2).ok());
  EXPECT_TRUE(RequireOneBatch(batch, batch).ok());
  EXPECT_FALSE(RequireOneBatch(batch, matrix).ok());
}

}  // namespace
}  // namespace tagflow::optimized
