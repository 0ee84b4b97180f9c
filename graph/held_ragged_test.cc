#include "graph/held_ragged.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

TEST(HeldRaggedTest, HoldsSplitsAndValues) {
  const Variant variant =
      HeldRagged::Wrap({Tensor::Vector<int64_t>({0, 2}), Tensor::Vector<float>({1, 2})});
  const auto* ragged = variant.Get<HeldRagged>();
  ASSERT_NE(ragged, nullptr);
  EXPECT_EQ(ragged->ragged_rank(), 1u);
  EXPECT_EQ(ragged->splits(0).DebugString(), "int64[2] [0, 2]");
  EXPECT_EQ(ragged->values().DebugString(), "float[2] [1, 2]");
  EXPECT_EQ(ragged->DebugString(), "Ragged tensor of float[2] and of ragged rank 1");
}

TEST(HeldRaggedTest, OnesInOneAnotherAreTakenDownWithoutRecursion) {
  Tensor nested = Tensor::Scalar(1);
  for (int i = 0; i < 100000; ++i) nested = Tensor::Scalar(HeldRagged::Wrap({std::move(nested)}));
  EXPECT_NE(nested.scalar<Variant>().Get<HeldRagged>(), nullptr);
}

}  // namespace
}  // namespace tagflow
