// Tests: pool_grid.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/ops/pool_grid.h"
#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(PoolingOpsTest, Windows) {
  const auto pool = [](const std::string& images, std::vector<int64_t> ksize,
                       std::vector<int64_t> strides, const char* padding,
                       const char* format = "NHWC") {
    return ShapesOf("MaxPool",
                    {{"ksize", IntList(std::move(ksize))},
                     {"strides", IntList(std::move(strides))},
                     {"padding", padding},
                     {"data_format", format}},
                    {images});
  };
  EXPECT_EQ(pool("[2,7,?,3]", {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID"), "[2,3,?,3]");
  EXPECT_EQ(pool("[2,7,8,3]", {1, 3, 3, 1}, {1, 2, 3, 1}, "SAME"), "[2,4,3,3]");
  EXPECT_EQ(pool("[?,3,7,8]", {1, 1, 2, 2}, {1, 1, 2, 2}, "VALID", "NCHW"), "[?,3,3,4]");
  EXPECT_EQ(pool("<unknown>", {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID"), "[?,?,?,?]");
  EXPECT_EQ(pool("[2,7,8,6]", {1, 1, 1, 3}, {1, 1, 1, 3}, "VALID"), "[2,7,8,2]");
  EXPECT_EQ(pool("[2,6,8,7]", {1, 3, 1, 1}, {1, 3, 1, 1}, "VALID", "NCHW"), "[2,2,8,7]");
  EXPECT_EQ(pool("[2,6,8,7]", {1, 1, 1, 1}, {1, 1, 1, 1}, "VALID", "NCHW_VECT_C"), "<unknown>");
  EXPECT_PRED2(Contains, pool("[2,7]", {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID"), "rank");
  EXPECT_PRED2(Contains, pool("[2,7,7,3]", {1, 0, 2, 1}, {1, 2, 2, 1}, "VALID"), "must be > 0");
  EXPECT_PRED2(Contains, pool("[2,7,7,3]", {1, 2, 2, 1}, {1, 2, 0, 1}, "VALID"), "larger than 0");
  EXPECT_PRED2(Contains, pool("[2,7,7,3]", {2, 2, 2, 1}, {1, 2, 2, 1}, "VALID"), "batch");
  EXPECT_PRED2(Contains, pool("[2,7,7,3]", {1, 2, 2, 3}, {1, 2, 2, 3}, "VALID"), "not over both");
  EXPECT_PRED2(Contains, pool("[2,7,7,3]", {1, 1, 1, 2}, {1, 1, 1, 2}, "VALID"), "evenly");
  EXPECT_PRED2(Contains, pool("[2,7,7,3]", {1, 1, 1, 3}, {1, 1, 1, 1}, "VALID"), "depth stride");
  EXPECT_PRED2(Contains, pool("[2,7,7,3]", {1, 2, 2, 1}, {1, 2, 2, 3}, "VALID"), "channels");
  EXPECT_PRED2(Contains, pool("[2,7,7,3]", {1, 9, 2, 1}, {1, 1, 2, 1}, "VALID"), "larger than");
}

TEST(PoolingOpsTest, ExplicitPaddings) {
  const auto pool = [](std::vector<int64_t> paddings) {
    return ShapesOf("MaxPool",
                    {{"ksize", IntList({1, 2, 3, 1})},
                     {"strides", IntList({1, 1, 2, 1})},
                     {"padding", "EXPLICIT"},
                     {"explicit_paddings", IntList(std::move(paddings))}},
                    {"[2,4,5,3]"});
  };
  EXPECT_EQ(pool({0, 0, 1, 0, 2, 1, 0, 0}), "[2,4,3,3]");
  EXPECT_PRED2(Contains, pool({0, 0, 2, 0, 2, 1, 0, 0}), "smaller than the window size 2");
  EXPECT_PRED2(Contains, pool({0, 0, 1, 0, 2, 1, 0, 1}), "batch or depth");
  EXPECT_PRED2(Contains, pool({}), "8 values");
}

TEST(PoolingOpsTest, SizesThatAreInputs) {
  const auto pool = [](const char* ksize, const char* strides) {
    return ShapesOf("MaxPoolV2", {{"padding", "VALID"}}, {"[2,7,8,3]", ksize, strides});
  };
  EXPECT_EQ(pool("=[1,2,2,1]", "=[1,2,2,1]"), "[2,3,4,3]");
  EXPECT_EQ(pool("[4]", "=[1,2,2,1]"), "[2,?,?,?]");
  EXPECT_PRED2(Contains, pool("=[1,2]", "=[1,2,2,1]"), "must specify 4 dimensions");
  EXPECT_PRED2(Contains, pool("=[1,2,2,1]", "=[1,2,-1,1]"), "must be > 0");
}

TEST(PoolingOpsTest, Gradients) {
  const auto attrs = {std::pair<std::string, AttrValue>("ksize", IntList({1, 2, 2, 1})),
                      {"strides", IntList({1, 2, 2, 1})},
                      {"padding", "VALID"}};
  EXPECT_EQ(ShapesOf("MaxPoolGrad", attrs, {"[2,7,8,3]", "[2,3,4,3]", "<unknown>"}), "[2,7,8,3]");
  EXPECT_EQ(ShapesOf("MaxPoolGradGrad", attrs, {"[2,7,8,3]", "<unknown>", "<unknown>"}),
            "[2,3,4,3]");
  EXPECT_PRED2(Contains, ShapesOf("MaxPoolGrad", attrs, {"[2,7,8,3]", "[2,3,4,3]", "[2,3,3,3]"}),
               "differ in dimension 2");
  const char* argmax = "MaxPoolGradWithArgmax";
  EXPECT_EQ(ShapesOf(argmax, attrs, {"[2,7,8,3]", "[2,3,4,3]", "[2,3,4,3]"}), "[2,7,8,3]");
  EXPECT_EQ(ShapesOf("MaxPoolGradGradWithArgmax", attrs, {"[2,7,8,3]", "[2,7,8,3]", "[2,3,4,3]"}),
            "[2,3,4,3]");
  EXPECT_EQ(ShapesOf("MaxPoolWithArgmax", attrs, {"[2,7,8,3]"}), "[2,3,4,3] [2,3,4,3]");
  EXPECT_EQ(ShapesOf("AvgPoolGrad", attrs, {"=[2,7,8,3]", "[2,3,4,3]"}), "[2,7,8,3]");
  EXPECT_EQ(ShapesOf("AvgPoolGrad", attrs, {"<unknown>", "[2,3,4,3]"}), "[?,?,?,?]");
  EXPECT_PRED2(Contains, ShapesOf("AvgPoolGrad", attrs, {"[3]", "[2,3,4,3]"}), "rank");
}

// What the windows of a MaxPool of that format lie over.
PoolGrid Grid(const char* format, std::vector<int64_t> ksize, const Dims& image) {
  AttrMap attrs = {{"ksize", IntList(ksize)},
                   {"strides", IntList(ksize)},
                   {"padding", "VALID"},
                   {"data_format", format}};
  Graph graph;
  Node& node = graph.mutable_node(*graph.AddNode("pool", "MaxPool"));
  node.attrs = std::move(attrs);
  std::ranges::sort(node.attrs, {}, &AttrMap::value_type::first);
  return *GridOf(*ReadPooling(node, 2), image);
}

TEST(PoolGridTest, ChannelsThatComeSecondAreImages) {
  const PoolGrid last = Grid("NHWC", {1, 2, 3, 1}, {2, 4, 6, 5});
  EXPECT_EQ(last.images, 2);
  EXPECT_EQ(last.channels, 5);
  EXPECT_EQ(last.windows(), 4);
  EXPECT_EQ(last.places(), 24);
  const PoolGrid second = Grid("NCHW", {1, 1, 2, 3}, {2, 5, 4, 6});
  EXPECT_EQ(second.images, 10);
  EXPECT_EQ(second.channels, 1);
  EXPECT_EQ(second.output, (Dims{2, 5, 2, 2}));
}

TEST(PoolGridTest, ChannelsThatWindowsAreOverAreSpatial) {
  const PoolGrid last = Grid("NHWC", {1, 1, 1, 3}, {2, 4, 5, 6});
  EXPECT_EQ(last.dims[2].count, 2);
  EXPECT_EQ(last.channels, 1);
  EXPECT_EQ(last.places(), 120);
  const PoolGrid second = Grid("NCHW", {1, 3, 1, 1}, {2, 6, 4, 5});
  EXPECT_EQ(second.dims[0].count, 2);
  EXPECT_EQ(second.images, 2);
  EXPECT_EQ(second.output, (Dims{2, 2, 4, 5}));
}

}  // namespace
}  // namespace tagflow
