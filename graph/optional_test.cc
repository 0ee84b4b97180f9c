// Tests: optional.cc, take_down.cc

#include "graph/optional.h"

#include <gtest/gtest.h>

#include "graph/tensor_list.h"

namespace tagflow {
namespace {

TEST(OptionalTest, WrapsInAVariantTensor) {
  const Tensor nothing = OptionalTensors::WrapNothing();
  ASSERT_NE(OptionalTensors::In(nothing), nullptr);
  EXPECT_FALSE(OptionalTensors::In(nothing)->has_value());
  EXPECT_EQ(OptionalTensors::In(nothing)->DebugString(), "Optional without a value");

  const Tensor some =
      OptionalTensors::Wrap({Tensor::Scalar(1.0f), Tensor::Vector<int32_t>({1, 2})});
  ASSERT_NE(OptionalTensors::In(some), nullptr);
  EXPECT_EQ(OptionalTensors::In(some)->components()[1].DebugString(), "int32[2] [1, 2]");
  EXPECT_EQ(OptionalTensors::In(some)->DebugString(), "Optional of float[], int32[2]");

  EXPECT_EQ(OptionalTensors::In(TensorList::Wrap(TensorList())), nullptr);
  EXPECT_EQ(OptionalTensors::In(Tensor::Scalar(1.0f)), nullptr);
}

TEST(OptionalTest, OptionalsAndListsInOneAnotherAreTakenDownWithoutRecursion) {
  Tensor nested = OptionalTensors::WrapNothing();
  for (int i = 0; i < 100000; ++i) {
    if (i % 2 == 0) {
      nested = OptionalTensors::Wrap({std::move(nested)});
    } else {
      TensorList list(DType::kVariant);
      list.Push(std::move(nested));
      nested = TensorList::Wrap(std::move(list));
    }
  }
  EXPECT_NE(TensorList::In(nested), nullptr);
}

}  // namespace
}  // namespace tagflow
