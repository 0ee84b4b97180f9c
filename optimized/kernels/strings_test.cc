// Tests: string_convert.cc string_format.cc string_hash.cc string_join.cc string_pieces.cc print.cc

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "optimized/kernels/op_runner.h"
#include "optimized/kernels/summarize.h"
#include "optimized/kernels/text.h"

namespace tagflow::optimized {
namespace {

Tensor Text(const std::string& text) { return Tensor::Scalar(text); }
Tensor Matrix(const std::vector<std::string>& texts) {
  return Tensor::Of<std::string>(Dims{2, 2}, texts);
}
const Tensor kLetters = Matrix({"a", "b", "c", "d"});

// What TensorFlow gives.
TEST(StringKernels, Buckets) {
  const auto with = [](int64_t buckets, const std::vector<int64_t>& key) {
    AttrList list;
    list.ints = key;
    return AttrMap{{"num_buckets", buckets}, {"key", list}};
  };
  const int64_t many = (int64_t{1} << 62) + 12345;
  Check({
      {"StringToHashBucket",
       {Strings({"", "a"})},
       {{"num_buckets", many}},
       "int64[2] [105434511174483401, 2996632905371535868]"},
      {"StringToHashBucket", {Text("twelve bytes")}, {{"num_buckets", 1}}, "int64[] 0"},
      {"StringToHashBucket", {Text("")}, {{"num_buckets", 0}}, "INVALID_ARGUMENT:"},
      {"StringToHashBucketStrong",
       {Strings({"", "a"})},
       with(many, {5, -7}),
       "int64[2] [3864768125528437111, 2464274935207657165]"},
      {"StringToHashBucketStrong", {Text("")}, with(many, {5}), "INVALID_ARGUMENT:"},
      {"StringToHashBucketStrong",
       {Empty(DType::kString, Dims{0, 2})},
       with(many, {5, -7}),
       "int64[0,2] []"},
  });
}

TEST(StringKernels, JoinedElementByElement) {
  Check({
      {"StringJoin",
       {Text("a"), Strings({"b", "c"})},
       {{"separator", "-"}},
       R"(string[2] ["a-b", "a-c"])"},
      {"StringJoin", {}, {}, R"(string[] "")"},
      {"StringJoin", {Strings({"a"}), Strings({"b", "c"})}, {}, "INVALID_ARGUMENT:"},
      {"StringJoin", {Empty(DType::kString, Dims{0}), Text("a")}, {}, "string[0] []"},
  });
}

TEST(StringKernels, JoinedAlongDimensions) {
  const Tensor none = Empty(DType::kInt32, Dims{0});
  const Tensor cube = Tensor::Of<std::string>(
      Dims{2, 2, 2}, std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h"});
  Check({
      {"ReduceJoin", {kLetters, Ints({0, 1})}, {}, R"(string[] "acbd")"},
      {"ReduceJoin", {kLetters, Ints({1, 0})}, {}, R"(string[] "abcd")"},
      {"ReduceJoin", {cube, Ints({2, 0})}, {}, R"(string[2] ["abef", "cdgh"])"},
      {"ReduceJoin",
       {kLetters, Ints({-1})},
       {{"keep_dims", true}, {"separator", "."}},
       R"(string[2,1] [["a.b"], ["c.d"]])"},
      {"ReduceJoin", {kLetters, none}, {}, R"(string[2,2] [["a", "b"], ["c", "d"]])"},
      {"ReduceJoin", {Empty(DType::kString, Dims{0, 2}), Int(0)}, {}, R"(string[2] ["", ""])"},
      {"ReduceJoin", {Empty(DType::kString, Dims{0, 2}), Int(1)}, {}, "string[0] []"},
      {"ReduceJoin", {Text("a"), none}, {}, R"(string[] "a")"},
      {"ReduceJoin", {kLetters, Int(2)}, {}, "OUT_OF_RANGE:"},
      {"ReduceJoin", {kLetters, Ints({1, -1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(StringKernels, JoinedBySegments) {
  Check({
      {"UnsortedSegmentJoin",
       {Strings({"a", "b", "c"}), Ints({0, 2, 0}), Int(3)},
       {{"separator", ","}},
       R"(string[3] ["a,c", "", "b"])"},
      {"UnsortedSegmentJoin",
       {kLetters, Ints({1, 1}), Int(2)},
       {},
       R"(string[2,2] [["", ""], ["ac", "bd"]])"},
      {"UnsortedSegmentJoin",
       {Strings({"", "b"}), Ints({0, 0}), Int(1)},
       {{"separator", ","}},
       R"(string[1] [",b"])"},
      {"UnsortedSegmentJoin", {Strings({"a"}), Ints({1}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"UnsortedSegmentJoin", {Strings({"a"}), Ints({-1}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"UnsortedSegmentJoin", {Strings({"a"}), Ints({0}), Int(-1)}, {}, "INVALID_ARGUMENT:"},
      {"UnsortedSegmentJoin", {Strings({"a"}), Ints({0}), Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"UnsortedSegmentJoin", {Text("a"), Ints({0}), Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"UnsortedSegmentJoin", {Strings({"a"}), Ints({0, 0}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"UnsortedSegmentJoin", {Text("a"), Ints({0}), Int(1)}, {}, "OUT_OF_RANGE:"},
      {"UnsortedSegmentJoin", {Text("a"), Int(0), Int(1)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(StringKernels, PartsOfTexts) {
  const AttrMap characters = {{"unit", "UTF8_CHAR"}};
  const Tensor word = Text("h\xc3\xa9llo");
  Check({
      {"StringLength", {word}, {}, "int32[] 6"},
      {"StringLength", {word}, characters, "int32[] 5"},
      {"Substr", {Text("hello"), Int(-2), Int(9)}, {}, R"(string[] "lo")"},
      {"Substr", {Text("hello"), Int(5), Int(1)}, {}, R"(string[] "")"},
      {"Substr", {Text("hello"), Int(2), Int(-1)}, {}, R"(string[] "llo")"},
      {"Substr", {word, Int(2), Int(-1)}, characters, R"(string[] "")"},
      {"Substr", {word, Int(-3), Int(2)}, characters, R"(string[] "ll")"},
      {"Substr", {word, Int(0), Int(99)}, characters, R"(string[] "h\xc3\xa9llo")"},
      {"Substr", {Text("\xa9"), Int(0), Int(1)}, characters, R"(string[] "\xa9")"},
      {"Substr", {Text("ab"), Ints({0, 1}), Ints({1, 1})}, {}, R"(string[2] ["a", "b"])"},
      {"Substr",
       {kLetters, Ints({0, 1}), Ints({1, 1})},
       {},
       R"(string[2,2] [["a", ""], ["c", ""]])"},
      {"Substr", {Text("ab"), Int(3), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"Substr", {Text("ab"), Int(-3), Int(1)}, characters, "INVALID_ARGUMENT:"},
      {"Substr", {Text("ab"), Ints({0}), Int(1)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(StringKernels, Splitting) {
  Check({
      {"StringSplitV2",
       {Strings({" a  b", "c"}), Text("")},
       {},
       R"(int64[3,2] [[0, 0], [0, 1], [1, 0]]; string[3] ["a", "b", "c"]; int64[2] [2, 2])"},
      {"StringSplitV2",
       {Strings({"a,,b"}), Text(",")},
       {{"maxsplit", 1}},
       R"(int64[2,2] [[0, 0], [0, 1]]; string[2] ["a", ",b"]; int64[2] [1, 2])"},
      {"StringSplitV2",
       {Strings({"a"}), Text("")},
       {{"maxsplit", 1}},
       R"(int64[2,2] [[0, 0], [0, 1]]; string[2] ["a", ""]; int64[2] [1, 2])"},
      {"StringSplitV2",
       {Strings({" a  b c"}), Text("")},
       {{"maxsplit", 1}},
       R"(int64[2,2] [[0, 0], [0, 1]]; string[2] ["a", "b c"]; int64[2] [1, 2])"},
      {"StringSplitV2",
       {Strings({"a b"}), Text(" ")},
       {{"maxsplit", 0}},
       R"(int64[1,2] [[0, 0]]; string[1] ["a b"]; int64[2] [1, 1])"},
      {"StringSplitV2",
       {Empty(DType::kString, Dims{0}), Text("")},
       {},
       "int64[0,2] []; string[0] []; int64[2] [0, 0]"},
      {"StringSplit",
       {Strings({"a, b", ""}), Text(", ")},
       {},
       R"(int64[2,2] [[0, 0], [0, 1]]; string[2] ["a", "b"]; int64[2] [2, 2])"},
      {"StringSplit",
       {Strings({"ab"}), Text("")},
       {},
       R"(int64[2,2] [[0, 0], [0, 1]]; string[2] ["a", "b"]; int64[2] [1, 2])"},
      {"StringSplit",
       {Strings({"a,"}), Text(",")},
       {{"skip_empty", false}},
       R"(int64[2,2] [[0, 0], [0, 1]]; string[2] ["a", ""]; int64[2] [1, 2])"},
      {"StringSplitV2", {Text("a"), Text("")}, {}, "INVALID_ARGUMENT:"},
      {"StringSplitV2", {Strings({"a"}), Strings({"a"})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(StringKernels, TextsToNumbers) {
  const auto parsed = [](const std::string& text, DType dtype) {
    OpRunner runner;
    return runner.Text("StringToNumber", {Text(text)}, {{"out_type", dtype}});
  };
  EXPECT_EQ(parsed(" 0x10\n", DType::kFloat), "float[] 16");
  EXPECT_EQ(parsed("-1e400", DType::kDouble), "double[] -inf");
  EXPECT_EQ(parsed("+5", DType::kInt32), "int32[] 5");
  EXPECT_EQ(parsed("-9223372036854775808", DType::kInt64), "int64[] -9223372036854775808");
  EXPECT_EQ(parsed("18446744073709551615", DType::kUInt64), "uint64[] 18446744073709551615");
  for (const char* bad : {"", " ", "+", "+-1", "1.5", "2147483648", "0x1", "1 2"}) {
    EXPECT_EQ(parsed(bad, DType::kInt32).rfind("INVALID_ARGUMENT: ", 0), 0u) << bad;
  }
  EXPECT_EQ(parsed(std::string("1\0", 2), DType::kFloat).rfind("INVALID_ARGUMENT: ", 0), 0u);
  EXPECT_EQ(parsed("-1", DType::kUInt32).rfind("INVALID_ARGUMENT: ", 0), 0u);
}

TEST(StringKernels, Base64AndLetters) {
  Check({
      {"EncodeBase64", {Strings({"", "a", "abc"})}, {}, R"(string[3] ["", "YQ", "YWJj"])"},
      {"EncodeBase64", {Strings({"a", "ab"})}, {{"pad", true}}, R"(string[2] ["YQ==", "YWI="])"},
      {"DecodeBase64", {Strings({"YQ", "YQ==", "YWJj"})}, {}, R"(string[3] ["a", "a", "abc"])"},
      {"DecodeBase64", {Strings({"YWI", "YWI=", ""})}, {}, R"(string[3] ["ab", "ab", ""])"},
      {"DecodeBase64", {Text("Y")}, {}, "INVALID_ARGUMENT:"},
      {"DecodeBase64", {Text("YQ=")}, {}, "INVALID_ARGUMENT:"},
      {"DecodeBase64", {Text("Y===")}, {}, "INVALID_ARGUMENT:"},
      {"DecodeBase64", {Text("a+b/")}, {}, "INVALID_ARGUMENT:"},
      {"StringLower", {Text("aBC")}, {}, R"(string[] "abc")"},
      {"StringUpper", {Text("aBc")}, {{"encoding", "utf-8"}}, R"(string[] "ABC")"},
      {"StringUpper", {Text("\xc3\xa9")}, {{"encoding", "utf-8"}}, "UNIMPLEMENTED:"},
      {"StringUpper", {Text("\xc3\xa9z")}, {}, R"(string[] "\xc3\xa9Z")"},
      {"StringLower", {Text("A")}, {{"encoding", "latin1"}}, "INVALID_ARGUMENT:"},
      {"StringStrip", {Strings({" a b\t", "\v"})}, {}, R"(string[2] ["a b", ""])"},
  });
}

TEST(StringKernels, ElementsAsText) {
  Check({
      {"AsString", {Ints({5, -7})}, {{"width", 4}, {"fill", "0"}}, R"(string[2] ["0005", "-007"])"},
      {"AsString", {Float(1.5F)}, {}, R"(string[] "1.500000")"},
      {"AsString",
       {Float(1.5F)},
       {{"precision", 2}, {"scientific", true}},
       R"(string[] "1.50e+00")"},
      {"AsString", {Float(0.1F)}, {{"shortest", true}}, R"(string[] "0.1")"},
      {"AsString", {Tensor::Scalar(HalfFromFloat(0.5f))}, {}, R"(string[] "0.500000")"},
      {"AsString", {Tensor::Scalar(~uint64_t{0})}, {}, R"(string[] "18446744073709551615")"},
      {"AsString", {Tensor::Scalar(int8_t{-3})}, {}, R"(string[] "-3")"},
      {"AsString", {Tensor::Scalar(true)}, {{"width", 9}}, R"(string[] "true")"},
      {"AsString", {Text("ab")}, {{"width", 4}, {"fill", "-"}}, R"(string[] "ab  ")"},
      {"AsString", {Text("ab")}, {{"width", 4}}, R"(string[] "  ab")"},
      {"AsString",
       {Tensor::Scalar(std::complex<float>(1, -2))},
       {{"precision", 1}},
       R"x(string[] "(1.0,-2.0)")x"},
      {"AsString", {Empty(DType::kDouble, Dims{0})}, {}, "string[0] []"},
      {"AsString", {Empty(DType::kVariant, Dims{0})}, {}, "UNIMPLEMENTED:"},
      {"AsString", {Int(5)}, {{"precision", 2}}, "INVALID_ARGUMENT:"},
      {"AsString", {Float(5)}, {{"scientific", true}, {"shortest", true}}, "INVALID_ARGUMENT:"},
      {"AsString", {Int(5)}, {{"fill", "x"}}, "INVALID_ARGUMENT:"},
      {"AsString", {Int(5)}, {{"width", int64_t{1} << 40}}, "INVALID_ARGUMENT:"},
  });
  OpRunner runner;
  const auto wide = runner.Run("AsString", {Int(5)}, {{"width", 1000}});
  EXPECT_EQ((*wide)[0].scalar<std::string>(), std::string(999, ' ') + "5");
}

TEST(StringKernels, Templates) {
  const AttrMap two = {{"template", "%s, %s"}};
  Check({
      {"StringFormat",
       {Ints({1, 2, 3, 4}), Text("x")},
       {{"template", "%s|%s"}, {"summarize", 1}},
       R"(string[] "[1 ... 4]|\"x\"")"},
      {"StringFormat", {}, {{"template", "no"}}, R"(string[] "no")"},
      {"StringFormat",
       {Int(1), Int(2)},
       {{"template", "abc"}, {"placeholder", ""}},
       R"(string[] "a1b2c")"},
      {"StringFormat", {Int(1)}, two, "INVALID_ARGUMENT:"},
      {"StringFormat", {}, two, "INVALID_ARGUMENT:"},
  });
}

TEST(SummarizeEndsTest, OfEachDimension) {
  std::vector<int32_t> numbers(24);
  for (int i = 0; i < 24; ++i) numbers[static_cast<size_t>(i)] = i;
  const Tensor cube = Ints(Dims{4, 2, 3}, numbers);
  EXPECT_EQ(SummarizeEnds(cube, 1),
            "[[[0 ... 2]\n  [3 ... 5]]\n\n ...\n\n [[18 ... 20]\n  [21 ... 23]]]");
  EXPECT_EQ(SummarizeEnds(Ints({1, 2}), -1), "[1 2]");
  EXPECT_EQ(SummarizeEnds(Ints({1, 2}), 0), "[ ...]");
  EXPECT_EQ(SummarizeEnds(Empty(DType::kInt32, Dims{0, 2}), 3), "[]");
  EXPECT_EQ(SummarizeEnds(Empty(DType::kInt32, Dims{2, 0}), 3), "[\n ...]");
  EXPECT_EQ(SummarizeEnds(Int(7), 0), "7");
  EXPECT_EQ(SummarizeEnds(Tensor::Scalar(std::complex<float>(1, 2)), 3), "?");
}

TEST(StringKernels, PrintPassesItsInputOnAndCounts) {
  OpRunner runner;
  const AttrMap attrs = {{"message", "seen "}, {"first_n", 1}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(runner.Text("Print", {Int(5), Ints({1, 2, 3, 4})}, attrs), "int32[] 5");
  EXPECT_EQ(runner.Text("Print", {Int(6), Int(1)}, attrs), "int32[] 6");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "seen [1 2 3...]\n");
}

TEST(StringKernels, PrintV2KnowsItsStreams) {
  OpRunner runner;
  const auto print = [&](const std::string& stream) {
    return runner.Text("PrintV2", {Text("x")}, {{"output_stream", stream}, {"end", "!"}});
  };
  const std::string path = testing::TempDir() + "/printed.txt";
  std::remove(path.c_str());
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const std::string stream : {"stderr", "stdout", "log(info)", "file://"}) {
    EXPECT_EQ(print(stream == "file://" ? stream + path : stream), "");
  }
  EXPECT_EQ(print("file://" + path), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x!");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "x!info: x!\n");
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  EXPECT_EQ(file.str(), "x!x!");
  EXPECT_EQ(print("file:///no such folder/f").rfind("NOT_FOUND: ", 0), 0u);
  EXPECT_EQ(print("nowhere").rfind("INVALID_ARGUMENT: ", 0), 0u);
  EXPECT_EQ(print("file://").rfind("INVALID_ARGUMENT: ", 0), 0u);
  EXPECT_EQ(runner.Text("PrintV2", {Strings({"a"})}).rfind("INVALID_ARGUMENT: ", 0), 0u);
}

TEST(TextTest, StrippingTakesBlanksFromTheEnds) {
  EXPECT_EQ(Stripped(" \ta b\r\n"), "a b");
  EXPECT_EQ(Stripped(" "), "");
  EXPECT_EQ(Stripped(""), "");
}

}  // namespace
}  // namespace tagflow::optimized
