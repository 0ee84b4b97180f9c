#include "graph/device_name.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

bool IsThere(std::string_view asked) {
  return CheckDeviceIsThere(asked, {"/device:CPU:0", "/device:CPU:1"}).ok();
}

TEST(DeviceName, WhatIsLeftOutMayBeAnything) {
  for (const char* asked : {"", "/device:CPU:1", "/cpu:0", "/CPU:1", "/device:CPU:*", "/task:0",
                            "/job:localhost/replica:0/task:0/device:CPU:0", "/device:cpu:1",
                            "device:CPU:0", "/job:*/device:*:1"}) {
    EXPECT_TRUE(IsThere(asked)) << asked;
  }
}

TEST(DeviceName, WhatIsAskedForMustBeThere) {
  for (const char* asked :
       {"/device:CPU:2", "/device:GPU:0", "/job:elsewhere/device:CPU:0", "/task:1", "/replica:3"}) {
    EXPECT_FALSE(IsThere(asked)) << asked;
  }
}

TEST(DeviceName, NonsenseIsNamed) {
  for (const char* text : {"nonsense", "/device", "/device:", "/task:one", "/job:", "/cpu:-1",
                           "/device:CPU:0//", "/frob:0"}) {
    const Result<DeviceName> name = ParseDeviceName(text);
    ASSERT_FALSE(name.ok()) << text;
    EXPECT_EQ(name.status().code(), Code::kInvalidArgument);
    EXPECT_NE(name.status().message().find(text), std::string::npos) << name.status().message();
  }
}

}  // namespace
}  // namespace tagflow
