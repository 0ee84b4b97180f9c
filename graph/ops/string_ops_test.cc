#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(StringOpsTest, OneTextToOne) {
  for (const char* op : {"AsString", "StringToNumber", "StringLength", "StringLower", "StringUpper",
                         "StringStrip", "EncodeBase64", "DecodeBase64"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]"}), "[2,?]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>"}), "<unknown>") << op;
  }
}

TEST(StringOpsTest, Buckets) {
  EXPECT_EQ(ShapesOf("StringToHashBucket", {{"num_buckets", 5}}, {"[2,?]"}), "[2,?]");
  EXPECT_EQ(
      ShapesOf("StringToHashBucketStrong", {{"key", AttrList()}, {"num_buckets", 5}}, {"[2]"}),
      "[2]");
  EXPECT_PRED2(Contains, ShapesOf("StringToHashBucket", {{"num_buckets", 0}}, {"[2]"}),
               "num_buckets");
}

TEST(StringOpsTest, Joining) {
  EXPECT_EQ(ShapesOf("StringJoin", {}, {"[]", "[2,?]", "[?,3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("StringJoin", {}, {"[]", "<unknown>"}), "<unknown>");
  EXPECT_EQ(ShapesOf("StringJoin", {}, {"[2]", "<unknown>"}), "[2]");
  EXPECT_EQ(ShapesOf("StringJoin", {}, {"[]", "[]"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("StringJoin", {}, {"[2]", "[3]"}), "error");
  EXPECT_EQ(ShapesOf("ReduceJoin", {}, {"[2,3]", "=[0]"}), "[3]");
  EXPECT_EQ(ShapesOf("ReduceJoin", {}, {"[2,3]", "[1]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("ReduceJoin", {}, {"[2,3]", "[1,1]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("ReduceJoin", {}, {"[2,3]", "=[2]"}), "axis 2 is outside");
}

TEST(StringOpsTest, Segments) {
  EXPECT_EQ(ShapesOf("UnsortedSegmentJoin", {}, {"[2,3]", "[2]", "=5"}), "[5,3]");
  EXPECT_EQ(ShapesOf("UnsortedSegmentJoin", {}, {"[2,3]", "[2,3]", "[]"}), "[?]");
  EXPECT_EQ(ShapesOf("UnsortedSegmentJoin", {}, {"<unknown>", "[2]", "=5"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("UnsortedSegmentJoin", {}, {"[2]", "[3]", "=5"}), "error");
  EXPECT_PRED2(Contains, ShapesOf("UnsortedSegmentJoin", {}, {"[2]", "[]", "=5"}), "rank 1");
  EXPECT_PRED2(Contains, ShapesOf("UnsortedSegmentJoin", {}, {"[2]", "[2]", "=-2"}), "negative");
  EXPECT_PRED2(Contains, ShapesOf("UnsortedSegmentJoin", {}, {"[2]", "[2,1]", "=5"}), "rank 2");
}

TEST(StringOpsTest, Pieces) {
  EXPECT_EQ(ShapesOf("Substr", {}, {"[2]", "[]", "[]"}), "[2]");
  EXPECT_EQ(ShapesOf("Substr", {}, {"[]", "[3]", "[?]"}), "[3]");
  EXPECT_PRED2(Contains, ShapesOf("Substr", {}, {"[2]", "[3]", "[3]"}), "error");
  EXPECT_PRED2(Contains, ShapesOf("Substr", {}, {"[2]", "[2]", "[]"}), "error");
  EXPECT_EQ(ShapesOf("StringSplit", {}, {"[4]", "[]"}), "[?,2] [?] [2]");
  EXPECT_EQ(ShapesOf("StringSplitV2", {}, {"<unknown>", "<unknown>"}), "[?,2] [?] [2]");
  EXPECT_PRED2(Contains, ShapesOf("StringSplitV2", {}, {"[]", "[]"}), "rank 1");
  EXPECT_PRED2(Contains, ShapesOf("StringSplitV2", {}, {"[2]", "[1]"}), "a scalar");
}

TEST(StringOpsTest, NGrams) {
  const auto shapes = [](const char* texts, const char* splits) {
    AttrList widths;
    widths.ints = {2};
    return ShapesOf("StringNGrams",
                    {{"separator", " "},
                     {"ngram_widths", widths},
                     {"left_pad", ""},
                     {"right_pad", ""},
                     {"pad_width", 0},
                     {"preserve_short_sequences", false}},
                    {texts, splits});
  };
  EXPECT_EQ(shapes("[6]", "[3]"), "[?] [3]");
  EXPECT_EQ(shapes("<unknown>", "<unknown>"), "[?] [?]");
  EXPECT_PRED2(Contains, shapes("[6,1]", "[3]"), "rank 1");
  EXPECT_PRED2(Contains, shapes("[6]", "[]"), "rank 1");
}

TEST(StringOpsTest, Printing) {
  EXPECT_EQ(ShapesOf("StringFormat", {}, {"[4]"}), "[]");
  AttrList one;
  one.types = {{DType::kFloat, false}};
  EXPECT_EQ(ShapesOf("Print", {{"U", one}}, {"[4]", "[2]"}), "[4]");
  EXPECT_EQ(ShapesOf("PrintV2", {}, {"[]"}), "");
  EXPECT_PRED2(Contains, ShapesOf("PrintV2", {}, {"[1]"}), "a scalar");
}

}  // namespace
}  // namespace tagflow
