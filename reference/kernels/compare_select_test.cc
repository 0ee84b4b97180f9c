// Tests: compare.cc, logic.cc, select.cc

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/dtype_set.h"
#include "reference/kernels/kernel_runner.h"

namespace tagflow::reference {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class CompareSelectTest : public testing::Test {
 protected:
  std::string Compare(const char* op, const Tensor& x, const Tensor& y, bool shape_error = true) {
    return runner_.Text(op, {x, y}, {{"incompatible_shape_error", shape_error}});
  }
  static std::string Bools(const std::vector<double>& bools) {
    return Numbers(DType::kBool, bools).DebugString();
  }

  KernelRunner runner_{RegisterCompareKernels, RegisterLogicKernels, RegisterSelectKernels};
};

TEST_F(CompareSelectTest, OrdersNumbers) {
  for (DType dtype : {DType::kInt8, DType::kUInt64, DType::kHalf, DType::kDouble}) {
    const Tensor x = Numbers(dtype, {1, 2, 3});
    const Tensor two = Numbers(dtype, Dims{}, {2});
    EXPECT_EQ(Compare("Less", x, two), Bools({1, 0, 0}));
    EXPECT_EQ(Compare("LessEqual", x, two), Bools({1, 1, 0}));
    EXPECT_EQ(Compare("Greater", x, two), Bools({0, 0, 1}));
    EXPECT_EQ(Compare("GreaterEqual", x, two), Bools({0, 1, 1}));
    EXPECT_EQ(Compare("Equal", x, two), Bools({0, 1, 0}));
    EXPECT_EQ(Compare("NotEqual", x, two), Bools({1, 0, 1}));
  }
}

TEST_F(CompareSelectTest, NanIsUnequalToItself) {
  for (DType dtype : {DType::kBFloat16, DType::kFloat}) {
    const Tensor nan = Numbers(dtype, {kNan});
    for (const char* op : {"Equal", "Less", "LessEqual", "Greater", "GreaterEqual"}) {
      EXPECT_EQ(Compare(op, nan, nan), Bools({0})) << op;
    }
    EXPECT_EQ(Compare("NotEqual", nan, nan), Bools({1}));
  }
}

TEST_F(CompareSelectTest, EqualityOfShapesThatDoNotBroadcast) {
  const Tensor two = Numbers(DType::kFloat, {1, 2});
  const Tensor three = Numbers(DType::kFloat, {1, 2, 3});
  EXPECT_EQ(Compare("Equal", two, three, false), Tensor::Scalar(false).DebugString());
  EXPECT_EQ(Compare("NotEqual", two, three, false), Tensor::Scalar(true).DebugString());
  EXPECT_EQ(Compare("Equal", two, three, true),
            "INVALID_ARGUMENT: Incompatible shapes: [2] vs. [3]");
}

TEST_F(CompareSelectTest, EqualityOfStrings) {
  const Tensor words = Tensor::Vector<std::string>({"a", "b"});
  EXPECT_EQ(Compare("Equal", words, Tensor::Scalar<std::string>("b")), Bools({0, 1}));
}

TEST_F(CompareSelectTest, ApproximateEqualIsWithinOrAt) {
  const Tensor x = Numbers(DType::kFloat, {1, 1, kNan});
  const Tensor y = Numbers(DType::kFloat, {1.25, 1.5, kNan});
  EXPECT_EQ(runner_.Text("ApproximateEqual", {x, y}, {{"tolerance", 0.5f}}), Bools({1, 1, 0}));
}

TEST_F(CompareSelectTest, Logic) {
  const Tensor x = Numbers(DType::kBool, {0, 0, 1, 1});
  const Tensor y = Numbers(DType::kBool, {0, 1, 0, 1});
  EXPECT_EQ(runner_.Text("LogicalAnd", {x, y}), Bools({0, 0, 0, 1}));
  EXPECT_EQ(runner_.Text("LogicalOr", {x, y}), Bools({0, 1, 1, 1}));
  EXPECT_EQ(runner_.Text("LogicalNot", {y}), Bools({1, 0, 1, 0}));
  EXPECT_EQ(runner_.Run("LogicalNot", {Numbers(DType::kInt32, {1})}).status().code(),
            Code::kUnimplemented);
}

TEST_F(CompareSelectTest, SelectByScalarRowAndElement) {
  const Tensor x = Numbers(DType::kInt32, Dims{2, 2}, {1, 2, 3, 4});
  const Tensor y = Numbers(DType::kInt32, Dims{2, 2}, {5, 6, 7, 8});
  auto select = [&](DimsView dims, const std::vector<double>& condition) {
    return runner_.Text("Select", {Numbers(DType::kBool, dims, condition), x, y});
  };
  auto matrix = [](const std::vector<double>& numbers) {
    return Numbers(DType::kInt32, Dims{2, 2}, numbers).DebugString();
  };
  EXPECT_EQ(select(Dims{}, {0}), matrix({5, 6, 7, 8}));
  EXPECT_EQ(select(Dims{2}, {1, 0}), matrix({1, 2, 7, 8}));
  EXPECT_EQ(select(Dims{2, 2}, {1, 0, 0, 1}), matrix({1, 6, 7, 4}));
  EXPECT_EQ(runner_.Text("SelectV2", {Numbers(DType::kBool, Dims{2}, {1, 0}), x, y}),
            matrix({1, 6, 3, 8}));
  EXPECT_EQ(
      runner_.Run("Select", {Numbers(DType::kBool, Dims{1, 2}, {1, 0}), x, y}).status().code(),
      Code::kInvalidArgument);
  EXPECT_EQ(runner_.Run("Select", {Numbers(DType::kBool, Dims{1}, {1}), x, y}).status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow::reference
