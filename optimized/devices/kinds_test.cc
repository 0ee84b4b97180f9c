#include "optimized/devices/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

TEST(KindsTest, OptionsAreOfAKind) {
  const auto kinds = WithKindOptions(StandardDeviceKinds(), "SIM:memory_bytes=128,swaps=0");
  ASSERT_TRUE(kinds.ok()) << kinds.status().ToString();
  ASSERT_EQ(kinds->size(), StandardDeviceKinds().size());
  const auto group = *kinds->at(2)->Open({{3, "/device:SIM:0"}});
  EXPECT_EQ(group->memory(3)->stats().bytes_limit, 128);
}

TEST(KindsTest, WhatIsNoOptionIsNamed) {
  for (const char* text : {"", "SIM", "TPU:x=1", "sim:swaps=0"}) {
    const Status status = WithKindOptions(StandardDeviceKinds(), text).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
    EXPECT_THAT(status.message(), HasSubstr("of CPU GPU SIM"));
  }
  EXPECT_THAT(WithKindOptions(StandardDeviceKinds(), "SIM:swap=0").status().message(),
              HasSubstr("no option 'swap=0'"));
  EXPECT_THAT(WithKindOptions(StandardDeviceKinds(), "CPU:swap=0").status().message(),
              HasSubstr("CPU have no option 'swap=0'"));
  EXPECT_FALSE(WithKindOptions(StandardDeviceKinds(), "SIM:jitter=-1").ok());
}

}  // namespace
}  // namespace tagflow::optimized
