// What the kernels that move elements are made of.
// Tests: index_input.cc, mover.cc, parts.cc, strided_copy.cc
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/small_vector.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {
namespace {

// Apart, so that GCC does not reason about the room inside and warn of what never runs.
using TwoInside = SmallVector<int64_t, 2>;
[[gnu::noinline]] TwoInside Moved(TwoInside& values) { return std::move(values); }

TEST(SmallVectorTest, GrowsBeyondItsRoom) {
  TwoInside values;
  for (int64_t i = 0; i < 9; ++i) values.push_back(i);
  values.insert(0, -1);
  values.erase(1);
  TwoInside copy = values;
  TwoInside moved = Moved(values);
  EXPECT_EQ(moved.size(), 9u);
  EXPECT_EQ(DimsString(moved), "[-1,1,2,3,4,5,6,7,8]");
  copy.resize(1);
  moved = Moved(copy);
  EXPECT_EQ(DimsString(moved), "[-1]");
  EXPECT_TRUE(SameDims(moved, SmallDims(1, -1)));
}

TEST(IndexInputTest, ReadsIntegersOfAnyWidth) {
  EXPECT_EQ(DimsString(*IndexValues(Tensor::Vector<int8_t>({-1, 2}))), "[-1,2]");
  EXPECT_EQ(DimsString(*IndexValues(Tensor::Scalar(uint16_t{65535}))), "[65535]");
  EXPECT_EQ(IndexValues(Tensor::Scalar(1.0f)).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(*CanonicalAxis(-1, 3, "axis"), 2);
  EXPECT_EQ(CanonicalAxis(3, 3, "axis").status().message(), "axis must be in [-3, 3), but is 3");
  EXPECT_EQ(DimsString(StridesOf(Dims{2, 3, 4})), "[12,4,1]");
}

template <typename T>
std::vector<T> Counted(int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i);
  return values;
}

template <typename T>
void ExpectMoves() {
  const Mover& mover = MoverOf(DTypeOf<T>::value);
  const std::vector<T> from = Counted<T>(10);
  std::vector<T> to(4);
  mover.run(&from[2], to.data(), 4);
  EXPECT_EQ(to, (std::vector<T>{T(2), T(3), T(4), T(5)}));
  mover.strided(&from[9], -3, to.data(), 1, 4);
  EXPECT_EQ(to, (std::vector<T>{T(9), T(6), T(3), T(0)}));
  const int64_t places[] = {7, 0, 7};
  mover.pick(from.data(), places, to.data(), 3);
  EXPECT_EQ(to, (std::vector<T>{T(7), T(0), T(7), T(0)}));
  mover.fill(&from[1], mover.At(to.data(), 1), 3);
  EXPECT_EQ(to, (std::vector<T>{T(7), T(1), T(1), T(1)}));
}

TEST(MoverTest, MovesElementsOfEveryWidth) {
  ExpectMoves<int8_t>();
  ExpectMoves<uint16_t>();
  ExpectMoves<float>();
  ExpectMoves<double>();
  ExpectMoves<std::complex<double>>();
  const Mover& mover = MoverOf(DType::kString);
  const std::vector<std::string> from = {"a", "b"};
  std::vector<std::string> to(3);
  mover.strided(&from[1], -1, to.data(), 2, 2);
  EXPECT_EQ(to, (std::vector<std::string>{"b", "", "a"}));
}

TEST(StridedCopyTest, TransposesTileByTile) {
  constexpr int64_t kRows = 45, kColumns = 71;
  const std::vector<int32_t> from = Counted<int32_t>(kRows * kColumns);
  std::vector<int32_t> to(from.size());
  StridedCopy copy;
  copy.AddAll(Dims{kColumns, kRows}, Dims{1, kColumns});
  EXPECT_FALSE(copy.is_one_run());
  copy.Run(MoverOf(DType::kInt32), from.data(), to.data());
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    ASSERT_EQ(to[static_cast<size_t>(i)], i % kRows * kColumns + i / kRows);
  }
}

TEST(StridedCopyTest, JoinsDimensionsThatAreWalkedAsOne) {
  StridedCopy copy;
  copy.AddAll(Dims{2, 1, 3, 4}, Dims{12, 77, 4, 1});
  EXPECT_TRUE(copy.is_one_run());
  StridedCopy repeated;
  repeated.AddAll(Dims{2, 3}, Dims{0, 1});
  EXPECT_FALSE(repeated.is_one_run());
  const std::vector<int32_t> from = {1, 2, 3};
  std::vector<int32_t> to(6);
  repeated.Run(MoverOf(DType::kInt32), from.data(), to.data());
  EXPECT_EQ(to, (std::vector<int32_t>{1, 2, 3, 1, 2, 3}));
  StridedCopy nothing;
  nothing.AddAll(Dims{1, 0}, Dims{1, 1});
  EXPECT_TRUE(nothing.is_empty());
  nothing.Run(MoverOf(DType::kInt32), nullptr, nullptr);
}

}  // namespace
}  // namespace tagflow::optimized
