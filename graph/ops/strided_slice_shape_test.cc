#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

std::string Sliced(std::initializer_list<std::pair<std::string, AttrValue>> masks,
                   const std::string& input, const std::string& begin, const std::string& end,
                   const std::string& strides) {
  return ShapesOf("StridedSlice", masks, {input, begin, end, strides});
}

TEST(StridedSliceShapeTest, CountsTheSteps) {
  EXPECT_EQ(Sliced({}, "[10]", "=[2]", "=[9]", "=[3]"), "[3]");     // x[2:9:3]
  EXPECT_EQ(Sliced({}, "[10]", "=[-3]", "=[100]", "=[1]"), "[3]");  // x[-3:100]
  EXPECT_EQ(Sliced({}, "[10]", "=[9]", "=[2]", "=[-3]"), "[3]");    // x[9:2:-3]
  EXPECT_EQ(Sliced({}, "[10]", "=[5]", "=[2]", "=[1]"), "[0]");
  EXPECT_EQ(Sliced({}, "[10,7]", "=[1]", "=[2]", "=[1]"), "[1,7]");
}

TEST(StridedSliceShapeTest, MasksLeaveBoundsOut) {
  EXPECT_EQ(Sliced({{"begin_mask", 1}}, "[10]", "=[5]", "=[8]", "=[1]"), "[8]");
  EXPECT_EQ(Sliced({{"end_mask", 1}}, "[10]", "=[5]", "=[8]", "=[1]"), "[5]");
  EXPECT_EQ(Sliced({{"begin_mask", 1}, {"end_mask", 1}}, "[10]", "=[5]", "=[8]", "=[-1]"), "[10]");
  EXPECT_EQ(Sliced({{"begin_mask", 1}, {"end_mask", 1}}, "[10]", "[1]", "[1]", "=[2]"), "[5]");
}

TEST(StridedSliceShapeTest, MasksMakeAndDropAxes) {
  EXPECT_EQ(Sliced({{"new_axis_mask", 1}}, "[4]", "=[0,1]", "=[0,3]", "=[1,1]"), "[1,2]");
  EXPECT_EQ(Sliced({{"shrink_axis_mask", 1}}, "[4,5]", "=[-1]", "=[0]", "=[1]"), "[5]");
  EXPECT_EQ(Sliced({{"ellipsis_mask", 1}}, "[4,5,6]", "=[0,1]", "=[0,3]", "=[1,1]"), "[4,5,2]");
  EXPECT_EQ(Sliced({{"ellipsis_mask", 2}, {"shrink_axis_mask", 5}}, "[4,5,6]", "=[0,0,0]",
                   "=[0,0,0]", "=[1,1,1]"),
            "[5]");
  EXPECT_EQ(
      Sliced({{"ellipsis_mask", 1}, {"new_axis_mask", 2}}, "[4,5]", "=[0,0]", "=[0,0]", "=[1,1]"),
      "[4,5,1]");
  EXPECT_EQ(Sliced({{"ellipsis_mask", 1}}, "[4]", "=[0,1]", "=[0,3]", "=[1,1]"), "[2]");
}

TEST(StridedSliceShapeTest, WhatIsNotConstantIsUnknown) {
  EXPECT_EQ(Sliced({}, "[4,5]", "[1]", "=[2]", "=[1]"), "[?,5]");
  EXPECT_EQ(Sliced({{"shrink_axis_mask", 1}}, "[4,5]", "[1]", "[1]", "=[1]"), "[5]");
  EXPECT_EQ(Sliced({}, "[?]", "=[0]", "=[2]", "=[1]"), "[?]");
  EXPECT_EQ(Sliced({}, "[4]", "[?]", "[?]", "[?]"), "<unknown>");
  EXPECT_EQ(Sliced({}, "<unknown>", "=[0]", "=[2]", "=[1]"), "<unknown>");
}

TEST(StridedSliceShapeTest, RefusesWhatCannotBe) {
  EXPECT_PRED2(Contains, Sliced({}, "[4]", "=[0]", "=[2]", "=[0]"), "must not be 0");
  EXPECT_PRED2(Contains, Sliced({}, "[4]", "=[0,0]", "=[2,2]", "=[1,1]"), "more indices than");
  EXPECT_PRED2(Contains, Sliced({{"shrink_axis_mask", 1}}, "[4]", "=[4]", "=[5]", "=[1]"),
               "index 4 is out of bounds for a dimension of 4");
  EXPECT_PRED2(Contains, Sliced({{"shrink_axis_mask", 1}}, "[4]", "=[0]", "=[1]", "=[-1]"),
               "must be positive");
  EXPECT_PRED2(Contains, Sliced({{"ellipsis_mask", 3}}, "[4]", "=[0,0]", "=[0,0]", "=[1,1]"),
               "more than one ellipsis");
}

}  // namespace
}  // namespace tagflow
