#include "conformance/expected_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ExpectedFailuresTest, MistakesNameTheLine) {
  EXPECT_THAT(ExpectedFailures::Parse("a b\nc\n", "f").status().message(), HasSubstr("f:2: "));
  EXPECT_THAT(ExpectedFailures::Parse("a b\na c\n", "f").status().message(), HasSubstr("twice"));
}

TEST(ExpectedFailuresTest, OnlyListedCasesAreTouched) {
  const ExpectedFailures list = *ExpectedFailures::Parse("# why\nlisted  an old bug\n", "f");
  CaseResult result;
  result.name = "other";
  result.verdict = Verdict::kFail;
  list.Apply(result);
  EXPECT_TRUE(IsBad(result));
  result.name = "listed";
  list.Apply(result);
  EXPECT_EQ(result.expected, "an old bug");
  EXPECT_FALSE(IsBad(result));
  EXPECT_THAT(list.NotAmong({}), ElementsAre("listed"));
  EXPECT_TRUE(list.NotAmong({result}).empty());
}

TEST(ExpectedFailuresTest, AListThatIsNotThereIsNamed) {
  EXPECT_THAT(ExpectedFailures::Read("no/such/list").status().message(), HasSubstr("no/such/list"));
}

}  // namespace
}  // namespace tagflow::conformance
