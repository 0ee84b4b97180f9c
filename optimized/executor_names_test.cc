#include "optimized/executor_names.h"

#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

TEST(ExecutorNamesTest, EachNameIsAChoice) {
  EXPECT_EQ(ExecutorOfName("auto")->executor, ExecutorChoice::kAuto);
  EXPECT_EQ(ExecutorOfName("straight")->executor, ExecutorChoice::kStraight);
  EXPECT_EQ(ExecutorOfName("tokens")->executor, ExecutorChoice::kTokens);
  EXPECT_EQ(ExecutorOfName("auto")->native.choice, NativeChoice::kAuto);
  EXPECT_EQ(ExecutorOfName("native")->native.choice, NativeChoice::kAlways);
  EXPECT_EQ(ExecutorOfName("interpreted")->native.choice, NativeChoice::kOff);
}

TEST(ExecutorNamesTest, AnotherIsNamed) {
  const Status status = ExecutorOfName("quick").status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("not 'quick'"), std::string::npos);
}

}  // namespace
}  // namespace tagflow::optimized
