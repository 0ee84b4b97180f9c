#include "graph/literal.h"

#include <gtest/gtest.h>

#include <string>

namespace tagflow {
namespace {

std::string Parsed(std::string_view text, std::optional<DType> dtype = std::nullopt) {
  const Result<Tensor> tensor = ParseLiteral(text, dtype);
  return tensor.ok() ? tensor->DebugString() : tensor.status().message();
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(LiteralTest, GuessesTheDTypeFromTheElements) {
  EXPECT_EQ(Parsed("3"), "int32[] 3");
  EXPECT_EQ(Parsed("-2.5e3"), "float[] -2500");
  EXPECT_EQ(Parsed("true"), "bool[] true");
  EXPECT_EQ(Parsed("\"text\""), "string[] \"text\"");
  EXPECT_EQ(Parsed("[1, 2.5]"), "float[2] [1, 2.5]");
  EXPECT_EQ(Parsed("(1,-2)"), "complex64[] (1,-2)");
  EXPECT_EQ(Parsed("[]"), "float[0] []");
}

TEST(LiteralTest, Shapes) {
  EXPECT_EQ(Parsed("[1,2,3]"), "int32[3] [1, 2, 3]");
  EXPECT_EQ(Parsed(" [ [1 ,2],[3,4] ] "), "int32[2,2] [[1, 2], [3, 4]]");
  EXPECT_EQ(Parsed("[[[7]]]"), "int32[1,1,1] [[[7]]]");
  EXPECT_EQ(Parsed("[[],[]]", DType::kInt32), "int32[2,0] [[], []]");
}

TEST(LiteralTest, TakesTheWantedDType) {
  EXPECT_EQ(Parsed("3", DType::kFloat), "float[] 3");
  EXPECT_EQ(Parsed("3", DType::kHalf), "half[] 3");
  EXPECT_EQ(Parsed("3", DType::kBFloat16), "bfloat16[] 3");
  EXPECT_EQ(Parsed("3", DType::kComplex128), "complex128[] (3,0)");
  EXPECT_EQ(Parsed("inf", DType::kDouble), "double[] inf");
  EXPECT_EQ(Parsed("-nan", DType::kFloat), "float[] nan");
  EXPECT_EQ(Parsed("18446744073709551615", DType::kUInt64), "uint64[] 18446744073709551615");
  EXPECT_EQ(Parsed("0.1", DType::kDouble), "double[] 0.1");
}

TEST(LiteralTest, ADTypeInFrontWins) {
  EXPECT_EQ(Parsed("float:[1,2]", DType::kInt32), "float[2] [1, 2]");
  EXPECT_EQ(Parsed("DT_INT64:5"), "int64[] 5");
  EXPECT_EQ(Parsed("string:hello: world"), "string[] \"hello: world\"");
}

TEST(LiteralTest, StringsWithAndWithoutQuotes) {
  EXPECT_EQ(Parsed("plain, with [brackets]", DType::kString),
            "string[] \"plain, with [brackets]\"");
  EXPECT_EQ(Parsed(R"(["a\n\"b\"", "\x00\xff"])"), R"(string[2] ["a\x0a\"b\"", "\x00\xff"])");
  EXPECT_CONTAINS(Parsed("[a]", DType::kString), "put it in quotes");
  EXPECT_CONTAINS(Parsed("\"a", DType::kString), "'\"' is expected");
  EXPECT_CONTAINS(Parsed(R"("\q")"), "\\xNN");
  EXPECT_CONTAINS(Parsed(R"("\x0)"), "two hex digits");
}

TEST(LiteralTest, RefusesWhatTheDTypeCannotHold) {
  EXPECT_CONTAINS(Parsed("2.5", DType::kInt32), "'2.5' is not a value of dtype int32");
  EXPECT_CONTAINS(Parsed("2147483648", DType::kInt32), "out of range");
  EXPECT_CONTAINS(Parsed("-1", DType::kUInt8), "not a value of dtype uint8");
  EXPECT_CONTAINS(Parsed("256", DType::kUInt8), "out of range");
  EXPECT_CONTAINS(Parsed("1e39", DType::kFloat), "out of range");
  EXPECT_CONTAINS(Parsed("65520", DType::kHalf), "out of range");
  EXPECT_EQ(Parsed("65519", DType::kHalf), "half[] 65504");
  EXPECT_CONTAINS(Parsed("3.4e38", DType::kBFloat16), "out of range");
  EXPECT_CONTAINS(Parsed("2", DType::kBool), "write true or false");
  EXPECT_CONTAINS(Parsed("\"3\"", DType::kInt32), "not a value of dtype int32");
  EXPECT_CONTAINS(Parsed("(1,2)", DType::kFloat), "a complex number is not");
  EXPECT_CONTAINS(Parsed("3", DType::kResource), "cannot be written down");
  EXPECT_CONTAINS(Parsed("3", DType::kQInt8), "cannot be written down");
}

// 1 + 2^-8 + 2^-30: to float first it would be the middle between two bfloat16, and go down to
// even.
TEST(LiteralTest, BFloat16IsRoundedOnce) {
  EXPECT_EQ(Parsed("1.003906250931322574615478515625", DType::kBFloat16), "bfloat16[] 1.0078125");
  EXPECT_EQ(Parsed("1.00390625", DType::kBFloat16), "bfloat16[] 1");
  EXPECT_EQ(Parsed("-1.003906250931322574615478515625", DType::kBFloat16), "bfloat16[] -1.0078125");
}

TEST(LiteralTest, RefusesRaggedLists) {
  for (const char* text :
       {"[[1],[2,3]]", "[1,[2]]", "[[1],2]", "[[],1]", "[[[]],[]]", "[[],[1]]", "[[],[[]]]"}) {
    EXPECT_CONTAINS(Parsed(text), "differ in length or depth");
  }
}

TEST(LiteralTest, SaysWhereReadingStopped) {
  EXPECT_CONTAINS(Parsed("[1,"), "a value is expected at character 4, where the text ends");
  EXPECT_CONTAINS(Parsed("[1 2]"), "',' or ']' is expected at character 4");
  EXPECT_CONTAINS(Parsed("1]"), "nothing more is expected at character 2");
  EXPECT_CONTAINS(Parsed(""), "a value is expected");
  EXPECT_CONTAINS(Parsed("(1)"), "','");
}

TEST(LiteralTest, WhatIsPrintedIsRead) {
  for (const char* printed :
       {"double[0,3] []", "double[2,0,3] [[], []]", "int32[] 113", "float[2] [1, 2.5]",
        "complex64[1] [(1,-2)]", R"(string[2] ["a\x0a", "b"])", "bool[1,1] [[true]]"}) {
    EXPECT_EQ(Parsed(printed), printed);
    EXPECT_EQ(Parsed(printed, DType::kString), printed);
  }
  EXPECT_EQ(Parsed("float[0] []"), "float[0] []");
  EXPECT_CONTAINS(Parsed("float[2,2] [1, 2]"), "has the shape [2], not [2,2]");
  EXPECT_CONTAINS(Parsed("float[0,3] [[]]"), "has the shape [1,0], not [0,3]");
  EXPECT_EQ(Parsed("float[3,0] []"), "float[3,0] [[], [], []]");
  EXPECT_CONTAINS(Parsed("float[3] []"), "has the shape [0], not [3]");
  EXPECT_CONTAINS(Parsed("float[0,3] 1"), "has the shape [], not [0,3]");
  EXPECT_CONTAINS(Parsed("float[9] [1, 2, 3, ..., 7, 8, 9]"), "--full");
  EXPECT_CONTAINS(Parsed("[9] [1]"), "nothing more is expected");
  EXPECT_EQ(Parsed("notes[1] of mine", DType::kString), "string[] \"notes[1] of mine\"");
}

TEST(LiteralTest, DeepNestingIsRefusedNotFollowed) {
  EXPECT_CONTAINS(Parsed(std::string(1000000, '[')), "more than 100 deep");
  const auto nested = [](size_t depth) {
    return Parsed(std::string(depth, '[') + "7" + std::string(depth, ']'));
  };
  EXPECT_CONTAINS(nested(kMostNestedBrackets - 1), "7");
  EXPECT_CONTAINS(nested(kMostNestedBrackets), "7");
  EXPECT_CONTAINS(nested(kMostNestedBrackets + 1), "more than 100 deep");
}

}  // namespace
}  // namespace tagflow
