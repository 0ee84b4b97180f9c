#include "optimized/executor_names.h"

#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

TEST(ExecutorNamesTest, EachNameIsAChoice) {
  EXPECT_EQ(*ExecutorOfName("auto"), ExecutorChoice::kAuto);
  EXPECT_EQ(*ExecutorOfName("straight"), ExecutorChoice::kStraight);
  EXPECT_EQ(*ExecutorOfName("tokens"), ExecutorChoice::kTokens);
}

TEST(ExecutorNamesTest, AnotherIsNamed) {
  const Status status = ExecutorOfName("quick").status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("not 'quick'"), std::string::npos);
}

}  // namespace
}  // namespace tagflow::optimized
