#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(ImageOpsTest, Resized) {
  for (const char* op :
       {"ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor", "ResizeNearestNeighborGrad"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?,5,3]", "=[7,8]"}), "[2,7,8,3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?,5,3]", "[2]"}), "[2,?,?,3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "<unknown>"}), "[?,?,?,?]") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,5,3]", "[2]"}), "rank");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,4,5,3]", "=[7,8,9]"}), "rank");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,4,5,3]", "[2,2]"}), "rank");
  }
  for (const char* op : {"ResizeBilinearGrad", "ResizeBicubicGrad"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,7,8,3]", "[?,4,5,?]"}), "[2,4,5,3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "[2,4,5,3]"}), "[?,4,5,?]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[2]", "<unknown>"}), "[?,?,?,?]") << op;
  }
}

TEST(ImageOpsTest, Cropped) {
  const char* const op = "CropAndResize";
  EXPECT_EQ(ShapesOf(op, {}, {"[2,5,6,3]", "[?,4]", "[7]", "=[3,4]"}), "[7,3,4,3]");
  EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "<unknown>", "<unknown>", "[2]"}), "[?,?,?,?]");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,5,6,3]", "[7,3]", "[7]", "[2]"}), "error");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,5,6,3]", "[7,4]", "[6]", "[2]"}), "error");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,5,6,3]", "[7,4]", "[7]", "=[2]"}), "rank");
  const char* const by_image = "CropAndResizeGradImage";
  EXPECT_EQ(ShapesOf(by_image, {}, {"[7,3,4,3]", "[7,4]", "[7]", "=[2,5,6,3]"}), "[2,5,6,3]");
  EXPECT_EQ(ShapesOf(by_image, {}, {"[7,3,4,3]", "[7,4]", "[7]", "[4]"}), "[?,?,?,?]");
  EXPECT_PRED2(Contains, ShapesOf(by_image, {}, {"[7,3,4,3]", "[7,4]", "[7]", "=[2]"}), "rank");
  const char* const by_boxes = "CropAndResizeGradBoxes";
  EXPECT_EQ(ShapesOf(by_boxes, {}, {"[7,3,4,3]", "[2,5,6,3]", "[7,?]", "[7]"}), "[7,4]");
}

TEST(ImageOpsTest, BoxesKeptByOverlaps) {
  const char* const op = "NonMaxSuppressionWithOverlaps";
  EXPECT_EQ(ShapesOf(op, {}, {"[7,?]", "[?]", "=3", "[]", "[]"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[7,6]", "[7]", "=3", "[]", "[]"}), "error");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[7,7]", "[6]", "=3", "[]", "[]"}), "error");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[7,7]", "[7]", "=3", "[1]", "[]"}), "scalar");
}

TEST(ImageOpsTest, BoxesKeptOfSeveralClasses) {
  const char* const op = "CombinedNonMaxSuppression";
  const std::vector<std::string> inputs = {"[2,7,1,4]", "[2,?,5]", "=3", "=20", "[]", "[]"};
  EXPECT_EQ(ShapesOf(op, {}, inputs), "[2,20,4] [2,20] [2,20] [2]");
  EXPECT_EQ(ShapesOf(op, {{"pad_per_class", true}}, inputs), "[2,15,4] [2,15] [2,15] [2]");
  EXPECT_EQ(ShapesOf(op, {}, {"[2,7,1,4]", "[2,?,5]", "=3", "=-1", "[]", "[]"}),
            "[2,?,4] [2,?] [2,?] [2]");
  EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "<unknown>", "[]", "[]", "[]", "[]"}),
            "[?,?,4] [?,?] [?,?] [?]");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,7,3,4]", "[2,7,5]", "[]", "[]", "[]", "[]"}),
               "error");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,7,5,4]", "[2,6,5]", "[]", "[]", "[]", "[]"}),
               "error");
}

TEST(ImageOpsTest, DrawnOnto) {
  EXPECT_EQ(ShapesOf("DrawBoundingBoxes", {}, {"[2,?,7,3]", "<unknown>"}), "[2,?,7,3]");
  EXPECT_EQ(ShapesOf("DrawBoundingBoxesV2", {}, {"[2,5,7,3]", "[2,1,4]", "[?,3]"}), "[2,5,7,3]");
  EXPECT_PRED2(Contains, ShapesOf("DrawBoundingBoxes", {}, {"[7,3]", "<unknown>"}), "rank");
}

