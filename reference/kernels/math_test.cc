// Tests: broadcast.cc, element.cc, elementwise.cc, math_binary.cc, math_grad.cc, math_unary.cc

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/dtype_set.h"
#include "reference/kernels/kernel_runner.h"

namespace tagflow::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<DType> Members(DTypeSet set) {
  std::vector<DType> dtypes;
  for (int i = 1; i <= static_cast<int>(DType::kUInt64); ++i) {
    if (set.contains(static_cast<DType>(i))) dtypes.push_back(static_cast<DType>(i));
  }
  return dtypes;
}

// One op, written for every dtype of a set.
struct Row {
  const char* op;
  DTypeSet dtypes;
  std::vector<double> x, y;  // y is empty for unary ops
  std::vector<double> expected;
};

class MathTest : public testing::Test {
 protected:
  void Check(const Row& row) {
    for (DType dtype : Members(row.dtypes)) {
      std::vector<Tensor> inputs = {Numbers(dtype, row.x)};
      if (!row.y.empty()) inputs.push_back(Numbers(dtype, row.y));
      Result<Tensor> got = runner_.Run(row.op, inputs);
      ASSERT_TRUE(got.ok()) << row.op << got.status().ToString();
      const Tensor expected = Numbers(dtype, row.expected);
      EXPECT_TRUE(BitwiseEqual(*got, expected))
          << row.op << ": " << got->DebugString() << ", not " << expected.DebugString();
    }
  }

  KernelRunner runner_{RegisterMathBinaryKernels, RegisterMathUnaryKernels, RegisterMathGradKernels,
                       RegisterActivationKernels, RegisterComplexKernels};
};

TEST_F(MathTest, Arithmetic) {
  const Row rows[] = {
      {"AddV2", kNumbers, {1, 5, 0}, {2, 2, 0}, {3, 7, 0}},
      {"Sub", kNumbers, {5, 2, 7}, {2, 2, 0}, {3, 0, 7}},
      {"Sub", kSigned | kFloating | kComplexes, {1}, {4}, {-3}},
      {"Mul", kNumbers, {3, 0, 7}, {5, 5, 1}, {15, 0, 7}},
      {"Maximum", kReals, {1, 4}, {3, 2}, {3, 4}},
      {"Minimum", kReals, {1, 4}, {3, 2}, {1, 2}},
      {"SquaredDifference", kFloating | kComplexes, {1, 7}, {4, 2}, {9, 25}},
      {"Pow", kSigned | kFloating, {2, -3, 5, 0}, {5, 3, 0, 0}, {32, -27, 1, 1}},
      {"Neg", kSigned | kFloating, {1, -2}, {}, {-1, 2}},
      {"Abs", kSigned | kFloating, {1, -2}, {}, {1, 2}},
      {"Square", kNumbers, {3, 0}, {}, {9, 0}},
      {"Sqrt", kFloating | kComplexes, {4, 0, 2.25}, {}, {2, 0, 1.5}},
      {"Reciprocal", kFloating | kComplexes, {4, 0.5}, {}, {0.25, 2}},
      {"Relu", kSigned | kFloating, {3, -3, 0}, {}, {3, 0, 0}},
      {"ReluGrad", kSigned | kFloating, {5, 5, 5}, {3, -3, 0}, {5, 0, 0}},
      {"TanhGrad", kFloating | kComplexes, {0.5, 0}, {2, 3}, {1.5, 3}},
      {"SqrtGrad", kFloating | kComplexes, {2, 0}, {8, 0}, {2, 0}},
      {"RsqrtGrad", kFloating | kComplexes, {2, 1}, {3, 0}, {-12, 0}},
      {"ReciprocalGrad", kFloating, {2, kInf}, {3, 0}, {-12, 0}},
      {"SigmoidGrad", kFloating | kComplexes, {0.5, 1}, {2, 3}, {0.5, 0}},
  };
  for (const Row& row : rows) Check(row);
}

