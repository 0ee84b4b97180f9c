#include "transform/placement/cost_model.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

const DeviceInfo kCpu{"/device:CPU:0", "CPU"};
const DeviceInfo kCpu1{"/device:CPU:1", "CPU"};
const DeviceInfo kSim{"/device:SIM:0", "SIM"};

Node Named(const std::string& name) {
  Node node;
  node.name = name;
  return node;
}

TEST(CostModel, AFiringIsItsStartAndTheLongerOfOperationsAndBytes) {
  const CostOptions costs;
  EXPECT_EQ(FiringNs(costs, Named("x"), {4000, 10}, kCpu), 100 + 1000);
  EXPECT_EQ(FiringNs(costs, Named("x"), {40, 10000}, kCpu), 100 + 1000);
  EXPECT_EQ(FiringNs(costs, Named("x"), {4000, 10}, kSim), 5000 + 40);
}

TEST(CostModel, ADeviceIsKnownByNameOrKind) {
  CostOptions costs;
  costs.devices["CPU"] = {1, 2, 3};
  costs.devices["/device:CPU:1"] = {4, -5, 6};
  EXPECT_EQ(SpeedOf(costs, kCpu).firing_ns, 1);
  EXPECT_EQ(SpeedOf(costs, kCpu1).firing_ns, 4);
  EXPECT_EQ(SpeedOf(costs, kCpu1).operations_per_ns, 4) << "not above 0: the default";
  EXPECT_EQ(SpeedOf(costs, kSim).firing_ns, 5000);
}

TEST(CostModel, ALinkIsKnownByNamesOrKinds) {
  CostOptions costs;
  EXPECT_EQ(LinkBetween(costs, kCpu, kCpu1).latency_ns, 1000);
  EXPECT_EQ(LinkBetween(costs, kCpu, kSim).latency_ns, 10000);
  costs.links[{"CPU", "SIM"}] = {7, 0};
  costs.links[{"/device:CPU:0", "/device:SIM:0"}] = {8, 9};
  EXPECT_EQ(LinkBetween(costs, kCpu, kSim).latency_ns, 8);
  EXPECT_EQ(LinkBetween(costs, kCpu1, kSim).latency_ns, 7);
  EXPECT_EQ(LinkBetween(costs, kCpu1, kSim).bytes_per_ns, 10) << "not above 0: the default";
  EXPECT_EQ(LinkBetween(costs, kSim, kCpu).latency_ns, 10000);
}

TEST(CostModel, WhatWasMeasuredIsCarriedToOtherKinds) {
  CostOptions costs;
  costs.measured["x"] = {2200, 1};
  const Work work{4000, 0};  // 1100 ns by estimate, 5040 on SIM
  EXPECT_EQ(FiringNs(costs, Named("x"), work, kCpu), 2200);
  EXPECT_EQ(FiringNs(costs, Named("x"), work, kSim), 2 * 5040);
  EXPECT_EQ(FiringNs(costs, Named("y"), work, kCpu), 1100);
  costs.measured_on = "SIM";
  EXPECT_EQ(FiringNs(costs, Named("x"), work, kSim), 2200);
}

}  // namespace
}  // namespace tagflow
