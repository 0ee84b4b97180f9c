// Tests: bias.cc, matmul.cc, reduction.cc

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/kernel_runner.h"

namespace tagflow::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class ReductionTest : public testing::Test {
 protected:
  std::string Reduce(const char* op, const Tensor& input, const std::vector<double>& axes,
                     bool keep_dims = false) {
    return runner_.Text(op, {input, Numbers(DType::kInt32, axes)}, {{"keep_dims", keep_dims}});
  }

  KernelRunner runner_{RegisterReductionKernels};
};

TEST_F(ReductionTest, EveryOpOverOneDimension) {
  struct Row {
    const char* op;
    std::vector<double> rows, columns;  // over the dimension 1, and 0
  };
  const std::vector<double> numbers = {1, 2, 6, 4, 5, 3};
  for (const Row& row : {Row{"Sum", {9, 12}, {5, 7, 9}}, Row{"Prod", {12, 60}, {4, 10, 18}},
                         Row{"Mean", {3, 4}, {2.5, 3.5, 4.5}}, Row{"Max", {6, 5}, {4, 5, 6}},
                         Row{"Min", {1, 3}, {1, 2, 3}}}) {
    for (DType dtype : {DType::kInt8, DType::kUInt16, DType::kHalf, DType::kDouble}) {
      const Tensor input = Numbers(dtype, Dims{2, 3}, numbers);
      EXPECT_EQ(Reduce(row.op, input, {1}), Numbers(dtype, row.rows).DebugString()) << row.op;
      EXPECT_EQ(Reduce(row.op, input, {-2}), Numbers(dtype, row.columns).DebugString()) << row.op;
    }
  }
}

TEST_F(ReductionTest, Shapes) {
  const Tensor input = Numbers(DType::kInt32, Dims{2, 1, 2}, {1, 2, 3, 4});
  auto text = [](DimsView dims, const std::vector<double>& numbers) {
    return Numbers(DType::kInt32, dims, numbers).DebugString();
  };
  EXPECT_EQ(Reduce("Sum", input, {}), input.DebugString());
  EXPECT_EQ(Reduce("Sum", input, {0, 1, 2}), text(Dims{}, {10}));
  EXPECT_EQ(Reduce("Sum", input, {0, 2}, true), text(Dims{1, 1, 1}, {10}));
  EXPECT_EQ(Reduce("Sum", input, {1}), text(Dims{2, 2}, {1, 2, 3, 4}));
  const Tensor scalar_axis = Tensor::Scalar<int64_t>(2);
  EXPECT_EQ(runner_.Text("Sum", {input, scalar_axis}, {{"keep_dims", false}}),
            text(Dims{2, 1}, {3, 7}));
}

TEST_F(ReductionTest, EuclideanNorm) {
  for (DType dtype : {DType::kInt32, DType::kUInt8, DType::kHalf, DType::kComplex128}) {
    EXPECT_EQ(Reduce("EuclideanNorm", Numbers(dtype, Dims{2, 2}, {3, 4, 5, 12}), {1}),
              Numbers(dtype, {5, 13}).DebugString());
  }
  // 30000 wraps to 48 before its root is taken, 200 to -56.
  EXPECT_EQ(
      Reduce("EuclideanNorm", Numbers(DType::kInt8, Dims{2, 3}, {100, 100, 100, 10, 10, 0}), {1}),
      "int8[2] [6, 0]");
}

TEST_F(ReductionTest, OfNothing) {
  const Tensor none = Numbers(DType::kFloat, {});
  const std::pair<const char*, double> rows[] = {
      {"Sum", 0}, {"Prod", 1}, {"Max", -kInf}, {"Min", kInf}};
  for (const auto& [op, expected] : rows) {
    EXPECT_EQ(Reduce(op, none, {0}), Numbers(DType::kFloat, Dims{}, {expected}).DebugString());
  }
  EXPECT_EQ(Reduce("Max", Numbers(DType::kInt8, {}), {0}),
            Tensor::Scalar<int8_t>(-128).DebugString());
  EXPECT_EQ(Reduce("Min", Numbers(DType::kUInt16, {}), {0}),
            Tensor::Scalar<uint16_t>(65535).DebugString());
  EXPECT_TRUE(Reduce("Mean", none, {0}).ends_with("nan"));
  EXPECT_EQ(Reduce("Mean", Numbers(DType::kInt32, {}), {0}), Tensor::Scalar(0).DebugString());
  EXPECT_EQ(Reduce("All", Numbers(DType::kBool, {}), {0}), Tensor::Scalar(true).DebugString());
  EXPECT_EQ(Reduce("Any", Numbers(DType::kBool, {}), {0}), Tensor::Scalar(false).DebugString());
}

TEST_F(ReductionTest, SpecialValues) {
  EXPECT_EQ(Reduce("Max", Numbers(DType::kHalf, {1, kNan, 2}), {0}),
            Numbers(DType::kHalf, Dims{}, {kNan}).DebugString());
  EXPECT_EQ(Reduce("Min", Numbers(DType::kFloat, {kNan, 2}), {0}),
            Numbers(DType::kFloat, Dims{}, {kNan}).DebugString());
  EXPECT_EQ(Reduce("Sum", Numbers(DType::kInt8, {100, 100, 100}), {0}),
            Tensor::Scalar<int8_t>(44).DebugString());
  EXPECT_EQ(Reduce("Mean", Numbers(DType::kInt8, {100, 101, 102}), {0}),
            Tensor::Scalar<int8_t>(101).DebugString());
  EXPECT_EQ(Reduce("Mean", Numbers(DType::kInt32, {-7, -8}), {0}),
            Tensor::Scalar(-7).DebugString());
  EXPECT_EQ(Reduce("All", Numbers(DType::kBool, {1, 0}), {0}), Tensor::Scalar(false).DebugString());
  EXPECT_EQ(Reduce("Any", Numbers(DType::kBool, {1, 0}), {0}), Tensor::Scalar(true).DebugString());
}

