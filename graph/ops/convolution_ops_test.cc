#include <gtest/gtest.h>

#include <utility>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

const AttrValue kStep = IntList({1, 1, 1, 1});
const AttrValue kStep3D = IntList({1, 1, 1, 1, 1});

TEST(ConvolutionOpsTest, Conv2D) {
  EXPECT_EQ(
      ShapesOf("Conv2D", {{"strides", kStep}, {"padding", "VALID"}}, {"[8,5,?,2]", "[3,3,2,7]"}),
      "[8,3,?,7]");
  EXPECT_EQ(ShapesOf("Conv2D", {{"strides", IntList({1, 2, 2, 1})}, {"padding", "SAME"}},
                     {"[?,5,6,2]", "<unknown>"}),
            "[?,3,3,?]");
  EXPECT_EQ(ShapesOf("Conv2D", {{"strides", kStep}, {"padding", "SAME"}, {"data_format", "NCHW"}},
                     {"[1,4,5,6]", "[3,3,2,8]"}),
            "[1,8,5,6]");
  EXPECT_EQ(ShapesOf("Conv2D",
                     {{"strides", kStep},
                      {"padding", "EXPLICIT"},
                      {"explicit_paddings", IntList({0, 0, 1, 0, 2, 2, 0, 0})},
                      {"dilations", IntList({1, 2, 1, 1})}},
                     {"[1,5,5,1]", "[3,3,1,1]"}),
            "[1,2,7,1]");
  EXPECT_EQ(
      ShapesOf("Conv2D", {{"strides", kStep}, {"padding", "VALID"}}, {"<unknown>", "<unknown>"}),
      "[?,?,?,?]");
}

TEST(ConvolutionOpsTest, RefusesWhatDoesNotFit) {
  const auto error = [](const char* image, const char* filter, AttrValue strides) {
    return ShapesOf("Conv2D", {{"strides", std::move(strides)}, {"padding", "VALID"}},
                    {image, filter});
  };
  EXPECT_PRED2(Contains, error("[1,5,5]", "[3,3,2,7]", kStep), "rank 4");
  EXPECT_PRED2(Contains, error("[1,5,5,3]", "[3,3,2,7]", kStep), "evenly divisible");
  EXPECT_PRED2(Contains, error("[1,5,5,2]", "[8,3,2,7]", kStep), "larger than");
  EXPECT_PRED2(Contains, error("[1,5,5,2]", "[3,3,2,7]", IntList({1, 0, 1, 1})), "strides");
  EXPECT_PRED2(Contains, error("[1,5,5,2]", "[3,3,2,7]", IntList({2, 1, 1, 1})), "not yet support");
}

TEST(ConvolutionOpsTest, Depthwise) {
  EXPECT_EQ(ShapesOf("DepthwiseConv2dNative", {{"strides", kStep}, {"padding", "VALID"}},
                     {"[8,5,5,2]", "[3,3,2,7]"}),
            "[8,3,3,14]");
  EXPECT_PRED2(Contains,
               ShapesOf("DepthwiseConv2dNative", {{"strides", kStep}, {"padding", "VALID"}},
                        {"[8,5,5,2]", "[3,3,1,7]"}),
               "same depth");
}

TEST(ConvolutionOpsTest, Fused) {
  AttrList ops, types;
  ops.strings = {"BiasAdd", "Relu"};
  types.types = {{DType::kFloat, false}};
  const auto shape = [&](int num_args, const char* format) {
    return ShapesOf("_FusedConv2D",
                    {{"strides", kStep},
                     {"padding", "SAME"},
                     {"fused_ops", ops},
                     {"TArgs", types},
                     {"num_args", num_args},
                     {"data_format", format}},
                    {"[?,5,6,2]", "[3,3,2,7]", "[7]"});
  };
  EXPECT_EQ(shape(1, "NHWC"), "[?,5,6,7]");
  EXPECT_PRED2(Contains, shape(2, "NHWC"), "arguments");
  EXPECT_PRED2(Contains, shape(1, "NCHW_VECT_C"), "data_format");
}

TEST(ConvolutionOpsTest, Conv3D) {
  EXPECT_EQ(ShapesOf("Conv3D", {{"strides", kStep3D}, {"padding", "VALID"}},
                     {"[8,5,6,7,2]", "[3,3,3,2,4]"}),
            "[8,3,4,5,4]");
  EXPECT_EQ(
      ShapesOf("Conv3D", {{"strides", kStep3D}, {"padding", "SAME"}, {"data_format", "NCDHW"}},
               {"[8,2,5,6,7]", "[3,3,3,2,4]"}),
      "[8,4,5,6,7]");
}

TEST(ConvolutionOpsTest, GradientsOfImages) {
  const auto shape = [](const char* op, AttrValue strides, const char* sizes, const char* filter) {
    return ShapesOf(op, {{"strides", std::move(strides)}, {"padding", "VALID"}},
                    {sizes, filter, "<unknown>"});
  };
  EXPECT_EQ(shape("Conv2DBackpropInput", kStep, "=[1,4,5,2]", "<unknown>"), "[1,4,5,2]");
  EXPECT_EQ(shape("Conv2DBackpropInput", kStep, "=[4,5]", "[3,3,2,7]"), "[?,4,5,2]");
  EXPECT_EQ(shape("Conv2DBackpropInput", kStep, "[?]", "<unknown>"), "[?,?,?,?]");
  EXPECT_PRED2(Contains, shape("Conv2DBackpropInput", kStep, "=[1,4,5]", "<unknown>"), "rank");
  EXPECT_EQ(shape("DepthwiseConv2dNativeBackpropInput", kStep, "=[1,4,5,2]", "<unknown>"),
            "[1,4,5,2]");
  EXPECT_EQ(shape("Conv3DBackpropInputV2", kStep3D, "=[1,4,5,6,2]", "<unknown>"), "[1,4,5,6,2]");
}

TEST(ConvolutionOpsTest, GradientsOfFilters) {
  const auto shape = [](const char* op, AttrValue strides, const char* sizes) {
    return ShapesOf(op, {{"strides", std::move(strides)}, {"padding", "VALID"}},
                    {"<unknown>", sizes, "<unknown>"});
  };
  EXPECT_EQ(shape("Conv2DBackpropFilter", kStep, "=[3,3,2,7]"), "[3,3,2,7]");
  EXPECT_EQ(shape("DepthwiseConv2dNativeBackpropFilter", kStep, "=[3,3,2,7]"), "[3,3,2,7]");
  EXPECT_EQ(shape("Conv3DBackpropFilterV2", kStep3D, "=[3,3,3,2,7]"), "[3,3,3,2,7]");
  EXPECT_EQ(shape("Conv3DBackpropFilterV2", kStep3D, "<unknown>"), "[?,?,?,?,?]");
  EXPECT_PRED2(Contains, shape("Conv2DBackpropFilter", kStep, "=[3,3]"), "rank");
}

}  // namespace
}  // namespace tagflow