TEST_F(MathTest, TrigonometryAndLogarithms) {
  for (const char* op : {"Tan", "Asin", "Atan", "Sinh", "Asinh", "Atanh"}) {
    Check({op, kFloating, {0, -0.0, kNan}, {}, {0, -0.0, kNan}});
  }
  for (const Row& row : {
           Row{"Cosh", kFloating, {0, kInf}, {}, {1, kInf}},
           Row{"Acos", kFloating, {1, 2}, {}, {0, kNan}},
           Row{"Acosh", kFloating, {1, 0, kInf}, {}, {0, kNan, kInf}},
           Row{"Atanh", kFloating, {1, -1, 2}, {}, {kInf, -kInf, kNan}},
           Row{"Atan2", kFloating, {0, -0.0, 0}, {1, 1, 2}, {0, -0.0, 0}},
           Row{"Xlogy", kFloating | kComplexes, {0, 3}, {0, 1}, {0, 0}},
           Row{"Xlog1py", kFloating | kComplexes, {0, 3}, {-1, 0}, {0, 0}},
           Row{"Xdivy", kFloating | kComplexes, {0, 3}, {0, 2}, {0, 1.5}},
           Row{"Xdivy", kFloating, {0, 3}, {kNan, 0}, {0, kInf}},
           Row{"NextAfter", {DType::kDouble}, {1, 1, 1}, {1, 2, 0}, {1, 1 + 0x1p-52, 1 - 0x1p-53}},
           Row{"NextAfter", {DType::kFloat}, {1, 1, 1}, {1, 2, 0}, {1, 1 + 0x1p-23, 1 - 0x1p-24}},
       }) {
    Check(row);
  }
}

TEST_F(MathTest, Divisions) {
  const std::vector<double> x = {7, -7, 7, -7, 6, -6, 0};
  const std::vector<double> y = {2, 2, -2, -2, 3, 3, -5};
  for (const Row& row : {
           Row{"Div", kSigned, x, y, {3, -3, -3, 3, 2, -2, 0}},
           Row{"TruncateDiv", kSigned, x, y, {3, -3, -3, 3, 2, -2, 0}},
           Row{"FloorDiv", kSigned, x, y, {3, -4, -4, 3, 2, -2, 0}},
           Row{"FloorDiv", kFloating, x, y, {3, -4, -4, 3, 2, -2, -0.0}},
           Row{"FloorMod", kSigned, x, y, {1, 1, -1, -1, 0, 0, 0}},
           Row{"FloorMod", kFloating, x, y, {1, 1, -1, -1, 0, -0.0, 0}},
           Row{"Mod", {DType::kInt32, DType::kInt64}, x, y, {1, -1, 1, -1, 0, 0, 0}},
           Row{"FloorDiv", kUnsigned, {7, 6}, {2, 3}, {3, 2}},
           Row{"FloorMod", kUnsigned, {7, 6}, {2, 3}, {1, 0}},
           Row{"DivNoNan", kFloating | kComplexes, {1, 4}, {0, 2}, {0, 2}},
       }) {
    Check(row);
  }
}

