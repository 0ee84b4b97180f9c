// What becomes of public calls is tested by //tools/allocations:allocations_test.

#include "graph/out_of_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace tagflow {
namespace {

TEST(OutOfMemoryTest, AnAllocationThatFailsIsAStatus) {
  const Status status = OrOutOfMemory([]() -> Status { throw std::bad_alloc(); });
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_EQ(status.message(), OutOfMemory().message());
}

TEST(OutOfMemoryTest, SoIsAContainerLargerThanMemory) {
  const Result<int> result = OrOutOfMemory([]() -> Result<int> {
    std::vector<int> numbers;
    numbers.reserve(numbers.max_size() + 1);
    return 0;
  });
  EXPECT_EQ(result.status().code(), Code::kResourceExhausted);
}

TEST(OutOfMemoryTest, WhatSucceedsIsHandedOn) {
  EXPECT_EQ(*OrOutOfMemory([]() -> Result<int> { return 7; }), 7);
  EXPECT_EQ(OrOutOfMemory([] { return Cancelled("no"); }).code(), Code::kCancelled);
}

}  // namespace
}  // namespace tagflow
