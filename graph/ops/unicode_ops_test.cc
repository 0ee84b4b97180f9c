#include <gtest/gtest.h>

#include <string>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

std::string DecodedShapes(const char* op, const char* texts) {
  return ShapesOf(op, {{"input_encoding", "UTF-8"}}, {texts});
}
std::string EncodedShapes(const char* values, const char* splits) {
  return ShapesOf("UnicodeEncode", {{"output_encoding", "UTF-8"}}, {values, splits});
}

TEST(UnicodeOpsTest, DecodedTextsHaveOneSplitMoreThanThereAreTexts) {
  EXPECT_EQ(DecodedShapes("UnicodeDecode", "[2,3]"), "[7] [?]");
  EXPECT_EQ(DecodedShapes("UnicodeDecode", "[]"), "[2] [?]");
  EXPECT_EQ(DecodedShapes("UnicodeDecodeWithOffsets", "[2,?]"), "[?] [?] [?]");
  EXPECT_EQ(DecodedShapes("UnicodeDecodeWithOffsets", "<unknown>"), "[?] [?] [?]");
}

TEST(UnicodeOpsTest, EncodedTextsAreOneLessThanTheirSplits) {
  EXPECT_EQ(EncodedShapes("[5]", "[3]"), "[2]");
  EXPECT_EQ(EncodedShapes("<unknown>", "<unknown>"), "[?]");
  EXPECT_PRED2(Contains, EncodedShapes("[5]", "[0]"), "must have an element");
  EXPECT_PRED2(Contains, EncodedShapes("[5,1]", "[3]"), "rank 1");
  EXPECT_PRED2(Contains, EncodedShapes("[5]", "[]"), "rank 1");
}

TEST(UnicodeOpsTest, TranscodedTextsAndScriptsAreAsManyAsTheirInputs) {
  EXPECT_EQ(ShapesOf("UnicodeTranscode",
                     {{"input_encoding", "UTF-8"}, {"output_encoding", "UTF-8"}}, {"[2,?]"}),
            "[2,?]");
  EXPECT_EQ(ShapesOf("UnicodeScript", {}, {"<unknown>"}), "<unknown>");
}

}  // namespace
}  // namespace tagflow