TEST_F(ReductionTest, RefusesAxes) {
  const Tensor input = Numbers(DType::kFloat, Dims{2, 1}, {1, 2});
  EXPECT_EQ(Reduce("Sum", input, {2}),
            "INVALID_ARGUMENT: Invalid reduction dimension (2 for input with 2 dimension(s))");
  EXPECT_EQ(Reduce("Sum", input, {0, -2}),
            "INVALID_ARGUMENT: Invalid reduction arguments: Axes contains duplicate dimension: 0");
}

TEST_F(ReductionTest, HugeShapesWithoutElements) {
  const int64_t huge = int64_t{1} << 40;
  const Tensor none = *Tensor::Allocate(DType::kFloat, Dims{0, huge, huge});
  EXPECT_EQ(Reduce("Sum", none, {1, 2}), Numbers(DType::kFloat, Dims{0}, {}).DebugString());
  const Tensor wide = *Tensor::Allocate(DType::kFloat, Dims{0, huge});
  const Tensor axis = Tensor::Scalar(0);
  EXPECT_EQ(runner_.Run("Sum", {wide, axis}, {{"keep_dims", false}}).status().code(),
            Code::kResourceExhausted);
}

class ProductTest : public testing::Test {
 protected:
  std::string MatMul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
    return runner_.Text("MatMul", {a, b},
                        {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
  }

  KernelRunner runner_{RegisterMatMulKernels, RegisterBiasKernels};
};

TEST_F(ProductTest, MatMulInEveryReading) {
  for (DType dtype : {DType::kInt16, DType::kInt64, DType::kHalf, DType::kFloat, DType::kDouble,
                      DType::kComplex64}) {
    const Tensor a = Numbers(dtype, Dims{2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor a_transposed = Numbers(dtype, Dims{3, 2}, {1, 4, 2, 5, 3, 6});
    const Tensor b = Numbers(dtype, Dims{3, 1}, {1, 0, 2});
    const Tensor b_transposed = Numbers(dtype, Dims{1, 3}, {1, 0, 2});
    const std::string product = Numbers(dtype, Dims{2, 1}, {7, 16}).DebugString();
    EXPECT_EQ(MatMul(a, b, false, false), product);
    EXPECT_EQ(MatMul(a_transposed, b, true, false), product);
    EXPECT_EQ(MatMul(a, b_transposed, false, true), product);
    EXPECT_EQ(MatMul(a_transposed, b_transposed, true, true), product);
  }
}

TEST_F(ProductTest, MatMulAtTheEdges) {
  const Tensor thin = Numbers(DType::kFloat, Dims{2, 0}, {});
  EXPECT_EQ(MatMul(thin, thin, false, true),
            Numbers(DType::kFloat, Dims{2, 2}, {0, 0, 0, 0}).DebugString());
  const Tensor row = Numbers(DType::kInt32, Dims{1, 2}, {1, 2});
  EXPECT_EQ(MatMul(row, row, false, false),
            "INVALID_ARGUMENT: Matrix size-incompatible: In[0]: [1,2], In[1]: [1,2]");
  EXPECT_EQ(MatMul(Numbers(DType::kInt32, {1}), row, false, false),
            "INVALID_ARGUMENT: In[0] ndims must be >= 2, not 1");
  const Tensor large = Numbers(DType::kInt32, Dims{1, 1}, {0x1p30});
  EXPECT_EQ(MatMul(large, Numbers(DType::kInt32, Dims{1, 1}, {4}), false, false),
            Numbers(DType::kInt32, Dims{1, 1}, {0}).DebugString());
}

TEST_F(ProductTest, BatchMatMulConjugatesAndBroadcasts) {
  using Complex = std::complex<float>;
  const Complex i(0, 1);
  const Tensor x = Tensor::Of<Complex>(Dims{2, 1, 1}, std::vector<Complex>{i, 2.0f * i});
  const Tensor y = Tensor::Of<Complex>(Dims{1, 1}, std::vector<Complex>{i});
  EXPECT_EQ(runner_.Text("BatchMatMulV2", {x, y}, {{"adj_x", true}, {"adj_y", false}}),
            Numbers(DType::kComplex64, Dims{2, 1, 1}, {1, 2}).DebugString());
}

TEST_F(ProductTest, AddNAddsFromTheLeft) {
  const Tensor large = Numbers(DType::kHalf, {2048});
  const Tensor one = Numbers(DType::kHalf, {1});
  EXPECT_EQ(runner_.Text("AddN", {large, one, one}), large.DebugString());
  EXPECT_EQ(runner_.Text("AddN", {one, one, large}), Numbers(DType::kHalf, {2050}).DebugString());
  EXPECT_EQ(runner_.Run("AddN", {one, Numbers(DType::kHalf, {1, 2})}).status().code(),
            Code::kInvalidArgument);
}

TEST_F(ProductTest, BiasAddAlongTheChannels) {
  const Tensor value = Numbers(DType::kInt32, Dims{1, 2, 1}, {1, 2});
  const Tensor bias = Numbers(DType::kInt32, {10, 20});
  EXPECT_EQ(runner_.Text("BiasAdd", {value, bias}, {{"data_format", "NCHW"}}),
            Numbers(DType::kInt32, Dims{1, 2, 1}, {11, 22}).DebugString());
  EXPECT_EQ(runner_.Run("BiasAdd", {value, bias}, {{"data_format", "NHWC"}}).status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow::reference
