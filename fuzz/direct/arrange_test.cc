// Tests: arrange.h reductions.h strides.cc evaluator_plain.cc

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fuzz/direct/strides.h"
#include "fuzz/direct/test_results.h"

namespace tagflow::fuzz {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
const Tensor kSix = Matrix<int32_t>(2, 3, {1, 2, 3, 4, 5, 6});

std::string Done(Op op, const std::vector<Tensor>& operands, std::vector<int64_t> numbers = {}) {
  return Text(ResultOf(op, operands, std::move(numbers)));
}

TEST(Arrange, MovesElements) {
  EXPECT_EQ(Done(Op::kReshape, {kSix}, {3, 2}), Text(Matrix<int32_t>(3, 2, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(Done(Op::kReshape, {kSix}, {-1}), Text(Ints({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(Done(Op::kReshape, {Tensor::Vector<float>({5})}, {}), Text(Tensor::Scalar(5.0f)));
  EXPECT_EQ(Done(Op::kExpandDims, {Ints({1, 2})}, {1}), Text(Matrix<int32_t>(2, 1, {1, 2})));
  EXPECT_EQ(Done(Op::kExpandDims, {Tensor::Scalar(4)}, {0}), Text(Ints({4})));
  EXPECT_EQ(Done(Op::kConcat, {Ints({1}), Ints({2, 3})}, {0}), Text(Ints({1, 2, 3})));
  EXPECT_EQ(Done(Op::kConcat, {kSix, Matrix<int32_t>(2, 1, {7, 8})}, {1}),
            Text(Matrix<int32_t>(2, 4, {1, 2, 3, 7, 4, 5, 6, 8})));
  EXPECT_EQ(Done(Op::kSlice, {kSix}, {0, 1, 2, 2}), Text(Matrix<int32_t>(2, 2, {2, 3, 5, 6})));
  EXPECT_EQ(Done(Op::kPack, {Tensor::Scalar(1.5f), Tensor::Scalar(2.5f)}),
            Text(Tensor::Vector<float>({1.5, 2.5})));
  EXPECT_EQ(Done(Op::kPack, {Ints({1, 2}), Ints({3, 4}), Ints({5, 6})}),
            Text(Matrix<int32_t>(3, 2, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(Done(Op::kTile, {Ints({1, 2})}, {3}), Text(Ints({1, 2, 1, 2, 1, 2})));
  EXPECT_EQ(Done(Op::kTile, {Matrix<int32_t>(2, 1, {1, 2})}, {2, 2}),
            Text(Matrix<int32_t>(4, 2, {1, 1, 2, 2, 1, 1, 2, 2})));
  EXPECT_EQ(Done(Op::kTile, {Ints({1, 2})}, {0}), Text(Ints({})));
  EXPECT_EQ(Done(Op::kTranspose, {kSix}, {1, 0}), Text(Matrix<int32_t>(3, 2, {1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(Done(Op::kFill, {Tensor::Scalar(7.0)}, {2}), Text(Tensor::Vector<double>({7, 7})));
  EXPECT_EQ(Done(Op::kFill, {Tensor::Scalar(7.0)}, {}), Text(Tensor::Scalar(7.0)));
}

TEST(Arrange, IndexOfAnElementIsTakenModuloTheLength) {
  EXPECT_EQ(Done(Op::kElementAt, {kSix, Tensor::Scalar(1)}), Text(Ints({4, 5, 6})));
  EXPECT_EQ(Done(Op::kElementAt, {Ints({5, 6, 7}), Tensor::Scalar(-1)}), Text(Tensor::Scalar(7)));
  EXPECT_EQ(Done(Op::kElementAt, {Ints({5, 6, 7}), Tensor::Scalar(31)}), Text(Tensor::Scalar(6)));
}

TEST(Arrange, ShapesAreInt32) {
  EXPECT_EQ(Done(Op::kShape, {Matrix<double>(2, 3, {1, 2, 3, 4, 5, 6})}), Text(Ints({2, 3})));
  EXPECT_EQ(Done(Op::kShape, {Tensor::Scalar(1.0)}), Text(Ints({})));
  EXPECT_EQ(Done(Op::kSize, {kSix}), Text(Tensor::Scalar(6)));
  EXPECT_EQ(Done(Op::kRank, {kSix}), Text(Tensor::Scalar(2)));
}

TEST(Arrange, RefusesWhatDoesNotFit) {
  const auto code = [](Op op, std::vector<int64_t> numbers) {
    ProgramWriter w;
    return Evaluate(w.Finish({w.Do(op, {w.Const(kSix)}, std::move(numbers))})).status().code();
  };
  EXPECT_EQ(code(Op::kReshape, {4}), Code::kFailedPrecondition);
  EXPECT_EQ(code(Op::kSlice, {0, 2, 1, 2}), Code::kFailedPrecondition);
  EXPECT_EQ(code(Op::kTranspose, {0, 0}), Code::kFailedPrecondition);
  EXPECT_EQ(code(Op::kTile, {1, int64_t{1} << 24}), Code::kResourceExhausted);
  EXPECT_EQ(code(Op::kSum, {2}), Code::kFailedPrecondition);
}

TEST(Strides, GoThroughAViewInRowMajorOrder) {
  EXPECT_EQ(RowMajorStrides(Dims{2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(StridedIndices(Dims{2, 2}, {1, 10}, 5), (std::vector<int64_t>{5, 15, 6, 16}));
  EXPECT_EQ(StridedIndices(Dims{2, 0}, {1, 10}), std::vector<int64_t>());
  EXPECT_EQ(BroadcastIndices(Dims{2, 1}, Dims{2, 2}), (std::vector<int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(CommonDims(Dims{2, 1}, Dims{3}), (Dims{2, 3}));
  EXPECT_EQ(CommonDims(Dims{2}, Dims{3}), std::nullopt);
}

TEST(Reductions, SumMeanMaxMin) {
  EXPECT_EQ(Done(Op::kSum, {kSix}), Text(Tensor::Scalar(21)));
  EXPECT_EQ(Done(Op::kSum, {kSix}, {0}), Text(Ints({5, 7, 9})));
  EXPECT_EQ(Done(Op::kSum, {kSix}, {1}), Text(Ints({6, 15})));
  EXPECT_EQ(Done(Op::kMean, {kSix}, {0}), Text(Ints({2, 3, 4})));
  EXPECT_EQ(Done(Op::kMean, {Ints({-3, -4})}), Text(Tensor::Scalar(-3)));
  EXPECT_EQ(Done(Op::kMean, {Tensor::Vector<float>({1, 2})}), Text(Tensor::Scalar(1.5f)));
  EXPECT_EQ(Done(Op::kMax, {kSix}, {1}), Text(Ints({3, 6})));
  EXPECT_EQ(Done(Op::kMin, {kSix}, {0, 1}), Text(Tensor::Scalar(1)));
  EXPECT_TRUE(
      std::isnan(ResultOf(Op::kMax, {Tensor::Vector<float>({1, kNaN, 2})}).scalar<float>()));
  EXPECT_EQ(Done(Op::kSum, {Ints({std::numeric_limits<int32_t>::max(), 1})}),
            Text(Tensor::Scalar(std::numeric_limits<int32_t>::min())));
  // In double, rounded once.
  EXPECT_EQ(Done(Op::kSum, {Tensor::Vector<float>({1e8, 1, -1e8})}), Text(Tensor::Scalar(1.0f)));
}

TEST(Reductions, OfNoElements) {
  const Tensor floats = *Tensor::Allocate(DType::kFloat, Dims{0});
  EXPECT_EQ(Done(Op::kSum, {floats}), Text(Tensor::Scalar(0.0f)));
  EXPECT_TRUE(std::isnan(ResultOf(Op::kMean, {floats}).scalar<float>()));
  EXPECT_EQ(Done(Op::kMax, {floats}),
            Text(Tensor::Scalar(-std::numeric_limits<float>::infinity())));
  EXPECT_EQ(Done(Op::kMin, {floats}), Text(Tensor::Scalar(std::numeric_limits<float>::infinity())));
  EXPECT_EQ(Done(Op::kMean, {Ints({})}), Text(Tensor::Scalar(0)));
  EXPECT_EQ(Done(Op::kMax, {Ints({})}), Text(Tensor::Scalar(std::numeric_limits<int32_t>::min())));
  EXPECT_EQ(Done(Op::kMin, {Ints({})}), Text(Tensor::Scalar(std::numeric_limits<int32_t>::max())));
  const Tensor wide = *Tensor::Allocate(DType::kInt64, Dims{2, 0});
  EXPECT_EQ(Done(Op::kMin, {wide}, {1}),
            Text(Tensor::Vector<int64_t>(
                {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max()})));
  const Tensor bytes = *Tensor::Allocate(DType::kUInt8, Dims{0});
  EXPECT_EQ(Done(Op::kMin, {bytes}), Text(Tensor::Scalar(uint8_t{255})));
  EXPECT_EQ(Done(Op::kMax, {bytes}), Text(Tensor::Scalar(uint8_t{0})));
}

TEST(Reductions, MatMul) {
  EXPECT_EQ(Done(Op::kMatMul, {kSix, Matrix<int32_t>(3, 1, {1, 0, -1})}),
            Text(Matrix<int32_t>(2, 1, {-2, -2})));
  EXPECT_EQ(Done(Op::kMatMul, {Matrix<float>(1, 2, {1, 2}), Matrix<float>(2, 2, {3, 4, 5, 6})}),
            Text(Matrix<float>(1, 2, {13, 16})));
  const Tensor none = *Tensor::Allocate(DType::kDouble, Dims{2, 0});
  const Tensor nothing = *Tensor::Allocate(DType::kDouble, Dims{0, 1});
  EXPECT_EQ(Done(Op::kMatMul, {none, nothing}), Text(Matrix<double>(2, 1, {0, 0})));
}

}  // namespace
}  // namespace tagflow::fuzz
