#include "graph/saved/tensor_slice.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

// "dims; slice", or the error.
std::string Parsed(const std::string& text) {
  const auto parsed = ParseShapeAndSlice(text);
  if (!parsed.ok()) return parsed.status().ToString();
  return DimsString(parsed->dims) + "; " + parsed->slice.ToString();
}

TEST(TensorSliceTest, IsWrittenBehindAShape) {
  EXPECT_EQ(Parsed("4 0,2"), "[4]; 0,2");
  EXPECT_EQ(Parsed("4 3 0,2:-"), "[4,3]; 0,2:-");
  EXPECT_EQ(Parsed("+4 -"), "[4]; -");
  EXPECT_EQ(Parsed("0 3 -:1,2"), "[0,3]; -:1,2");
}

TEST(TensorSliceTest, WhatIsWrittenOtherwiseIsRefused) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "Need least two elements"},
      {"4", "Need least two elements"},
      {"x 0,2", "Non numerical dimension"},
      {"4  0,2", "Non numerical dimension"},
      {"-4 0,2", "Non numerical dimension"},
      {"99999999999999999999 0,2", "Non numerical dimension"},
      {"4 a", "Expected a pair of numbers or '-' but got 'a'"},
      {"4 1", "Expected a pair"},
      {"4 1,2,3", "Expected a pair"},
      {"4 ", "Expected a pair"},
      {"4 0,0", "positive length"},
      {"4 -1,2", "non-negative start"},
      {"9223372036854775807 3 -:-", "more than 2^63 - 1 elements"},
  };
  for (const auto& [text, words] : wrong) {
    const std::string said = Parsed(text);
    EXPECT_EQ(said.find("INVALID_ARGUMENT: "), 0u) << text << ": " << said;
    EXPECT_NE(said.find(words), std::string::npos) << text << ": " << said;
  }
  EXPECT_EQ(Parsed("4 0,2:0,1"), "INTERNAL: Mismatching ranks: shape = [4], slice = 0,2:0,1");
  for (const char* outside : {"4 3,2", "4 1,9223372036854775807", "4 9223372036854775807,1"}) {
    EXPECT_EQ(Parsed(outside).find("INTERNAL: Extent in dimension 0 out of bounds"), 0u);
  }
}

// Keys as TensorFlow wrote them.
TEST(TensorSliceTest, KeysAreInTheOrderOfWhatTheyStandFor) {
  using namespace std::string_literals;
  EXPECT_EQ(SliceKey("a", {{{0, 2}}}), "\0a\0\1\1\1\x80\x82"s);
  EXPECT_EQ(SliceKey("a", TensorSlice::Whole(1)), "\0a\0\1\1\1\x80\x7f"s);
  EXPECT_EQ(SliceKey("", {}), "\0\0\1\0"s);
  EXPECT_EQ(SliceKey("\xff\0"s, {}), "\0\xff\0\0\xff\0\1\0"s);
  EXPECT_EQ(SliceKey("a", {{{63, 64}}}), "\0a\0\1\1\1\xbf\xc0\x40"s);
  EXPECT_EQ(SliceKey("a", {{{8191, 8192}}}), "\0a\0\1\1\1\xdf\xff\xe0\x20\0"s);
  EXPECT_EQ(SliceKey("a", {{{int64_t{1} << 62, 1}}}), "\0a\0\1\1\1\xff\xc0\x40\0\0\0\0\0\0\0\x81"s);
  std::string last;
  for (const int64_t start : {int64_t{0}, int64_t{1}, int64_t{63}, int64_t{64}, int64_t{8192},
                              int64_t{1} << 20, int64_t{1} << 55, INT64_MAX}) {
    const std::string key = SliceKey("a", {{{start, 1}}});
    EXPECT_LT(last, key) << start;
    last = key;
  }
}

TEST(TensorSliceTest, BlocksAreCopiedWhereTheyMeet) {
  std::vector<int32_t> numbers(12);
  for (int i = 0; i < 12; ++i) numbers[static_cast<size_t>(i)] = i;
  const Block whole = {{{{0, 3}, {0, 4}}}, Tensor::Of<int32_t>(Dims{3, 4}, numbers)};
  Block part = {{{{1, 2}, {1, 2}}}, *Tensor::Allocate(DType::kInt32, Dims{2, 2})};
  std::vector<bool> filled(4);
  EXPECT_TRUE(CopyShared(whole, part, filled).ok());
  EXPECT_EQ(part.values.DebugString(), "int32[2,2] [[5, 6], [9, 10]]");
  EXPECT_EQ(CopyShared(whole, part, filled).code(), Code::kInternal);
  EXPECT_FALSE(Overlap({{{0, 1}, {0, 4}}}, part.slice));
  Block scalar = {{}, *Tensor::Allocate(DType::kString, {})};
  filled.assign(1, false);
  EXPECT_TRUE(CopyShared({{}, Tensor::Scalar<std::string>("x")}, scalar, filled).ok());
  EXPECT_EQ(scalar.values.DebugString(), "string[] \"x\"");
}

}  // namespace
}  // namespace tagflow
