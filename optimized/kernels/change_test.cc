#include "optimized/kernels/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "optimized/kernels/int_view.h"
#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

// What a change makes of two elements of one type.
template <typename T>
T Changed(Change change, T a, T b) {
  FindChange(change, DTypeOf<T>::value)(&a, &b, 1, 0);
  return a;
}

TEST(Changes, IntegersWrap) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(Changed<int32_t>(Change::kSubtract, kLeast, 1), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(Changed<int32_t>(Change::kDivide, kLeast, -1), kLeast);
  EXPECT_EQ(Changed<int8_t>(Change::kDivide, -128, -1), -128);
  EXPECT_EQ(Changed<int8_t>(Change::kAdd, 127, 1), -128);
  EXPECT_EQ(Changed<uint16_t>(Change::kMultiply, 0xffff, 0xffff), 1);
  EXPECT_EQ(Changed<int64_t>(Change::kMultiply, int64_t{1} << 62, 4), 0);
  EXPECT_EQ(Changed<int32_t>(Change::kDivide, -7, 2), -3);
}

TEST(Changes, OfEveryKindOfElement) {
  EXPECT_EQ(Changed(Change::kAdd, true, true), true);
  EXPECT_EQ(Changed(Change::kSubtract, true, true), false);
  EXPECT_EQ(ToFloat(Changed(Change::kAdd, HalfFromFloat(2048), HalfFromFloat(1))), 2048.0f);
  EXPECT_EQ(ToFloat(Changed(Change::kMultiply, BFloat16FromFloat(3), BFloat16FromFloat(0.5f))),
            1.5f);
  EXPECT_EQ(Changed(Change::kMultiply, std::complex<float>(0, 1), std::complex<float>(0, 1)),
            std::complex<float>(-1, 0));
  EXPECT_EQ(Changed<std::string>(Change::kSet, "a", "b"), "b");
  EXPECT_EQ(Changed(Change::kLower, 3.0f, NAN), 3.0f);
  EXPECT_TRUE(std::isnan(Changed(Change::kRaise, double{NAN}, 3.0)));
  EXPECT_EQ(FindChange(Change::kRaise, DType::kComplex64), nullptr);
  EXPECT_EQ(FindChange(Change::kMultiply, DType::kBool), nullptr);
  EXPECT_EQ(FindChange(Change::kAdd, DType::kString), nullptr);
}

TEST(Changes, ZerosAreFound) {
  EXPECT_TRUE(HasZero(Floats({1, -0.0f})));
  EXPECT_FALSE(HasZero(Floats({1, NAN})));
  EXPECT_FALSE(HasZero(Empty(DType::kInt32, Dims{0})));
  EXPECT_FALSE(HasZero(Tensor::Scalar(std::complex<float>(0, 1))));
}

TEST(Changes, ASumStaysInItsPlaceUnlessItIsShared) {
  Tensor sum = *Floats({1, 2}).Clone();
  const void* data = sum.raw_data();
  ASSERT_TRUE(AddTo(sum, Floats({1, 1})).ok());
  EXPECT_EQ(sum.raw_data(), data);
  const Tensor shared = sum;
  ASSERT_TRUE(AddTo(sum, shared).ok());
  EXPECT_EQ(sum.DebugString(), "float[2] [4, 6]");
  EXPECT_EQ(shared.DebugString(), "float[2] [2, 3]");
}

TEST(IntViewTest, ReadsEveryInteger) {
  EXPECT_EQ((*IntView::Of(Ints({-1, 2})))[0], -1);
  EXPECT_EQ((*IntView::Of(Tensor::Vector<int64_t>({5})))[0], 5);
  EXPECT_EQ(IntView::Of(Tensor::Vector<uint8_t>({1, 200}))->values(),
            (std::vector<int64_t>{1, 200}));
  EXPECT_EQ((*IntView::Of(Tensor::Scalar(uint64_t{1} << 63)))[0],
            std::numeric_limits<int64_t>::min());
  EXPECT_FALSE(IntView::Of(Float(1)).ok());
  EXPECT_EQ(*OnlyInt(Ints({7}), "x"), 7);
  EXPECT_EQ(*OnlyInt(Tensor::Scalar(int8_t{-3}), "x"), -3);
  EXPECT_EQ(OnlyInt(Ints({7, 8}), "x").status().message(),
            "x must be a scalar, but it has shape [2]");
  EXPECT_FALSE(ScalarInt(Ints({7}), "x").ok());
  EXPECT_FALSE(ScalarInt(Float(7), "x").ok());
}

}  // namespace
}  // namespace tagflow::optimized
