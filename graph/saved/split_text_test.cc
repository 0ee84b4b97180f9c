#include "graph/saved/split_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace tagflow {
namespace {

using ::testing::ElementsAre;

TEST(SplitText, GivesOnePartMoreThanThereAreMarks) {
  EXPECT_THAT(SplitText("", ','), ElementsAre(""));
  EXPECT_THAT(SplitText("a", ','), ElementsAre("a"));
  EXPECT_THAT(SplitText("a,bc", ','), ElementsAre("a", "bc"));
  EXPECT_THAT(SplitText(",a,,", ','), ElementsAre("", "a", "", ""));
}

TEST(ParseInteger, TakesWholeTextsAlone) {
  int32_t value = 0;
  EXPECT_TRUE(ParseInteger("12", value) && value == 12);
  EXPECT_TRUE(ParseInteger("+7", value) && value == 7);
  EXPECT_TRUE(ParseInteger("-7", value) && value == -7);
  for (const char* text : {"", "+", "-", "+-7", "++7", " 7", "7 ", "7.0", "2147483648"}) {
    EXPECT_FALSE(ParseInteger(text, value)) << text;
  }
}

}  // namespace
}  // namespace tagflow
