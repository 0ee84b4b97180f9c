#include "optimized/errors.h"

#include <gtest/gtest.h>

#include <vector>

namespace tagflow::optimized {
namespace {

TEST(ErrorsTest, EachHasTheCodeAndTheLabelOfItsRule) {
  struct Row {
    Status error;
    Code code;
    std::string rule;
  };
  const std::vector<Row> rows = {
      {PredicateIsNoScalar(Dims{2}), Code::kInvalidArgument, "switch.2"},
      {SecondLiveInput(0, 1, "they differ"), Code::kInvalidArgument, "merge.3"},
      {SecondLiveExit(), Code::kInvalidArgument, "exit.3"},
      {UninitializedVariable("v"), Code::kFailedPrecondition, "ref.3"},
      {StillOwed("fetch 'y'", ""), Code::kFailedPrecondition, "step.2"},
      {DeadFetch("y", ""), Code::kInvalidArgument, "fetch.1"},
      {StepLimitReached(7), Code::kResourceExhausted, "step.3"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(row.error.code(), row.code) << row.rule;
    EXPECT_EQ(row.error.rule(), row.rule);
  }
}

}  // namespace
}  // namespace tagflow::optimized
