#include "graph/saved/vocabulary.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tagflow {
namespace {

std::string FileOf(const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/vocabulary.txt";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// "keys; values" of what such a file gives, or the error.
std::string Read(const std::string& text, const VocabularyFormat& format) {
  const Result<Vocabulary> read = ReadVocabulary(FileOf(text), format);
  if (!read.ok()) return read.status().ToString();
  return read->keys.DebugString() + "; " + read->values.DebugString();
}

VocabularyFormat Format(DType key, int64_t key_index, DType value, int64_t value_index) {
  VocabularyFormat format;
  format.key_dtype = key;
  format.key_index = key_index;
  format.value_dtype = value;
  format.value_index = value_index;
  return format;
}

const VocabularyFormat kWords = Format(DType::kString, -2, DType::kInt64, -1);
const VocabularyFormat kPairs = Format(DType::kString, 0, DType::kInt64, 1);

TEST(Vocabulary, LinesAreNumbered) {
  EXPECT_EQ(Read("a\nb c\n", kWords), R"(string[2] ["a", "b c"]; int64[2] [0, 1])");
  EXPECT_EQ(Read("a\r\nb", kWords), R"(string[2] ["a", "b"]; int64[2] [0, 1])");
  VocabularyFormat later = kWords;
  later.offset = 5;
  EXPECT_EQ(Read("a\n", later), R"(string[1] ["a"]; int64[1] [5])");
  const VocabularyFormat turned = Format(DType::kInt64, -1, DType::kString, -2);
  EXPECT_EQ(Read("a\nb\n", turned), R"(int64[2] [0, 1]; string[2] ["a", "b"])");
}

TEST(Vocabulary, ColumnsAreNumbersOrText) {
  EXPECT_EQ(Read("a\t1\nb\t +2 \n", kPairs), R"(string[2] ["a", "b"]; int64[2] [1, 2])");
  EXPECT_EQ(Read("\t1", kPairs), R"(string[1] [""]; int64[1] [1])");
  VocabularyFormat format = Format(DType::kInt32, 2, DType::kFloat, 1);
  format.delimiter = ',';
  format.offset = 1;  // of int32 alone
  EXPECT_EQ(Read("x,1.5,7\ny,inf,2147483647", format),
            "int32[2] [8, -2147483648]; float[2] [1.5, inf]");
  EXPECT_EQ(Read("x\t1", Format(DType::kString, 0, DType::kString, -2)),
            R"(string[1] ["x"]; string[1] ["x\x091"])");
}

TEST(Vocabulary, ASizeIsThatManyLines) {
  VocabularyFormat two = kWords;
  two.size = 2;
  EXPECT_EQ(Read("a\nb\n\n", two), R"(string[2] ["a", "b"]; int64[2] [0, 1])");
  EXPECT_EQ(Read("a\nb", two), R"(string[2] ["a", "b"]; int64[2] [0, 1])");
  EXPECT_NE(Read("a\n", two).find("INVALID_ARGUMENT: Invalid vocab_size"), std::string::npos);
  two.size = 0;
  EXPECT_EQ(Read("a\n", two).find("OUT_OF_RANGE"), 0u);
}

TEST(Vocabulary, WhatIsWrongIsSaid) {
  const auto says = [](const std::string& text, const VocabularyFormat& format,
                       const std::string& words) {
    const std::string said = Read(text, format);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("", kWords, "OUT_OF_RANGE");
  says("a\n\n", kWords, "line 1 is empty");
  says("a\t1\nb\n", kPairs, "expected at least 2 got 1");
  says("a\tx\n", kPairs, "Field x in line 0 is not a valid int64.");
  says("a\t9223372036854775808\n", kPairs, "not a valid int64");
  says("a\ttrue\n", Format(DType::kString, 0, DType::kBool, 1), "bool not supported");
  says("a\n", Format(DType::kString, -2, DType::kInt32, -1), "line number requires int64");
  says("a\n", Format(DType::kString, 0, DType::kFloat, -2), "whole line");
  EXPECT_EQ(ReadVocabulary("no/such", kWords).status().code(), Code::kNotFound);
  EXPECT_EQ(ReadVocabulary("/", kWords).status().code(), Code::kNotFound);
}

TEST(Vocabulary, EmptyLinesMayBeSkipped) {
  VocabularyFormat skipping = kWords;
  skipping.skips_empty = true;
  EXPECT_EQ(Read("\na\r\n\r\n\nb\n\n", skipping), R"(string[2] ["a", "b"]; int64[2] [0, 1])");
  EXPECT_EQ(Read("\n\n", skipping).find("OUT_OF_RANGE"), 0u);
}

TEST(Vocabulary, TheFirstLineAloneMayBeLookedAt) {
  VocabularyFormat first = kWords;
  first.is_first_only = true;
  EXPECT_EQ(Read("a\n\n", first), R"(string[1] ["a"]; int64[1] [0])");
}

}  // namespace
}  // namespace tagflow
