// Tests: cells.h, open_cells.cc

#include "optimized/native/open_cells.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "graph/tensor_list.h"
#include "optimized/kernels/step_objects.h"
#include "optimized/kernels/tensor_array.h"

namespace tagflow::optimized {
namespace {

constexpr uint16_t kInt64 = static_cast<uint16_t>(DType::kInt64);
constexpr uint16_t kFloat = static_cast<uint16_t>(DType::kFloat);

Tensor ListOf(const std::vector<int64_t>& elements) {
  TensorList list(DType::kInt64);
  for (const int64_t element : elements) list.Push(Tensor::Scalar(element));
  return TensorList::Wrap(std::move(list));
}

// What a list has; nothing: no value.
using Elements = std::vector<std::optional<int64_t>>;
Elements ElementsOf(const TensorList& list) {
  Elements elements;
  for (int64_t i = 0; i < list.size(); ++i) {
    const Tensor& element = list.Get(i);
    elements.push_back(element.has_value() ? std::optional(element.inline_value<int64_t>())
                                           : std::nullopt);
  }
  return elements;
}

// Does something to the open list and the model, and says whether what came of it is right.
class ListActions {
 public:
  ListActions(std::mt19937& random, ListCells& list, Elements& model)
      : random_(random), list_(list), model_(model) {}

  void Act() {
    switch (Draw(6)) {
      case 0:
      case 1:
        return Push();
      case 2:
      case 3:
        return Pop();
      case 4:
        return Read();
      default:
        return Write();
    }
  }

 private:
  int64_t Draw(int64_t below) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(below));
  }
  int64_t size() const { return static_cast<int64_t>(model_.size()); }
  void Push() {
    const int64_t value = Draw(1'000);
    EXPECT_TRUE(ListPush(&list_, static_cast<uint64_t>(value), kInt64));
    model_.push_back(value);
  }
  void Pop() {
    uint64_t bits = 0;
    const bool has_some = !model_.empty() && model_.back();
    ASSERT_EQ(ListPop(&list_, &bits, kInt64), has_some);
    if (!has_some) return;
    EXPECT_EQ(static_cast<int64_t>(bits), *model_.back());
    model_.pop_back();
  }
  void Read() {
    const int64_t index = Draw(size() + 2) - 1;
    uint64_t bits = 0;
    const bool is_there = index >= 0 && index < size() && model_[static_cast<size_t>(index)];
    ASSERT_EQ(ListRead(&list_, index, &bits, kInt64), is_there);
    if (!is_there) return;
    EXPECT_EQ(static_cast<int64_t>(bits), *model_[static_cast<size_t>(index)]);
  }
  void Write() {
    const int64_t index = Draw(size() + 2) - 1, value = Draw(1'000);
    const bool is_inside = index >= 0 && index < size();
    ASSERT_EQ(ListWrite(&list_, index, static_cast<uint64_t>(value), kInt64), is_inside);
    if (is_inside) model_[static_cast<size_t>(index)] = value;
  }

  std::mt19937& random_;
  ListCells& list_;
  Elements& model_;
};

// Lists that share elements with older versions, which never change.
TEST(OpenCellsTest, AnOpenListIsAVector) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    OpenCells open;
    TensorList first(DType::kInt64);
    first.Resize(static_cast<int64_t>(random() % 70));
    Tensor slot = TensorList::Wrap(std::move(first));
    Elements model = ElementsOf(*TensorList::In(slot));
    std::vector<std::pair<Tensor, Elements>> versions;
    for (int times = 0; times < 10; ++times) {
      Cells* const cells = open.Open(CellsKind::kList, slot, nullptr);
      ASSERT_NE(cells, nullptr);
      EXPECT_FALSE(slot.has_value());
      ListActions actions(random, static_cast<ListCells&>(*cells), model);
      for (uint64_t i = random() % 200; i > 0; --i) actions.Act();
      open.CloseList(cells, slot);
      ASSERT_EQ(ElementsOf(*TensorList::In(slot)), model);
      if (random() % 2 == 0) continue;
      versions.emplace_back(TensorList::Wrap(*TensorList::In(slot)), model);
    }
    for (const auto& [version, elements] : versions) {
      EXPECT_EQ(ElementsOf(*TensorList::In(version)), elements);
    }
    // What was taken from its end is gone for those who make it longer.
    TensorList longer = *TensorList::In(slot);
    longer.Resize(longer.size() + 100);
    model.resize(model.size() + 100);
    EXPECT_EQ(ElementsOf(longer), model);
  }
}