TEST_F(MathTest, FloatsAtTheEdges) {
  for (const Row& row : {
           Row{"FloorDiv",
               kFloating,
               {1, 0, -1, kInf, 5, -5},
               {0, 0, 0, 2, kInf, kInf},
               {kInf, kNan, -kInf, kInf, 0, -0.0}},
           Row{"FloorMod",
               kFloating,
               {1, 5, 5, -5, kInf},
               {0, kInf, -kInf, kInf, 2},
               {kNan, 5, -kInf, kInf, kNan}},
           Row{"Maximum", kFloating, {kNan, 1, -kInf}, {1, kNan, 3}, {kNan, kNan, 3}},
           Row{"Minimum", kFloating, {kNan, 1, -kInf}, {1, kNan, 3}, {kNan, kNan, -kInf}},
           Row{"Sign", kFloating, {-0.0, 0, kNan, -kInf, 3}, {}, {0, 0, kNan, -1, 1}},
           Row{"Round", kFloating, {0.5, 1.5, -0.5, 2.5}, {}, {0, 2, -0.0, 2}},
           Row{"Pow", kFloating, {0, 1, -2, -8}, {0, kNan, 3, 0.5}, {1, 1, -8, kNan}},
           Row{"Relu", kFloating, {kNan, -0.0}, {}, {kNan, -0.0}},
           Row{"ReluGrad", kFloating, {kInf, kNan, 2}, {-1, -1, kNan}, {kNan, kNan, 0}},
           Row{"Exp", kFloating, {-kInf, 0, kInf}, {}, {0, 1, kInf}},
           Row{"Sigmoid", kFloating, {-kInf, 0, kInf, kNan}, {}, {0, 0.5, 1, kNan}},
           Row{"Softplus", kFloating, {kInf, -kInf, kNan}, {}, {kInf, 0, kNan}},
           Row{"Rsqrt", kFloating, {0, -0.0, 4, kInf}, {}, {kInf, -kInf, 0.5, 0}},
       }) {
    Check(row);
  }
}

TEST_F(MathTest, IntegersWrapAtTheirOwnWidth) {
  auto text = [&](const char* op, std::vector<Tensor> inputs) {
    return runner_.Text(op, std::move(inputs));
  };
  for (const auto& [dtype, least] : {std::pair{DType::kInt8, -0x1p7},
                                     {DType::kInt16, -0x1p15},
                                     {DType::kInt32, -0x1p31},
                                     {DType::kInt64, -0x1p63}}) {
    const Tensor least_one = Numbers(dtype, {least});
    const std::string unchanged = least_one.DebugString();
    const Tensor minus_one = Numbers(dtype, {-1});
    EXPECT_EQ(text("Neg", {least_one}), unchanged);
    EXPECT_EQ(text("Abs", {least_one}), unchanged);
    EXPECT_EQ(text("Div", {least_one, minus_one}), unchanged);
    EXPECT_EQ(text("FloorDiv", {least_one, minus_one}), unchanged);
    EXPECT_EQ(text("FloorMod", {least_one, minus_one}), Numbers(dtype, {0}).DebugString());
    EXPECT_EQ(text("AddV2", {least_one, least_one}), Numbers(dtype, {0}).DebugString());
  }
  EXPECT_EQ(text("Sub", {Numbers(DType::kUInt8, {0}), Numbers(DType::kUInt8, {1})}),
            Numbers(DType::kUInt8, {255}).DebugString());
  EXPECT_EQ(text("Square", {Numbers(DType::kInt8, {100})}),
            Numbers(DType::kInt8, {16}).DebugString());
}

TEST_F(MathTest, ShortFloatsRoundEachOperation) {
  // 2049 is no half: a tie, which goes to the even neighbour.
  Check({"AddV2", {DType::kHalf}, {2048, 2048}, {1, 3}, {2048, 2052}});
  Check({"AddV2", {DType::kBFloat16}, {256, 256}, {1, 3}, {256, 260}});
  // The quotient 2.9993 rounds to 3 before it is cut.
  Check({"FloorDiv", {DType::kHalf}, {2047.0 / 1024}, {682.5 / 1024}, {3}});
}

TEST_F(MathTest, BroadcastsShapes) {
  const Tensor column = Numbers(DType::kInt32, Dims{2, 1}, {10, 20});
  const Tensor row = Numbers(DType::kInt32, Dims{3}, {1, 2, 3});
  EXPECT_EQ(runner_.Text("AddV2", {column, row}),
            Numbers(DType::kInt32, Dims{2, 3}, {11, 12, 13, 21, 22, 23}).DebugString());
  EXPECT_EQ(runner_.Text("AddV2", {row, Numbers(DType::kInt32, Dims{0, 1}, {})}),
            Numbers(DType::kInt32, Dims{0, 3}, {}).DebugString());
}