TEST(ImageOpsTest, BoxesKept) {
  EXPECT_EQ(ShapesOf("NonMaxSuppression", {}, {"[7,4]", "[7]", "=3"}), "[?]");
  EXPECT_EQ(ShapesOf("NonMaxSuppressionV2", {}, {"[7,4]", "[7]", "=3", "[]"}), "[?]");
  EXPECT_EQ(ShapesOf("NonMaxSuppressionV3", {}, {"[?,4]", "[7]", "=3", "[]", "[]"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("NonMaxSuppression", {}, {"[7,5]", "[7]", "[]"}), "error");
  EXPECT_PRED2(Contains, ShapesOf("NonMaxSuppression", {}, {"[7,4]", "[6]", "[]"}), "error");
  EXPECT_PRED2(Contains, ShapesOf("NonMaxSuppression", {}, {"[7,4]", "[7]", "[1]"}), "scalar");
  const std::vector<std::string> inputs = {"[7,4]", "[7]", "=3", "[]", "[]"};
  const char* const pads = "pad_to_max_output_size";
  EXPECT_EQ(ShapesOf("NonMaxSuppressionV4", {}, inputs), "[?] []");
  EXPECT_EQ(ShapesOf("NonMaxSuppressionV4", {{pads, true}}, inputs), "[3] []");
  EXPECT_EQ(
      ShapesOf("NonMaxSuppressionV5", {{pads, true}}, {"[7,4]", "[7]", "=3", "[]", "[]", "[]"}),
      "[3] [3] []");
  EXPECT_EQ(ShapesOf("NonMaxSuppressionV5", {{pads, true}},
                     {"<unknown>", "<unknown>", "[]", "[]", "[]", "[]"}),
            "[?] [?] []");
  EXPECT_PRED2(Contains,
               ShapesOf("NonMaxSuppressionV4", {{pads, true}}, {"[7,4]", "[7]", "=-1", "[]", "[]"}),
               "non-negative");
}

TEST(ImageOpsTest, Patches) {
  const auto patches = [](const std::string& images, std::vector<int64_t> sizes,
                          std::vector<int64_t> strides, std::vector<int64_t> rates,
                          const char* padding) {
    return ShapesOf("ExtractImagePatches",
                    {{"ksizes", IntList(std::move(sizes))},
                     {"strides", IntList(std::move(strides))},
                     {"rates", IntList(std::move(rates))},
                     {"padding", padding}},
                    {images});
  };
  EXPECT_EQ(patches("[2,7,?,3]", {1, 2, 3, 1}, {1, 2, 1, 1}, {1, 1, 1, 1}, "VALID"), "[2,3,?,18]");
  EXPECT_EQ(patches("[2,7,8,?]", {1, 2, 3, 1}, {1, 2, 3, 1}, {1, 2, 1, 1}, "SAME"), "[2,4,3,?]");
  EXPECT_EQ(patches("<unknown>", {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME"), "[?,?,?,?]");
  // What the kernel refuses.
  EXPECT_EQ(patches("[2,7,8,3]", {1, 0, 3, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME"), "<unknown>");
  EXPECT_EQ(patches("[2,7,8,3]", {1, 1, 3, 1}, {1, -1, 1, 1}, {1, 1, 1, 1}, "SAME"), "<unknown>");
  EXPECT_EQ(patches("[2,7,8,3]", {1, 1, 3, 1}, {1, 1, 1, 1}, {1, 1, 0, 1}, "SAME"), "<unknown>");
  EXPECT_PRED2(Contains, patches("[7,8,3]", {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME"),
               "rank");
  EXPECT_PRED2(Contains, patches("[1,7,8,3]", {1, 1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME"),
               "4 values");
  EXPECT_PRED2(Contains, patches("[1,2,2,3]", {1, 9, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "VALID"),
               "error");
}

}  // namespace
}  // namespace tagflow
