#include "graph/saved/example.h"

#include <gtest/gtest.h>

#include "graph/saved/example.pb.h"

namespace tagflow {
namespace {

using namespace std::string_literals;

FeatureProto& Add(ExampleProto& example, const std::string& name) {
  auto& entry = *example.mutable_features()->add_entry();
  entry.set_name(name);
  return *entry.mutable_feature();
}

// "name=values" of each, or the error.
std::string Read(const std::string& bytes) {
  const Result<Example> example = ReadExample(bytes);
  if (!example.ok()) return example.status().ToString();
  std::string text;
  for (const auto& [name, values] : *example) {
    text += (text.empty() ? "" : "; ") + name + "=" + values.DebugString();
  }
  return text;
}

TEST(ExampleTest, HasListsOfThreeKinds) {
  ExampleProto example;
  Add(example, "floats").mutable_floats()->add_value(1.5);
  Add(example, "ints").mutable_ints()->add_value(-7);
  Add(example, "texts").mutable_texts()->add_value("\xff");
  Add(example, "empty").mutable_ints();
  Add(example, "none");
  EXPECT_EQ(Read(example.SerializeAsString()),
            "empty=int64[0] []; floats=float[1] [1.5]; ints=int64[1] [-7]; "
            "texts=string[1] [\"\\xff\"]");
  EXPECT_EQ(Read(""), "");
}

TEST(ExampleTest, TheLastOfOneNameCounts) {
  ExampleProto example;
  Add(example, "a").mutable_ints()->add_value(1);
  Add(example, "a").mutable_floats()->add_value(2);
  EXPECT_EQ(Read(example.SerializeAsString()), "a=float[1] [2]");
  Add(example, "a");
  EXPECT_EQ(Read(example.SerializeAsString()), "");
}

// As TensorFlow's own library writes it, and as an old one did, a number at a time.
TEST(ExampleTest, NumbersMayBePackedOrNot) {
  EXPECT_EQ(Read("\x0a\x0c\x0a\x0a\x0a\x01x\x12\x05\x1a\x03\x0a\x01\x05"s), "x=int64[1] [5]");
  EXPECT_EQ(Read("\x0a\x0b\x0a\x09\x0a\x01x\x12\x04\x1a\x02\x08\x05"s), "x=int64[1] [5]");
}

TEST(ExampleTest, OtherBytesAreAnError) {
  for (const std::string& bytes : {"\x0a\x05\x0a"s, "\xff"s, "\x00"s, "junk"s, "\x0a\x03\x0a\x05x"s,
                                   "\x0a\x0b\x0a\x09\x0a\x01x\x12\x04\x1a\x02\x0a\x05"s}) {
    EXPECT_EQ(Read(bytes).find("INVALID_ARGUMENT: Could not parse example input"), 0u) << bytes;
  }
}

}  // namespace
}  // namespace tagflow