TEST_F(MathTest, ComplexAbs) {
  const Tensor x = Tensor::Vector<std::complex<double>>({{3, -4}, {0, 0}});
  EXPECT_EQ(runner_.Text("ComplexAbs", {x}, {{"Tout", DType::kDouble}}),
            Numbers(DType::kDouble, {5, 0}).DebugString());
  EXPECT_EQ(runner_.Run("ComplexAbs", {x}, {{"Tout", DType::kFloat}}).status().code(),
            Code::kInvalidArgument);
}

TEST_F(MathTest, AddsStrings) {
  const Tensor greeting = Tensor::Vector<std::string>({"a", ""});
  EXPECT_EQ(runner_.Text("Add", {greeting, Tensor::Scalar<std::string>("b")}),
            Tensor::Vector<std::string>({"ab", "b"}).DebugString());
}

TEST_F(MathTest, RefusesWithAReason) {
  auto status = [&](const char* op, std::vector<Tensor> inputs) {
    return runner_.Run(op, std::move(inputs)).status();
  };
  const Tensor two = Numbers(DType::kInt32, {1, 2});
  Status got = status("AddV2", {two, Numbers(DType::kInt32, {1, 2, 3})});
  EXPECT_EQ(got.code(), Code::kInvalidArgument);
  EXPECT_EQ(got.message(), "Incompatible shapes: [2] vs. [3]");
  for (const char* op : {"Div", "FloorDiv", "FloorMod", "TruncateMod"}) {
    got = status(op, {two, Numbers(DType::kInt32, {1, 0})});
    EXPECT_EQ(got.code(), Code::kInvalidArgument) << op;
    EXPECT_EQ(got.message(), "Integer division by zero") << op;
  }
  EXPECT_TRUE(status("Div", {Numbers(DType::kInt32, {}), Numbers(DType::kInt32, {0})}).ok());
  EXPECT_EQ(status("Pow", {two, Numbers(DType::kInt32, {1, -1})}).code(), Code::kInvalidArgument);
  got = status("Exp", {two});
  EXPECT_EQ(got.code(), Code::kUnimplemented);
  EXPECT_EQ(got.message(), "no kernel of op Exp for dtype int32");
  EXPECT_EQ(status("AddV2", {two, Numbers(DType::kInt64, {1, 2})}).code(), Code::kInvalidArgument);
  EXPECT_EQ(
      status("TanhGrad", {Numbers(DType::kFloat, {1, 2}), Numbers(DType::kFloat, {1})}).code(),
      Code::kInvalidArgument);
}

TEST_F(MathTest, RefusesOutputsWithoutRoom) {
  const int64_t side = 0x1000000;
  const Tensor column = *Tensor::Allocate(DType::kInt8, Dims{side, 1});
  const Tensor row = *Tensor::Allocate(DType::kInt8, Dims{side});
  EXPECT_EQ(runner_.Run("AddV2", {column, row}).status().code(), Code::kResourceExhausted);
}

TEST_F(MathTest, BroadcastGradientArgs) {
  struct Args {
    std::vector<double> x, y, x_reduced, y_reduced;
  };
  for (const Args& args : {
           Args{{2, 1}, {3}, {1}, {0}},
           Args{{1, 1}, {1}, {0, 1}, {0, 1}},
           Args{{2, 3}, {2, 3}, {}, {}},
           Args{{0}, {1}, {}, {0}},
           Args{{2, 1, 3, 1}, {1, 3, 1}, {1, 3}, {0, 1, 3}},
           Args{{}, {1}, {0}, {0}},
       }) {
    Result<std::vector<Tensor>> got =
        runner_.RunAll("BroadcastGradientArgs",
                       {Numbers(DType::kInt64, args.x), Numbers(DType::kInt64, args.y)}, {}, 2);
    ASSERT_TRUE(got.ok());
    EXPECT_EQ((*got)[0].DebugString(), Numbers(DType::kInt64, args.x_reduced).DebugString());
    EXPECT_EQ((*got)[1].DebugString(), Numbers(DType::kInt64, args.y_reduced).DebugString());
  }
}

}  // namespace
}  // namespace tagflow::reference
