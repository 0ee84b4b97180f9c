// Tests: planned_kinds.cc, devices.cc
#include "optimized/devices/planned_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "optimized/devices/devices.h"
#include "optimized/devices/kinds.h"
#include "optimized/devices/sim/sim_devices.h"

namespace tagflow::optimized {
namespace {

using testing::ElementsAre;

// A kind of which this machine has the first device, or none.
class RareKind : public DeviceKind {
 public:
  RareKind(bool has_first, Code code) : has_first_(has_first), code_(code) {}

  std::string name() const override { return "RARE"; }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const override {
    const bool are_there = has_first_ && sites.size() == 1 && sites[0].name == "/device:RARE:0";
    if (!are_there) return Status(code_, "no driver");
    return SimDevices()->Open(sites);
  }

 private:
  const bool has_first_;
  const Code code_;
};

DeviceKinds Kinds(bool has_first = false, Code code = Code::kFailedPrecondition) {
  return WithKind(StandardDeviceKinds(), std::make_shared<RareKind>(has_first, code));
}

const std::vector<std::string> kNames = {"/device:RARE:0", "/device:RARE:1", "/device:CPU:0"};

TEST(PlannedKindsTest, StandInsTakeThePlaceOfWhatIsNotThere) {
  EXPECT_EQ(Devices::Create(kNames, Kinds()).status().code(), Code::kFailedPrecondition);
  const auto devices = Devices::Create(kNames, PlannedKinds(Kinds()));
  ASSERT_TRUE(devices.ok()) << devices.status().ToString();
  EXPECT_EQ((*devices)->names(), kNames);
  EXPECT_FALSE((*devices)->IsHost(1));
  EXPECT_EQ((*devices)->memory(1)->Allocate(1), nullptr);
  EXPECT_EQ((*devices)->WhyNotInOrder(), "");
  EXPECT_EQ((*devices)->CheckAlive().message(), "no driver");
}

TEST(PlannedKindsTest, WhatIsThereIsItself) {
  const auto devices = Devices::Create({"/device:SIM:0"}, PlannedKinds(StandardDeviceKinds()));
  ASSERT_TRUE(devices.ok()) << devices.status().ToString();
  EXPECT_EQ((*devices)->WhyNotInOrder(), "'/device:SIM:0' has no streams");
  EXPECT_TRUE((*devices)->CheckAlive().ok());
}

TEST(DevicesThatAreNotThere, AreDoneWithoutWhereThatIsAsked) {
  const auto all = Devices::Create(kNames, Kinds(), /*does_without=*/true);
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  EXPECT_THAT((*all)->names(), ElementsAre("/device:CPU:0"));
  ASSERT_EQ((*all)->missing().size(), 2u);
  EXPECT_EQ((*all)->missing()[1].name, "/device:RARE:1");
  EXPECT_EQ((*all)->missing()[1].why.message(), "no driver");
  const auto first = Devices::Create(kNames, Kinds(/*has_first=*/true), /*does_without=*/true);
  EXPECT_THAT((*first)->names(), ElementsAre("/device:RARE:0", "/device:CPU:0"));
  const auto none = Devices::Create({"/device:RARE:0"}, Kinds(), /*does_without=*/true);
  EXPECT_THAT((*none)->names(), ElementsAre("/device:CPU:0"));
}

TEST(DevicesThatAreNotThere, AreNoOtherErrors) {
  const DeviceKinds lost = Kinds(false, Code::kUnavailable);
  EXPECT_EQ(Devices::Create(kNames, lost, /*does_without=*/true).status().code(),
            Code::kUnavailable);
}

}  // namespace
}  // namespace tagflow::optimized
