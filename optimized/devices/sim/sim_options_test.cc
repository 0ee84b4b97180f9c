#include "optimized/devices/sim/sim_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

TEST(SimOptionsTest, FieldsAreSetByName) {
  const auto options = ParseSimOptions("memory_bytes=1048576,kernel_ns=20,jitter=0.5,swaps=0");
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->memory_bytes, 1 << 20);
  EXPECT_EQ(options->kernel_ns, 20);
  EXPECT_EQ(options->jitter, 0.5);
  EXPECT_FALSE(options->swaps);
  EXPECT_EQ(options->transfer_ns, SimOptions().transfer_ns);
  EXPECT_TRUE(ParseSimOptions("").ok());
}

TEST(SimOptionsTest, WhatIsNoFieldIsNamed) {
  for (const char* text : {"memory=1", "memory_bytes", "memory_bytes=", "kernel_ns=x", ",",
                           "kernel_ns=1e300", "kernel_ns=nan", "kernel_ns=1;jitter=2"}) {
    const auto options = ParseSimOptions(text);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_THAT(options.status().message(), HasSubstr("swap_above"));
  }
}

TEST(SimOptionsTest, WhatMakesNoSenseIsRefused) {
  EXPECT_TRUE(CheckSimOptions({}).ok());
  for (const SimOptions& wrong :
       {SimOptions{.memory_bytes = -1}, SimOptions{.kernel_ns = -1}, SimOptions{.jitter = -0.5},
        SimOptions{.swap_above = 0}, SimOptions{.swap_above = 1.5}}) {
    EXPECT_EQ(CheckSimOptions(wrong).code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tagflow::optimized
