#include "graph/ops/window_geometry.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

// "3 windows, padding 0 1", or the error.
std::string Place(const WindowDim& dim, WindowPadding padding) {
  const Result<WindowDim> placed = PlaceWindows(dim, padding);
  if (!placed.ok()) return placed.status().ToString();
  return std::to_string(placed->count) + " windows, padding " +
         std::to_string(placed->padding_before) + " " + std::to_string(placed->padding_after);
}

bool IsInvalid(const std::string& text) { return text.starts_with("INVALID_ARGUMENT"); }

TEST(PlaceWindowsTest, ValidWindowsLieInTheImage) {
  EXPECT_EQ(Place({.image = 7, .window = 3, .stride = 2}, WindowPadding::kValid),
            "3 windows, padding 0 0");
  EXPECT_EQ(Place({.image = 7, .window = 3, .dilation = 3}, WindowPadding::kValid),
            "1 windows, padding 0 0");
  EXPECT_EQ(Place({.image = 0, .window = 1}, WindowPadding::kValid), "0 windows, padding 0 0");
}

TEST(PlaceWindowsTest, AWindowTooLargeByAStrideMakesAnEmptyOutput) {
  EXPECT_EQ(Place({.image = 2, .window = 3}, WindowPadding::kValid), "0 windows, padding 0 0");
  EXPECT_EQ(Place({.image = 1, .window = 4, .stride = 2}, WindowPadding::kValid),
            "0 windows, padding 0 0");
  EXPECT_PRED1(IsInvalid, Place({.image = 2, .window = 4}, WindowPadding::kValid));
  EXPECT_PRED1(IsInvalid, Place({.image = 2, .window = 6, .stride = 2}, WindowPadding::kValid));
}

TEST(PlaceWindowsTest, SameWindowsBeginInTheImage) {
  EXPECT_EQ(Place({.image = 7, .window = 3, .stride = 2}, WindowPadding::kSame),
            "4 windows, padding 1 1");
  EXPECT_EQ(Place({.image = 8, .window = 3, .stride = 2}, WindowPadding::kSame),
            "4 windows, padding 0 1");
  EXPECT_EQ(Place({.image = 8, .window = 1, .stride = 3}, WindowPadding::kSame),
            "3 windows, padding 0 0");
  EXPECT_EQ(Place({.image = 0, .window = 3}, WindowPadding::kSame), "0 windows, padding 1 1");
}

TEST(PlaceWindowsTest, ExplicitPaddingsAreKept) {
  EXPECT_EQ(Place({.image = 5, .window = 3, .padding_before = 2, .padding_after = 1},
                  WindowPadding::kExplicit),
            "6 windows, padding 2 1");
}

TEST(PlaceWindowsTest, WhatIsUnknownStaysUnknown) {
  EXPECT_EQ(Place({.image = kUnknown, .window = 3}, WindowPadding::kSame),
            "-1 windows, padding -1 -1");
  EXPECT_EQ(Place({.image = 4, .window = kUnknown}, WindowPadding::kSame),
            "4 windows, padding -1 -1");
  EXPECT_EQ(Place({.image = 4, .window = kUnknown}, WindowPadding::kValid),
            "-1 windows, padding 0 0");
}

TEST(PlaceWindowsTest, RefusesWhatMeansNothing) {
  for (const WindowPadding padding : {WindowPadding::kValid, WindowPadding::kSame}) {
    EXPECT_PRED1(IsInvalid, Place({.image = 4, .stride = 0}, padding));
    EXPECT_PRED1(IsInvalid, Place({.image = 4, .dilation = -1}, padding));
    EXPECT_PRED1(IsInvalid, Place({.image = 4, .window = 0}, padding));
    EXPECT_PRED1(IsInvalid, Place({.image = 4, .window = 3, .dilation = kHuge}, padding));
  }
  EXPECT_PRED1(IsInvalid, Place({.image = 4, .padding_after = kHuge}, WindowPadding::kExplicit));
  EXPECT_PRED1(IsInvalid, Place({.image = kHuge, .window = kHuge}, WindowPadding::kSame));
}

TEST(PlaceWindowsTest, HugeSizesThatFitAreLegal) {
  EXPECT_EQ(Place({.image = kHuge, .stride = kHuge}, WindowPadding::kSame),
            "1 windows, padding 0 0");
  EXPECT_EQ(Place({.image = 1, .window = kHuge, .stride = kHuge}, WindowPadding::kValid),
            "0 windows, padding 0 0");
}

