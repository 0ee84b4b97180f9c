#include "graph/tensor_list.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace tagflow {
namespace {

Tensor Number(int64_t i) { return Tensor::Scalar(i); }
int64_t Value(const Tensor& t) { return t.has_value() ? t.scalar<int64_t>() : -1; }

std::vector<int64_t> Values(const TensorList& list) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < list.size(); ++i) values.push_back(Value(list.Get(i)));
  return values;
}

TEST(TensorListTest, PushGetPop) {
  TensorList list(DType::kInt64, PartialShape::Scalar());
  for (int64_t i = 0; i < 5000; ++i) list.Push(Number(i));
  ASSERT_EQ(list.size(), 5000);
  for (int64_t i = 0; i < 5000; ++i) ASSERT_EQ(Value(list.Get(i)), i);
  for (int64_t i = 4999; i >= 0; --i) ASSERT_EQ(Value(list.Pop()), i);
  EXPECT_EQ(list.size(), 0);
}

TEST(TensorListTest, ReservingAnyNumberOfElementsIsFree) {
  TensorList list(DType::kInt64);
  list.Resize(int64_t{1} << 62);
  EXPECT_EQ(list.size(), int64_t{1} << 62);
  EXPECT_FALSE(list.Get(0).has_value());
  EXPECT_FALSE(list.Get(list.size() - 1).has_value());
  list.Set(123456789012345, Number(7));
  EXPECT_EQ(Value(list.Get(123456789012345)), 7);
  EXPECT_FALSE(list.Get(123456789012344).has_value());
  list.Resize(3);
  list.Resize(int64_t{1} << 62);
  EXPECT_FALSE(list.Get(123456789012345).has_value());
}

TEST(TensorListTest, VisitSeesWhatHasAValue) {
  auto visited = [](const TensorList& list) {
    std::vector<int64_t> found;
    list.Visit([&](int64_t i, const Tensor& element) {
      found.push_back(i);
      found.push_back(Value(element));
    });
    return found;
  };
  TensorList list(DType::kInt64);
  EXPECT_TRUE(visited(list).empty());
  list.Push(Number(5));
  EXPECT_EQ(visited(list), (std::vector<int64_t>{0, 5}));
  list.Resize(int64_t{1} << 62);
  list.Set(17, Number(6));
  list.Set(123456789012345, Number(7));
  list.Set(list.size() - 1, Number(8));
  EXPECT_EQ(visited(list),
            (std::vector<int64_t>{0, 5, 17, 6, 123456789012345, 7, (int64_t{1} << 62) - 1, 8}));
  list.Resize(18);
  EXPECT_EQ(visited(list), (std::vector<int64_t>{0, 5, 17, 6}));
}

// Random operations on a growing set of versions, each checked against a vector of its own.
TEST(TensorListTest, OldVersionsNeverChange) {
  std::mt19937_64 random(3);
  auto below = [&random](int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random);
  };
  struct Version {
    TensorList list{DType::kInt64};
    std::vector<int64_t> model;
  };
  std::vector<Version> versions(1);
  for (int64_t step = 0; step < 6000; ++step) {
    Version next = versions[static_cast<size_t>(below(static_cast<int64_t>(versions.size())))];
    const int64_t size = next.list.size();
    switch (below(5)) {
      case 0:
        next.list.Resize(below(2 * size + 300));
        next.model.resize(static_cast<size_t>(next.list.size()), -1);
        break;
      case 1:
        if (size == 0) break;
        EXPECT_EQ(Value(next.list.Pop()), next.model.back());
        next.model.pop_back();
        break;
      case 2: {
        if (size == 0) break;
        const int64_t i = below(size);
        next.list.Set(i, Number(step));
        next.model[static_cast<size_t>(i)] = step;
        break;
      }
      default:
        for (int64_t count = below(40); count > 0; --count) {
          next.list.Push(Number(step));
          next.model.push_back(step);
        }
    }
    if (versions.size() < 50) {
      versions.push_back(std::move(next));
    } else {
      versions[static_cast<size_t>(below(50))] = std::move(next);
    }
    if (step % 500 != 0) continue;
    for (const Version& version : versions) ASSERT_EQ(Values(version.list), version.model);
  }
}

