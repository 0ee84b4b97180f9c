#include "conformance/command/json.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

TEST(JsonTest, StringsAreUtf8) {
  EXPECT_EQ(JsonString("é\\"), "\"é\\\\\"");
  EXPECT_EQ(JsonString("a\xff"), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(JsonString("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(JsonString("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"");
  EXPECT_EQ(JsonString("\xc3"), "\"\xef\xbf\xbd\"");
}

TEST(JsonTest, ObjectsAndArrays) {
  EXPECT_EQ(JsonObject().End(), "{}");
  EXPECT_EQ(JsonObject().Text("a\"", "b").Count("n", 3).Raw("l", JsonArray({"1", "2"})).End(),
            R"({"a\"":"b","n":3,"l":[1,2]})");
  EXPECT_EQ(JsonArray({}), "[]");
}

}  // namespace
}  // namespace tagflow
