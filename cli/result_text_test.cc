#include "cli/result_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/literal.h"

namespace tagflow::cli {
namespace {

std::string Text(const Tensor& tensor, bool all = false) {
  std::string text;
  WriteResult(tensor, all, [&text](std::string_view piece) { text += piece; });
  return text;
}

// 0, 1, 2, … in this shape.
Tensor Counted(const Dims& dims) {
  std::vector<int32_t> values(static_cast<size_t>(*NumElements(dims)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  return Tensor::Of<int32_t>(dims, values);
}

TEST(ResultTextTest, SmallOnesAreWhole) {
  EXPECT_EQ(Text(Tensor::Scalar(2.5)), "double[] 2.5");
  EXPECT_EQ(Text(Counted({2, 2})), "int32[2,2] [[0, 1], [2, 3]]");
  EXPECT_EQ(Text(Tensor::Vector<std::string>({"a\n", "b"})), R"(string[2] ["a\x0a", "b"])");
  EXPECT_EQ(Text(Counted({1000})).find("..."), std::string::npos);
  for (const Dims& dims : {Dims{1000}, Dims{10, 100}, Dims{2, 1, 3}}) {
    EXPECT_EQ(Text(Counted(dims)), Counted(dims).DebugString(1000));
  }
}

// As NumPy has it: array2string(arange(n).reshape(shape)).
TEST(ResultTextTest, LargeOnesAreTheirCorners) {
  EXPECT_EQ(Text(Counted({1001})), "int32[1001] [0, 1, 2, ..., 998, 999, 1000]");
  EXPECT_EQ(Text(Counted({2, 600})),
            "int32[2,600] [[0, 1, 2, ..., 597, 598, 599], [600, 601, 602, ..., 1197, 1198, 1199]]");
  EXPECT_EQ(Text(Counted({300, 2, 2})),
            "int32[300,2,2] [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8, 9], [10, 11]], ..., [[1188, "
            "1189], [1190, 1191]], [[1192, 1193], [1194, 1195]], [[1196, 1197], [1198, 1199]]]");
  // Six are as short as what would stand for them.
  EXPECT_EQ(Text(Counted({6, 1, 200})).substr(0, 66),
            "int32[6,1,200] [[[0, 1, 2, ..., 197, 198, 199]], [[200, 201, 202, ");
}

TEST(ResultTextTest, AllOfIt) {
  const std::string text = Text(Counted({7, 100000}), true);
  EXPECT_EQ(text, Counted({7, 100000}).DebugString(1000000));
}

TEST(ResultTextTest, WithoutElementsThereIsNothingToFlood) {
  EXPECT_EQ(Text(*Tensor::Allocate(DType::kFloat, Dims{2, 0})), "float[2,0] [[], []]");
  const Tensor many = *Tensor::Allocate(DType::kFloat, Dims{int64_t{1} << 40, 0, 5});
  EXPECT_EQ(Text(many), "float[1099511627776,0,5] []");
  EXPECT_EQ(Text(many, true), "float[1099511627776,0,5] []");
}

TEST(ResultTextTest, WhatIsWholeIsReadBack) {
  for (const Dims& dims : {Dims{}, Dims{0, 3}, Dims{5000, 0}, Dims{3, 4}, Dims{1200}}) {
    const Result<Tensor> read = ParseLiteral(Text(Counted(dims), true), DType::kInt32);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_TRUE(BitwiseEqual(*read, Counted(dims)));
  }
}

}  // namespace
}  // namespace tagflow::cli
