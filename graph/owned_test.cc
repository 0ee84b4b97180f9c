#include "graph/owned.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "graph/held_ragged.h"
#include "graph/held_tensor.h"
#include "graph/optional.h"
#include "graph/tensor_list.h"
#include "graph/tensor_map.h"

namespace tagflow {
namespace {

// A vector that tensors borrow.
struct Lender {
  std::shared_ptr<std::vector<float>> memory =
      std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  Tensor tensor() const { return *Tensor::Borrow(DType::kFloat, Dims{3}, memory->data(), memory); }
  // Changes what was lent; fails where somebody still borrows it.
  void ExpectAllGivenBack() const { EXPECT_EQ(memory.use_count(), 1); }
};

const Tensor kValue = Tensor::Vector<float>({1, 2, 3});

TEST(OwnedTest, WhatIsOwnedStays) {
  const Tensor owned = *Owned(kValue);
  EXPECT_EQ(owned.raw_data(), kValue.raw_data());
}

TEST(OwnedTest, BorrowedElementsAndViewsOfThemAreCopied) {
  const Lender lender;
  const Tensor owned = *Owned(lender.tensor());
  const Tensor part = *Owned(lender.tensor().SliceOuter(1, 2));
  lender.ExpectAllGivenBack();
  EXPECT_TRUE(BitwiseEqual(owned, kValue));
  EXPECT_TRUE(BitwiseEqual(part, Tensor::Vector<float>({2, 3})));
}

TEST(OwnedTest, ElementsOfListsInListsAreCopied) {
  const Lender lender;
  TensorList inner(DType::kFloat);
  inner.Push(kValue);
  inner.Push(lender.tensor());
  inner.Resize(4);
  TensorList outer(DType::kVariant);
  outer.Push(TensorList::Wrap(std::move(inner)));
  const Tensor owned = *Owned(TensorList::Wrap(std::move(outer)));
  lender.ExpectAllGivenBack();
  const TensorList& list = *TensorList::In(TensorList::In(owned)->Get(0));
  EXPECT_EQ(list.size(), 4);
  EXPECT_EQ(list.Get(0).raw_data(), kValue.raw_data());
  EXPECT_TRUE(BitwiseEqual(list.Get(1), kValue));
  EXPECT_FALSE(list.Get(2).has_value());
}

TEST(OwnedTest, TensorsInVariantsAreCopied) {
  const Lender lender;
  const Tensor owned = *Owned(Tensor::Scalar(HeldTensor::Wrap(lender.tensor())));
  lender.ExpectAllGivenBack();
  EXPECT_TRUE(BitwiseEqual(owned.scalar<Variant>().Get<HeldTensor>()->tensor(), kValue));
}

TEST(OwnedTest, KeysAndValuesOfMapsAreCopied) {
  const Lender lender;
  TensorMap map;
  map.Insert(lender.tensor(), Tensor::Scalar(1));
  map.Insert(Tensor::Scalar(2), lender.tensor());
  const Tensor owned = *Owned(TensorMap::Wrap(std::move(map)));
  lender.ExpectAllGivenBack();
  EXPECT_EQ(TensorMap::In(owned)->size(), 2);
  EXPECT_NE(TensorMap::In(owned)->Find(kValue), nullptr);
  EXPECT_TRUE(BitwiseEqual(*TensorMap::In(owned)->Find(Tensor::Scalar(2)), kValue));
}

TEST(OwnedTest, SplitsAndValuesOfRaggedTensorsAreCopied) {
  const Lender lender;
  const Tensor owned = *Owned(Tensor::Scalar(HeldRagged::Wrap({kValue, lender.tensor()})));
  lender.ExpectAllGivenBack();
  EXPECT_TRUE(BitwiseEqual(owned.scalar<Variant>().Get<HeldRagged>()->values(), kValue));
}

TEST(OwnedTest, ComponentsOfOptionalsAreCopied) {
  const Lender lender;
  const Tensor owned = *Owned(OptionalTensors::Wrap({kValue, lender.tensor()}));
  lender.ExpectAllGivenBack();
  EXPECT_TRUE(BitwiseEqual(OptionalTensors::In(owned)->components()[1], kValue));
  EXPECT_TRUE(Owned(OptionalTensors::WrapNothing()).ok());
}

}  // namespace
}  // namespace tagflow
