#include "graph/ops/fused_convolution.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

Result<FusedOps> Read(const std::vector<std::string>& names, int num_args, int num_types,
                      const char* format = "HWIO") {
  AttrList ops, types;
  ops.strings = names;
  types.types.assign(static_cast<size_t>(num_types), {DType::kFloat, false});
  Node node;
  node.attrs = {{"TArgs", types},   {"epsilon", 0.5F},          {"filter_format", format},
                {"fused_ops", ops}, {"leakyrelu_alpha", 0.25F}, {"num_args", num_args}};
  return ReadFusedOps(node);
}

TEST(FusedConvolutionTest, ABiasAndAnActivation) {
  const Result<FusedOps> ops = Read({"BiasAdd", "LeakyRelu"}, 1, 1);
  ASSERT_TRUE(ops.ok());
  EXPECT_FALSE(ops->normalizes);
  EXPECT_EQ(ops->activation, FusedActivation::kLeakyRelu);
  EXPECT_EQ(ops->leakyrelu_alpha, 0.25F);
}

TEST(FusedConvolutionTest, ANormAlone) {
  const Result<FusedOps> ops = Read({"FusedBatchNorm"}, 4, 4);
  ASSERT_TRUE(ops.ok());
  EXPECT_TRUE(ops->normalizes);
  EXPECT_EQ(ops->activation, FusedActivation::kNone);
  EXPECT_EQ(ops->epsilon, 0.5F);
}

TEST(FusedConvolutionTest, RefusesOtherOps) {
  EXPECT_EQ(Read({}, 1, 1).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Read({"BiasAdd"}, 2, 2).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Read({"BiasAdd"}, 1, 2).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Read({"FusedBatchNorm"}, 1, 1).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Read({"Relu"}, 1, 1).status().code(), Code::kUnimplemented);
  EXPECT_EQ(Read({"BiasAdd", "Tanh"}, 1, 1).status().code(), Code::kUnimplemented);
  EXPECT_EQ(Read({"BiasAdd", "Relu", "Relu"}, 1, 1).status().code(), Code::kUnimplemented);
  EXPECT_EQ(Read({"BiasAdd"}, 1, 1, "OIHW").status().code(), Code::kUnimplemented);
}

TEST(FusedConvolutionTest, ArgumentsAreVectorsOfChannels) {
  const Tensor two = Tensor::Vector<float>({1, 2});
  EXPECT_TRUE(CheckFusedArgs({two, two}, 2).ok());
  EXPECT_EQ(CheckFusedArgs({two}, 3).code(), Code::kInvalidArgument);
  EXPECT_EQ(CheckFusedArgs({two, Tensor::Scalar(1.0F)}, 2).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow
