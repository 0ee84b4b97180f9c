#include "optimized/kernels/table.h"

#include <gtest/gtest.h>

#include <thread>

namespace tagflow::optimized {
namespace {

Tensor Texts(const std::vector<std::string>& texts) { return Tensor::Vector(texts); }
Tensor Ints(const std::vector<int64_t>& ints) { return Tensor::Vector(ints); }

std::shared_ptr<Table> Words(bool is_filled_once) {
  Table::Form form;
  form.key = DType::kInt64;
  form.value = DType::kString;
  form.is_filled_once = is_filled_once;
  return Table::Make("words", form);
}

std::string Found(const Table& table, const std::vector<int64_t>& keys) {
  Result<Tensor> values =
      Tensor::Allocate(table.form().value, table.form().DimsOfValues(Ints(keys).dims()));
  table.Find(Ints(keys), Tensor::Scalar<std::string>("?"), *values);
  return values->DebugString();
}

TEST(TableTest, RowsOfKeysThatWereRemovedAreUsedAgain) {
  const auto table = Words(false);
  table->Set(Ints({1, 2, 3}), Texts({"a", "b", "c"}), false);
  table->Remove(Ints({2, 9}));
  table->Set(Ints({4, 1}), Texts({"d", "A"}), false);
  EXPECT_EQ(table->size(), 3);
  EXPECT_EQ(Found(*table, {1, 2, 3, 4}), R"(string[4] ["A", "?", "c", "d"])");
  table->Set(Ints({7}), Texts({"g"}), true);
  EXPECT_EQ(Found(*table, {1, 7}), R"(string[2] ["?", "g"])");
  const auto pairs = table->Export();
  ASSERT_TRUE(pairs.ok());
  EXPECT_EQ(pairs->first.DebugString() + pairs->second.DebugString(),
            R"(int64[1] [7]string[1] ["g"])");
}

TEST(TableTest, AFailedFillingLeavesItUnfilled) {
  const auto table = Words(true);
  EXPECT_EQ(table->Fill(Ints({1, 1}), Texts({"a", "b"})).code(), Code::kFailedPrecondition);
  EXPECT_FALSE(table->is_filled());
  EXPECT_EQ(table->size(), 0);
  EXPECT_TRUE(table->Fill(Ints({1, 1}), Texts({"a", "a"})).ok());
  EXPECT_TRUE(table->Fill(Ints({1}), Texts({"a"})).ok());
  EXPECT_EQ(table->Fill(Ints({1, 1}), Texts({"a", "a"})).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Found(*table, {1}), R"(string[1] ["a"])");
}

TEST(TableTest, ValuesAreRows) {
  Table::Form form;
  form.key = DType::kString;
  form.value = DType::kInt32;
  form.value_dims = {2};
  const auto table = Table::Make("rows", form);
  const std::vector<int32_t> numbers = {1, 2, 3, 4};
  table->Set(Texts({"b", "a"}), Tensor::Of<int32_t>(Dims{2, 2}, numbers), false);
  const auto pairs = table->Export();
  ASSERT_TRUE(pairs.ok());
  EXPECT_EQ(pairs->first.DebugString(), R"(string[2] ["a", "b"])");
  EXPECT_EQ(pairs->second.DebugString(), "int32[2,2] [[3, 4], [1, 2]]");
}

// A reader sees both keys of a change, or neither.
TEST(TableTest, AChangeIsSeenWhole) {
  const auto table = Words(false);
  table->Set(Ints({1, 2}), Texts({"0", "0"}), false);
  std::thread writer([&] {
    for (int i = 0; i < 2000; ++i) {
      const std::string text = std::to_string(i);
      table->Set(Ints({1, 2, 3 + i}), Texts({text, text, text}), i % 50 == 0);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    Tensor values = *Tensor::Allocate(DType::kString, Dims{2});
    table->Find(Ints({1, 2}), Tensor::Scalar<std::string>("?"), values);
    ASSERT_EQ(values.flat<std::string>()[0], values.flat<std::string>()[1]);
    ASSERT_TRUE(table->Export().ok());
  }
  writer.join();
}

}  // namespace
}  // namespace tagflow::optimized