TEST(ImageLayoutTest, NamesDimensions) {
  const ImageLayout last = *ParseImageLayout("NDHWC");
  EXPECT_EQ(last.channel(), 4);
  EXPECT_EQ(last.spatial(0), 1);
  EXPECT_EQ(ImageDims(last, 2, Dims{3, 4, 5}, 6), (Dims{2, 3, 4, 5, 6}));
  const ImageLayout second = *ParseImageLayout("NCHW");
  EXPECT_EQ(second.channel(), 1);
  EXPECT_EQ(ImageDims(second, 2, Dims{3, 4}, 6), (Dims{2, 6, 3, 4}));
  EXPECT_EQ(SpatialDims(second, Dims{2, 6, 3, 4}), (Dims{3, 4}));
  EXPECT_EQ(ParseImageLayout("NCHW_VECT_C").status().code(), Code::kUnimplemented);
}

// A node with these attrs in the place of those that move windows of 1 by 1 over images.
Node NodeWith(const std::vector<std::pair<std::string, AttrValue>>& changed) {
  Node node;
  node.attrs = {{"data_format", "NHWC"},
                {"dilations", IntList({1, 1, 1, 1})},
                {"explicit_paddings", IntList({})},
                {"padding", "VALID"},
                {"strides", IntList({1, 1, 1, 1})}};
  for (const auto& [name, value] : changed) {
    for (auto& attr : node.attrs) {
      if (attr.first == name) attr.second = value;
    }
  }
  return node;
}

TEST(WindowAttrsTest, PlacesAllWindows) {
  const Node node = NodeWith({{"strides", IntList({1, 1, 2, 3})},
                              {"data_format", "NCHW"},
                              {"padding", "EXPLICIT"},
                              {"explicit_paddings", IntList({0, 0, 0, 0, 1, 2, 3, 4})}});
  const Result<WindowAttrs> attrs = ReadWindowAttrs(node, 2);
  ASSERT_TRUE(attrs.ok());
  EXPECT_TRUE(RequireSpatialMoves(*attrs).ok());
  const auto windows = PlaceAllWindows(*attrs, Dims{5, 7}, Dims{2, 2});
  ASSERT_TRUE(windows.ok());
  EXPECT_EQ(WindowCounts(*windows), (Dims{4, 5}));
  EXPECT_EQ((*windows)[1].padding_before, 3);
}

TEST(WindowAttrsTest, AnOpMayLackAttrs) {
  Node node;
  node.attrs = {{"padding", "SAME"}, {"strides", IntList({1, 2, 2, 2, 1})}};
  const Result<WindowAttrs> attrs = ReadWindowAttrs(node, 3);
  ASSERT_TRUE(attrs.ok());
  EXPECT_EQ(attrs->layout.channel(), 4);
  EXPECT_EQ(attrs->dilations, (Dims{1, 1, 1, 1, 1}));
}

TEST(WindowAttrsTest, RefusesAttrsThatDoNotFit) {
  const auto code_of = [](std::string name, AttrValue value) {
    const Result<WindowAttrs> attrs = ReadWindowAttrs(NodeWith({{name, value}}), 2);
    return attrs.ok() ? RequireSpatialMoves(*attrs).code() : attrs.status().code();
  };
  EXPECT_EQ(code_of("strides", IntList({1, 1, 1})), Code::kInvalidArgument);
  EXPECT_EQ(code_of("strides", IntList({1, 0, 1, 1})), Code::kInvalidArgument);
  EXPECT_EQ(code_of("dilations", IntList({1, 1, -1, 1})), Code::kInvalidArgument);
  EXPECT_EQ(code_of("explicit_paddings", IntList({0, 0})), Code::kInvalidArgument);
  EXPECT_EQ(code_of("padding", "EXPLICIT"), Code::kInvalidArgument);
  EXPECT_EQ(code_of("padding", "OTHER"), Code::kInvalidArgument);
  EXPECT_EQ(code_of("data_format", "NDHWC"), Code::kInvalidArgument);
  EXPECT_EQ(code_of("data_format", "NCHW_VECT_C"), Code::kUnimplemented);
  EXPECT_EQ(code_of("strides", IntList({2, 1, 1, 1})), Code::kUnimplemented);
  EXPECT_EQ(code_of("dilations", IntList({1, 1, 1, 2})), Code::kUnimplemented);
}

TEST(WindowAttrsTest, RefusesPaddingsOfNoImage) {
  const auto message_of = [](std::vector<int64_t> paddings) {
    const Node node = NodeWith({{"padding", "EXPLICIT"}, {"explicit_paddings", IntList(paddings)}});
    return ReadWindowAttrs(node, 2).status().message();
  };
  EXPECT_EQ(message_of({0, 0, kHuge, kHuge, 1, 1, 0, 0}), "");
  EXPECT_NE(message_of({0, 0, -1, 0, 0, 0, 0, 0}), "");
  EXPECT_NE(message_of({0, 1, 0, 0, 0, 0, 0, 0}), "");
  EXPECT_NE(message_of({0, 0, 0, 0, 0, 0, kHuge, kHuge}), "");
}

}  // namespace
}  // namespace tagflow
