#include "graph/utf8.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

TEST(Utf8Test, IsCheckedToItsLastRule) {
  EXPECT_TRUE(IsUtf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  EXPECT_TRUE(IsUtf8(""));
  for (const char* bad : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                          "\xf5\x80\x80\x80", "\xe2\x82", "a\xe2\x82z"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
}

TEST(Utf8Test, LengthsOfCharacters) {
  EXPECT_EQ(Utf8Length("ab"), 1u);
  EXPECT_EQ(Utf8Length("\u00e9a"), 2u);
  EXPECT_EQ(Utf8Length("\u20aca"), 3u);
  EXPECT_EQ(Utf8Length("\U0001f600a"), 4u);
  EXPECT_EQ(Utf8Length("\xff"), 0u);
  EXPECT_EQ(Utf8Length("\xc3"), 0u);
}

}  // namespace
}  // namespace tagflow
