#include "graph/builder/builder_test_util.h"
#include "graph/builder/input.h"

namespace tagflow {
namespace {

TEST(LiteralTest, ConvertsExactly) {
  EXPECT_EQ(Literal(300).As(DType::kInt8).ok(), false);
  EXPECT_EQ(Literal(-1).As(DType::kUInt32).ok(), false);
  EXPECT_EQ(Literal(1).As(DType::kBool).ok(), false);
  EXPECT_EQ(Literal(true).As(DType::kInt32).ok(), false);
  EXPECT_EQ(Literal(1e30).As(DType::kInt64).ok(), false);
  EXPECT_EQ(Literal(7.0).As(DType::kUInt8)->scalar<uint8_t>(), 7);
  EXPECT_EQ(Literal(int64_t{1} << 40).As(DType::kUInt64)->scalar<uint64_t>(), 1ull << 40);
  EXPECT_EQ(Literal(0.5).As(DType::kFloat)->scalar<float>(), 0.5f);
  EXPECT_EQ(ToFloat(Literal(3).As(DType::kHalf)->scalar<Half>()), 3.0f);
}

}  // namespace
}  // namespace tagflow
