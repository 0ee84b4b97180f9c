#include "optimized/devices/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/kinds.h"
#include "optimized/devices/sim/sim_devices.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

Result<std::unique_ptr<Devices>> Open(const std::vector<std::string>& names,
                                      const DeviceKinds& kinds = StandardDeviceKinds()) {
  return Devices::Create(names, kinds);
}

TEST(DevicesTest, NamesSayWhatIsSimulated) {
  const auto devices = Open({"/device:CPU:0", "/job:w/task:1/device:SIM:3", "/cpu:1"});
  ASSERT_TRUE(devices.ok()) << devices.status().ToString();
  EXPECT_TRUE((*devices)->IsHost(0));
  EXPECT_FALSE((*devices)->IsHost(1));
  EXPECT_TRUE((*devices)->IsHost(2));
  EXPECT_TRUE((*devices)->IsHost(-1));
  EXPECT_FALSE((*devices)->AllAreHost());
  EXPECT_EQ((*devices)->Find("/cpu:1"), 2);
  EXPECT_EQ((*devices)->Find("/cpu:7"), -1);
}

TEST(DevicesTest, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(Open({"not a device"}).status().ToString(), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Open({"/cpu:0", "/cpu:0"}).status().message(), HasSubstr("twice"));
  EXPECT_EQ(Open({"/device:SIM:0"}, {SimDevices({.kernel_ns = -1})}).status().code(),
            Code::kInvalidArgument);
}

TEST(DevicesTest, EveryKindHasTheKernelsOfTheHost) {
  const auto devices = *Open({"/device:CPU:0", "/device:SIM:0"});
  const auto catalog = devices->Catalog(KernelRegistry::Standard());
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(catalog->devices().size(), 2u);
  EXPECT_TRUE(catalog->HasKernel("MatMul", "SIM", DType::kFloat));
  EXPECT_EQ((*Open({"/job:w"}))->Catalog(KernelRegistry::Standard()).status().code(),
            Code::kInvalidArgument);
}

// A kind with kernels of its own, and none of the host's.
class OwnKind : public DeviceKind {
 public:
  std::string name() const override { return "OWN"; }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const override {
    return SimDevices()->Open(sites);
  }
};

TEST(DevicesTest, AKindHasKernelsOfItsOwnByDType) {
  const auto devices = *Open({"/device:CPU:0", "/device:OWN:0"}, {std::make_shared<OwnKind>()});
  KernelRegistry kernels;
  const Binder bind = [](const Binding&) { return BoundKernel(); };
  ASSERT_TRUE(kernels.Register("Neg", bind).ok());
  ASSERT_TRUE(kernels.RegisterFor({"Neg", "OWN", DType::kFloat}, {.bind = bind}).ok());
  EXPECT_EQ(kernels.RegisterFor({"Neg", "OWN", DType::kFloat}, {.bind = bind}).code(),
            Code::kAlreadyExists);
  const TestGraph graph(R"(
    x = Placeholder() dtype=float
    y = Neg(x) T=float
    n = Placeholder() dtype=int32
    m = Neg(n) T=int32
  )",
                        OpRegistry::Standard());
  EXPECT_FALSE(devices->FindKernel(0, graph.node("y"), kernels).is_own);
  EXPECT_TRUE(devices->FindKernel(1, graph.node("y"), kernels).is_own);
  EXPECT_EQ(devices->FindKernel(1, graph.node("m"), kernels).entry, nullptr);
  EXPECT_FALSE(devices->RunAllKernels());
  const auto catalog = devices->Catalog(kernels);
  EXPECT_TRUE(catalog->HasKernel("Neg", "OWN", DType::kFloat));
  EXPECT_FALSE(catalog->HasKernel("Neg", "OWN", DType::kInt32));
  EXPECT_TRUE(catalog->HasKernel("Neg", "CPU", DType::kInt32));
}

TEST(DevicesTest, FeedsGoInAndFetchesComeOut) {
  const auto devices =
      *Open({"/device:CPU:0", "/device:SIM:0"}, {SimDevices({.memory_bytes = 128})});
  const Tensor value = Tensor::Vector<int64_t>({1, 2, 3});
  const Tensor there = *devices->CopyIn(1, value);
  EXPECT_EQ(there.memory_kind(), MemoryKind::kDevice);
  EXPECT_TRUE(BitwiseEqual(*devices->CopyOut(there), value));
  EXPECT_EQ(devices->CopyIn(0, value)->memory_kind(), MemoryKind::kHost);
  const Result<Tensor> full = devices->CopyIn(1, *Tensor::Allocate(DType::kFloat, Dims{100}));
  EXPECT_THAT(full.status().ToString(), HasSubstr("on '/device:SIM:0'"));
}

}  // namespace
}  // namespace tagflow::optimized
