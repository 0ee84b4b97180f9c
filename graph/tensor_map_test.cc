// Tests: tensor_map.cc, take_down.cc

#include "graph/tensor_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "graph/optional.h"

namespace tagflow {
namespace {

Tensor Key(int32_t key) { return Tensor::Scalar(key); }

// The keys and values of a map of int32 scalars.
std::map<int32_t, int32_t> Contents(const TensorMap& map) {
  std::map<int32_t, int32_t> contents;
  map.Visit([&](const Tensor& key, const Tensor& value) {
    contents[key.scalar<int32_t>()] = value.scalar<int32_t>();
  });
  EXPECT_EQ(map.size(), std::ssize(contents));
  return contents;
}

TEST(TensorMapTest, WrapsInAVariantTensor) {
  TensorMap map;
  map.Insert(Key(1), Key(2));
  const Tensor wrapped = TensorMap::Wrap(map);
  ASSERT_NE(TensorMap::In(wrapped), nullptr);
  EXPECT_EQ(TensorMap::In(wrapped)->DebugString(), "TensorMap of 1 keys");
  EXPECT_EQ(TensorMap::In(OptionalTensors::WrapNothing()), nullptr);
  EXPECT_EQ(TensorMap::In(Key(1)), nullptr);
}

TEST(TensorMapTest, ManyChangesDoWhatAnOrderedMapDoesAndShowInNoOlderVersion) {
  std::mt19937 random(1);
  std::vector<std::pair<TensorMap, std::map<int32_t, int32_t>>> versions(1);
  for (int i = 0; i < 2000; ++i) {
    auto [map, model] = versions[random() % 4 == 0 ? random() % versions.size() : i];
    const auto key = static_cast<int32_t>(random() % 100);
    if (random() % 3 == 0) {
      EXPECT_EQ(map.Erase(Key(key)), model.erase(key) == 1);
    } else {
      map.Insert(Key(key), Key(i));
      model[key] = i;
    }
    versions.emplace_back(std::move(map), std::move(model));
  }
  for (const auto& [map, model] : versions) {
    ASSERT_EQ(Contents(map), model);
    const Tensor* value = map.Find(Key(7));
    ASSERT_EQ(value != nullptr, model.contains(7));
    if (value == nullptr) continue;
    EXPECT_EQ(value->scalar<int32_t>(), model.at(7));
  }
}

TEST(TensorMapTest, KeysInOrderMakeNoLongPath) {
  TensorMap map;
  constexpr int32_t kMany = 100000;
  for (int32_t i = 0; i < kMany; ++i) map.Insert(Key(i), Key(-i));
  EXPECT_EQ(map.Find(Key(kMany - 1))->scalar<int32_t>(), 1 - kMany);
  for (int32_t i = 0; i < kMany; ++i) EXPECT_TRUE(map.Erase(Key(i)));
  EXPECT_EQ(map.size(), 0);
}

TEST(TensorMapTest, KeysAreEqualWhenDTypeShapeAndBytesAre) {
  TensorMap map;
  const std::vector<Tensor> keys = {
      Tensor::Scalar(0.0f),
      Tensor::Scalar(-0.0f),
      Tensor::Scalar(std::numeric_limits<float>::quiet_NaN()),
      Key(1),
      Tensor::Scalar<int64_t>(1),
      Tensor::Vector<int32_t>({1}),
      Tensor::Vector<int32_t>({}),
      *Tensor::Allocate(DType::kInt32, Dims{0, 2}),
      Tensor::Vector<std::string>({"a", ""}),
      Tensor::Vector<std::string>({"", "a"}),
      Tensor::Scalar(true),
  };
  for (size_t i = 0; i < keys.size(); ++i) map.Insert(keys[i], Key(static_cast<int32_t>(i)));
  EXPECT_EQ(map.size(), std::ssize(keys));
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_NE(map.Find(keys[i]), nullptr);
    EXPECT_EQ(map.Find(keys[i])->scalar<int32_t>(), static_cast<int32_t>(i));
  }
  EXPECT_EQ(map.Find(Tensor::Vector<std::string>({"a", "b"})), nullptr);
  EXPECT_EQ(map.Find(TensorMap::Wrap(map)), nullptr);
}

TEST(TensorMapTest, MapsInOneAnotherAreTakenDownWithoutRecursion) {
  TensorMap nested;
  for (int i = 0; i < 100000; ++i) {
    TensorMap outer;
    outer.Insert(Key(i), TensorMap::Wrap(std::move(nested)));
    nested = std::move(outer);
  }
  EXPECT_EQ(nested.size(), 1);
}

}  // namespace
}  // namespace tagflow
