#include "graph/ops/convolution_geometry.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

ConvolutionAttrs Moves(bool is_depthwise) {
  ConvolutionAttrs attrs;
  attrs.windows.layout = {4, false};
  attrs.windows.strides = attrs.windows.dilations = {1, 1, 1, 1};
  attrs.is_depthwise = is_depthwise;
  return attrs;
}

// "groups 2, output [1,2,2,6]", or the error.
std::string Place(DimsView image, DimsView filter, bool is_depthwise = false) {
  const auto geometry = PlaceConvolution(Moves(is_depthwise), image, filter);
  if (!geometry.ok()) return geometry.status().ToString();
  return "groups " + std::to_string(geometry->groups) + ", output " +
         DimsString(geometry->OutputDims());
}

bool IsInvalid(const std::string& text) { return text.starts_with("INVALID_ARGUMENT"); }

TEST(ConvolutionGeometryTest, ChannelsAreInGroups) {
  EXPECT_EQ(Place(Dims{5, 4, 4, 2}, Dims{3, 2, 2, 6}), "groups 1, output [5,2,3,6]");
  EXPECT_EQ(Place(Dims{5, 4, 4, 4}, Dims{3, 3, 2, 6}), "groups 2, output [5,2,2,6]");
  EXPECT_EQ(Place(Dims{5, 4, 4, 4}, Dims{3, 3, 4, 2}, true), "groups 4, output [5,2,2,8]");
  EXPECT_EQ(Place(Dims{5, 4, 4, 0}, Dims{3, 3, 2, 6}), "groups 0, output [5,2,2,6]");
}

TEST(ConvolutionGeometryTest, WhatIsUnknownStaysUnknown) {
  EXPECT_EQ(Place(Dims{kUnknown, 4, kUnknown, kUnknown}, Dims{3, 3, 2, 6}),
            "groups -1, output [-1,2,-1,6]");
  EXPECT_EQ(Place(Dims{1, 4, 4, kUnknown}, Dims{3, 3, 4, kUnknown}, true),
            "groups 4, output [1,2,2,-1]");
}

TEST(ConvolutionGeometryTest, RefusesChannelsThatDoNotFit) {
  EXPECT_PRED1(IsInvalid, Place(Dims{5, 4, 4}, Dims{3, 3, 2, 6}));
  EXPECT_PRED1(IsInvalid, Place(Dims{5, 4, 4, 2}, Dims{3, 3, 2}));
  EXPECT_PRED1(IsInvalid, Place(Dims{5, 4, 4, 3}, Dims{3, 3, 2, 6}));
  EXPECT_PRED1(IsInvalid, Place(Dims{5, 4, 4, 4}, Dims{3, 3, 2, 5}));
  EXPECT_PRED1(IsInvalid, Place(Dims{5, 4, 4, 4}, Dims{3, 3, 0, 6}));
  EXPECT_PRED1(IsInvalid, Place(Dims{5, 4, 4, 3}, Dims{3, 3, 2, 6}, true));
}

}  // namespace
}  // namespace tagflow