// What Push allocates is seen in the elements' owners: in place means that nobody shares them.
TEST(TensorListTest, ASoleOwnerWorksInPlace) {
  TensorList list(DType::kInt64);
  list.Push(Tensor::Vector<int64_t>({1}));
  for (int i = 0; i < 40; ++i) list.Push(Number(i));
  Tensor held = TensorList::Wrap(std::move(list));
  TensorList taken = TensorList::Take(std::move(held));
  taken.Push(Number(40));
  taken.Set(1, Number(9));
  EXPECT_TRUE(taken.Get(0).unique());

  const TensorList old = taken;
  taken.Set(1, Number(10));
  EXPECT_FALSE(taken.Get(0).unique());
  EXPECT_EQ(Value(old.Get(1)), 9);
}

TEST(TensorListTest, PoppedElementsOfASoleOwnerAreUnique) {
  TensorList list(DType::kInt64);
  for (int64_t i = 0; i < 100; ++i) list.Push(Tensor::Vector<int64_t>({i}));
  for (int64_t i = 0; i < 100; ++i) ASSERT_TRUE(list.Pop().unique()) << i;
}

// Every version alive: the old ones are not copied. (Counted in time it would take minutes.)
TEST(TensorListTest, PushOnSharedVersionsDoesNotCopyTheOldElements) {
  constexpr int64_t kPushes = 200000;
  std::vector<TensorList> history(1, TensorList(DType::kInt64));
  history.reserve(kPushes + 1);
  for (int64_t i = 0; i < kPushes; ++i) {
    TensorList next = history.back();
    next.Push(Number(i));
    history.push_back(std::move(next));
  }
  EXPECT_EQ(history[1000].size(), 1000);
  EXPECT_EQ(Value(history[kPushes].Get(777)), 777);
}

TEST(TensorListTest, WrapsInAVariantTensor) {
  TensorList list(DType::kFloat, PartialShape({-1, 3}), 7);
  list.Push(Tensor::Scalar(1.0f));
  const Tensor tensor = TensorList::Wrap(list);
  ASSERT_NE(TensorList::In(tensor), nullptr);
  EXPECT_EQ(TensorList::In(tensor)->dtype(), DType::kFloat);
  EXPECT_EQ(TensorList::In(tensor)->max_num_elements(), 7);
  EXPECT_EQ(TensorList::In(tensor)->element_shape(), PartialShape({-1, 3}));
  EXPECT_EQ(TensorList::In(tensor)->DebugString(), "TensorList of 1 float tensors of shape [?,3]");
  EXPECT_EQ(TensorList::In(Tensor::Scalar(1.0f)), nullptr);
  EXPECT_EQ(TensorList::In(Tensor::Scalar(Variant())), nullptr);
}

TEST(TensorListTest, AListInAListAHundredThousandDeepIsTakenDownWithoutRecursion) {
  TensorList list(DType::kVariant);
  for (int i = 0; i < 100000; ++i) {
    TensorList outer(DType::kVariant);
    outer.Push(TensorList::Wrap(std::move(list)));
    list = std::move(outer);
  }
  EXPECT_EQ(list.size(), 1);
}

// Under ThreadSanitizer: threads that share all nodes each change a copy of their own.
TEST(TensorListTest, ThreadsMayShareNodes) {
  TensorList shared(DType::kInt64);
  for (int64_t i = 0; i < 300; ++i) shared.Push(Number(i));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([copy = shared]() mutable {
      for (int64_t i = 0; i < 300; ++i) copy.Set(i, Number(Value(copy.Get(i)) + 1));
      for (int64_t i = 299; i >= 0; --i) EXPECT_EQ(Value(copy.Pop()), i + 1);
    });
  }
  shared = TensorList(DType::kInt64);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tagflow
