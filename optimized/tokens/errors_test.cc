#include "optimized/tokens/errors.h"

#include <gtest/gtest.h>

#include "optimized/tokens/rules.h"

namespace tagflow::optimized::tokens {
namespace {

Tag In(int64_t iteration) { return Tag{{{"f", iteration}}}; }

TEST(Errors, TheLeastTagAndNameIsReported) {
  Errors errors;
  EXPECT_TRUE(errors.Report().ok());
  errors.Add(In(10), "a", Internal("tenth"));
  errors.Add(In(2), "b", Internal("second").WithNode("b").WithTag("f[2]"));
  errors.Add(In(2), "c", Internal("other"));
  EXPECT_EQ(errors.Report().ToString(), "INTERNAL: second [node b, tag f[2]]");
}

TEST(Errors, ACancellationThatFollowsIsNone) {
  Errors errors;
  errors.Add(In(1), "b", Internal("broken"));
  errors.Add(Tag(), "a", Cancelled("because of it"));
  EXPECT_EQ(errors.Report().code(), Code::kInternal);
}

TEST(Errors, WhatFailsAsTheStepEndsDoesNotCount) {
  Errors errors;
  errors.Add(In(1), "b", DeadlineExceeded("late").WithRule("step.3"));
  errors.Add(Tag(), "a", Internal("interrupted"));
  EXPECT_EQ(errors.Report().code(), Code::kDeadlineExceeded);
}

}  // namespace
}  // namespace tagflow::optimized::tokens
