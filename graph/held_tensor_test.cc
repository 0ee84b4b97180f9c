#include "graph/held_tensor.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

TEST(HeldTensorTest, HoldsATensor) {
  const Variant variant = HeldTensor::Wrap(Tensor::Vector<float>({1, 2}));
  ASSERT_NE(variant.Get<HeldTensor>(), nullptr);
  EXPECT_EQ(variant.Get<HeldTensor>()->tensor().DebugString(), "float[2] [1, 2]");
  EXPECT_EQ(variant.value()->DebugString(), "Tensor float[2]");
}

TEST(HeldTensorTest, OnesInOneAnotherAreTakenDownWithoutRecursion) {
  Tensor nested = Tensor::Scalar(1);
  for (int i = 0; i < 100000; ++i) nested = Tensor::Scalar(HeldTensor::Wrap(std::move(nested)));
  EXPECT_NE(nested.scalar<Variant>().Get<HeldTensor>(), nullptr);
}

}  // namespace
}  // namespace tagflow
