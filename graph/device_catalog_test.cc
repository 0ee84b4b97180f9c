#include "graph/device_catalog.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

using Kinds = std::vector<std::string>;

DeviceCatalog TwoKinds() {
  DeviceCatalog catalog;
  EXPECT_TRUE(catalog.AddDevice({"/device:CPU:0", "CPU"}));
  EXPECT_TRUE(catalog.AddDevice({"/device:CPU:1", "CPU"}));
  EXPECT_TRUE(catalog.AddDevice({"/device:SIM:0", "SIM", MemoryKind::kDevice, 1 << 20}));
  catalog.AddKernel("Add", "CPU", DType::kFloat);
  catalog.AddKernel("Add", "SIM", DType::kFloat);
  catalog.AddKernel("Add", "CPU", DType::kInt32);
  catalog.AddKernel("NoOp", "SIM", DType::kInvalid);
  return catalog;
}

TEST(DeviceCatalogTest, FindsDevicesByName) {
  const DeviceCatalog catalog = TwoKinds();
  ASSERT_NE(catalog.Find("/device:SIM:0"), nullptr);
  EXPECT_EQ(catalog.Find("/device:SIM:0")->memory_bytes, 1 << 20);
  EXPECT_EQ(catalog.Find("/device:SIM:1"), nullptr);
}

TEST(DeviceCatalogTest, ADeviceIsThereOnce) {
  DeviceCatalog catalog = TwoKinds();
  EXPECT_FALSE(catalog.AddDevice({"/device:CPU:1", "SIM"}));
  EXPECT_EQ(catalog.devices().size(), 3u);
  EXPECT_EQ(catalog.Find("/device:CPU:1")->kind, "CPU");
}

TEST(DeviceCatalogTest, KernelsByOpKindAndDType) {
  const DeviceCatalog catalog = TwoKinds();
  EXPECT_TRUE(catalog.HasKernel("Add", "CPU", DType::kInt32));
  EXPECT_FALSE(catalog.HasKernel("Add", "SIM", DType::kInt32));
  EXPECT_FALSE(catalog.HasKernel("Mul", "CPU", DType::kInt32));
  EXPECT_TRUE(catalog.HasKernel("NoOp", "SIM", DType::kString));
}

TEST(DeviceCatalogTest, KindsInOrderOfDevicesEachOnce) {
  const DeviceCatalog catalog = TwoKinds();
  EXPECT_EQ(catalog.KindsFor("Add", DType::kFloat), (Kinds{"CPU", "SIM"}));
  EXPECT_EQ(catalog.KindsFor("Add", DType::kInt32), Kinds{"CPU"});
  EXPECT_EQ(catalog.KindsFor("Add", DType::kBool), Kinds{});
}

}  // namespace
}  // namespace tagflow