TEST(OpenCellsTest, AListIsOpenedWhereASlotAloneHoldsIt) {
  OpenCells open;
  Tensor slot = ListOf({1, 2, 3});
  Tensor other = slot;
  EXPECT_EQ(open.Open(CellsKind::kList, slot, nullptr), nullptr);
  EXPECT_TRUE(slot.has_value());
  other = Tensor();
  EXPECT_EQ(open.Open(CellsKind::kStack, slot, nullptr), nullptr);
  Cells* const first = open.Open(CellsKind::kList, slot, nullptr);
  ASSERT_NE(first, nullptr);
  // Another at the same time.
  other = ListOf({4});
  Cells* const second = open.Open(CellsKind::kList, other, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(ListPush(static_cast<ListCells*>(second), 5, kInt64));
  open.CloseList(first, other);
  open.CloseList(second, slot);
  EXPECT_EQ(ElementsOf(*TensorList::In(other)), (Elements{1, 2, 3}));
  EXPECT_EQ(ElementsOf(*TensorList::In(slot)), (Elements{4, 5}));
}

TEST(OpenCellsTest, WhatHoldsNoScalarsIsNotOpened) {
  OpenCells open;
  Tensor vectors = TensorList::Wrap(TensorList(DType::kFloat, PartialShape({2})));
  EXPECT_EQ(open.Open(CellsKind::kList, vectors, nullptr), nullptr);
  Tensor number = Tensor::Scalar(1.0f), nothing;
  EXPECT_EQ(open.Open(CellsKind::kList, number, nullptr), nullptr);
  EXPECT_EQ(open.Open(CellsKind::kArray, number, nullptr), nullptr);
  EXPECT_EQ(open.Open(CellsKind::kList, nothing, nullptr), nullptr);
}

TEST(OpenCellsTest, AListThatIsFullTakesNoMore) {
  OpenCells open;
  Tensor slot = TensorList::Wrap(TensorList(DType::kInt64, PartialShape(), 40));
  auto* const list = static_cast<ListCells*>(open.Open(CellsKind::kList, slot, nullptr));
  for (uint64_t i = 0; i < 40; ++i) EXPECT_TRUE(ListPush(list, i, kInt64));
  EXPECT_FALSE(ListPush(list, 40, kInt64));
  uint64_t bits = 0;
  EXPECT_FALSE(ListPush(list, 0, kFloat));
  EXPECT_FALSE(ListPop(list, &bits, kFloat));
  EXPECT_TRUE(ListPop(list, &bits, kInt64));
  EXPECT_EQ(bits, 39u);
  EXPECT_TRUE(ListPush(list, 40, kInt64));
  open.CloseList(list, slot);
  EXPECT_EQ(TensorList::In(slot)->size(), 40);
}

// A list of vectors is closed with them, whatever machine code did to its scalars.
TEST(OpenCellsTest, ElementsThatAreNoScalarsStay) {
  OpenCells open;
  TensorList mixed(DType::kFloat);
  const Tensor vector = Tensor::Vector<float>({1, 2});
  mixed.Push(vector);
  mixed.Push(Tensor::Scalar(3.0f));
  Tensor slot = TensorList::Wrap(std::move(mixed));
  auto* const list = static_cast<ListCells*>(open.Open(CellsKind::kList, slot, nullptr));
  uint64_t bits = 0;
  EXPECT_TRUE(ListPop(list, &bits, kFloat));
  EXPECT_FALSE(ListPop(list, &bits, kFloat));
  EXPECT_FALSE(ListRead(list, 0, &bits, kFloat));
  EXPECT_FALSE(ListWrite(list, 0, 1, kFloat));
  open.CloseList(list, slot);
  ASSERT_EQ(TensorList::In(slot)->size(), 1);
  EXPECT_TRUE(BitwiseEqual(TensorList::In(slot)->Get(0), vector));
}

const TensorType kPair = {DType::kFloat, {2}};
const uint16_t kPairHeader = HeaderOf(kPair.dtype, &kPair);
Tensor& TensorIn(Cell* cell) { return *reinterpret_cast<Tensor*>(cell); }

TEST(OpenCellsTest, TensorsGoWholeIntoCells) {
  OpenCells open;
  const Tensor one = Tensor::Vector<float>({1, 2}), other = Tensor::Vector<float>({3, 4});
  Tensor slot = TensorList::Wrap(TensorList(DType::kFloat, PartialShape({-1})));
  EXPECT_EQ(open.Open(CellsKind::kList, slot, nullptr), nullptr);  // for scalars
  auto* const list = static_cast<ListCells*>(open.Open(CellsKind::kList, slot, &kPair));
  ASSERT_NE(list, nullptr);
  const TensorType triple = {DType::kFloat, {3}};
  EXPECT_EQ(ListPushCell(list, kPairHeader, &triple), nullptr);  // it is open for another type
  EXPECT_FALSE(ListPush(list, 0, kFloat));
  TensorIn(ListPushCell(list, kPairHeader, &kPair)) = one;
  TensorIn(ListPushCell(list, kPairHeader, &kPair)) = one;
  TensorIn(ListWriteCell(list, 1, kPairHeader, &kPair)) = other;
  EXPECT_EQ(ListWriteCell(list, 2, kPairHeader, &kPair), nullptr);
  EXPECT_TRUE(BitwiseEqual(TensorIn(ListReadCell(list, 0, kPairHeader)), one));
  EXPECT_TRUE(ListReadKeeps(list));
  EXPECT_TRUE(BitwiseEqual(std::exchange(TensorIn(ListPopCell(list, kPairHeader)), {}), other));
  EXPECT_FALSE(ListPopKeeps(list));
  open.CloseList(list, slot);
  ASSERT_EQ(TensorList::In(slot)->size(), 1);
  EXPECT_TRUE(BitwiseEqual(TensorList::In(slot)->Get(0), one));
}

TEST(OpenCellsTest, AListIsOpenedForTensorsThatItMayHave) {
  OpenCells open;
  Tensor triples = TensorList::Wrap(TensorList(DType::kFloat, PartialShape({3})));
  EXPECT_EQ(open.Open(CellsKind::kList, triples, &kPair), nullptr);
  Tensor integers = TensorList::Wrap(TensorList(DType::kInt64, PartialShape({2})));
  EXPECT_EQ(open.Open(CellsKind::kList, integers, &kPair), nullptr);
  Tensor any = TensorList::Wrap(TensorList(DType::kFloat));
  EXPECT_NE(open.Open(CellsKind::kList, any, &kPair), nullptr);
}

// Of an array, all elements must have the shape: then that is the shape of those that are cleared.
TEST(OpenCellsTest, AnArrayIsOpenedForTensorsOfItsShape) {
  TensorArray::Options options;
  options.dtype = DType::kFloat;
  for (const PartialShape& shape : {PartialShape(), PartialShape({-1}), PartialShape({3})}) {
    options.element_shape = shape;
    Tensor handle = HandleTo(std::make_shared<TensorArray>("a", options, 2), "");
    OpenCells open;
    EXPECT_EQ(open.Open(CellsKind::kArray, handle, &kPair), nullptr);
  }
  options.element_shape = PartialShape({2});
  options.clear_after_read = true;
  const auto array = std::make_shared<TensorArray>("a", options, 2);
  Tensor handle = HandleTo(array, "");
  OpenCells open;
  auto* const cells = static_cast<ArrayCells*>(open.Open(CellsKind::kArray, handle, &kPair));
  ASSERT_NE(cells, nullptr);
  EXPECT_FALSE(ArrayWrite(cells, 0, 1, kFloat));
  const Tensor value = Tensor::Vector<float>({1, 2});
  TensorIn(ArrayWriteCell(cells, 1, kPairHeader, &kPair)) = value;
  EXPECT_EQ(ArrayWriteCell(cells, 1, kPairHeader, &kPair), nullptr);
  EXPECT_EQ(ArrayReadCell(cells, 0, kPairHeader), nullptr);
  EXPECT_FALSE(ArrayReadKeeps(cells));
  EXPECT_TRUE(
      BitwiseEqual(std::exchange(TensorIn(ArrayReadCell(cells, 1, kPairHeader)), {}), value));
  open.ShutObjects();
  EXPECT_FALSE(array->Read(1).ok());  // it was cleared
}

std::shared_ptr<TensorArray> Array(int64_t size, bool grows = false, bool clears = true) {
  TensorArray::Options options;
  options.dtype = DType::kInt64;
  options.dynamic_size = grows;
  options.clear_after_read = clears;
  return std::make_shared<TensorArray>("a", options, size);
}
Tensor HandleOf(const std::shared_ptr<TensorArray>& array) {
  return HandleTo(array, "tensorflow::TensorArray");
}

TEST(OpenCellsTest, AnArrayIsShutBeforeOthersLookAtIt) {
  const auto array = Array(3);
  Tensor handle = HandleOf(array), again = handle;
  OpenCells open;
  EXPECT_EQ(open.Open(CellsKind::kStack, handle, nullptr), nullptr);
  open.ShutObjects();
  auto* const cells = static_cast<ArrayCells*>(open.Open(CellsKind::kArray, handle, nullptr));
  ASSERT_NE(cells, nullptr);
  EXPECT_EQ(open.Open(CellsKind::kArray, again, nullptr), cells);
  EXPECT_TRUE(ArrayWrite(cells, 1, 5, kInt64));
  EXPECT_FALSE(ArrayWrite(cells, 1, 6, kInt64));  // it has been
  EXPECT_FALSE(ArrayWrite(cells, 3, 6, kInt64));  // beyond the end
  EXPECT_FALSE(ArrayWrite(cells, -1, 6, kInt64));
  EXPECT_FALSE(ArrayWrite(cells, 0, 6, kFloat));
  // Another thread's step does not get at it meanwhile.
  std::thread([&] {
    OpenCells others;
    EXPECT_EQ(others.Open(CellsKind::kArray, again, nullptr), nullptr);
  }).join();
  open.ShutObjects();
  EXPECT_EQ(array->Read(1)->inline_value<int64_t>(), 5);
  EXPECT_FALSE(array->Read(1).ok());  // it was cleared
}

TEST(OpenCellsTest, AnArrayReadsAndGrowsAsItsKernels) {
  for (const bool clears : {false, true}) {
    const auto array = Array(0, true, clears);
    Tensor handle = HandleOf(array);
    OpenCells open;
    auto* const cells = static_cast<ArrayCells*>(open.Open(CellsKind::kArray, handle, nullptr));
    for (uint64_t i = 0; i < 100; ++i) {
      EXPECT_TRUE(ArrayWrite(cells, static_cast<int64_t>(i), i, kInt64));
    }
    uint64_t bits = 0;
    EXPECT_FALSE(ArrayRead(cells, 100, &bits, kInt64));
    EXPECT_TRUE(ArrayRead(cells, 99, &bits, kInt64));
    EXPECT_EQ(bits, 99u);
    EXPECT_EQ(ArrayRead(cells, 99, &bits, kInt64), !clears);
    EXPECT_FALSE(ArrayWrite(cells, 99, 1, kInt64));  // it has been read
    open.ShutObjects();
    EXPECT_EQ(*array->Size(), 100);
    EXPECT_EQ(array->Read(99).ok(), !clears);
    EXPECT_FALSE(array->Write(99, Tensor::Scalar<int64_t>(1)).ok());
    EXPECT_EQ(array->Read(98)->inline_value<int64_t>(), 98);
  }
}

TEST(OpenCellsTest, WhatIsWrittenToGradientArraysAddsUp) {
  const auto array = Array(2);
  ASSERT_TRUE(array->Write(0, Tensor::Scalar<int64_t>(1)).ok());
  StepState step;
  const auto gradient = *array->Gradient("g", {}, step);
  Tensor handle = HandleOf(gradient);
  OpenCells open;
  auto* const cells = static_cast<ArrayCells*>(open.Open(CellsKind::kArray, handle, nullptr));
  EXPECT_TRUE(ArrayWrite(cells, 0, 20, kInt64));
  EXPECT_FALSE(ArrayWrite(cells, 0, 3, kInt64));  // a sum is the kernel's
  open.ShutObjects();
  ASSERT_TRUE(gradient->Write(0, Tensor::Scalar<int64_t>(3)).ok());
  EXPECT_EQ(gradient->Read(0)->inline_value<int64_t>(), 23);
}

TEST(OpenCellsTest, AClosedArrayIsNotOpened) {
  const auto array = Array(2);
  Tensor handle = HandleOf(array);
  array->End();
  OpenCells open;
  EXPECT_EQ(open.Open(CellsKind::kArray, handle, nullptr), nullptr);
}

}  // namespace
}  // namespace tagflow::optimized
