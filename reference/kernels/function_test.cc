// Tests: activation.cc, bitwise.cc, complex.cc

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/kernel_runner.h"
#include "reference/kernels/op_runner.h"

namespace tagflow::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Row {
  const char* op;
  std::vector<double> x, y;  // y is empty for unary ops
  std::vector<double> expected;
};

class FunctionTest : public testing::Test {
 protected:
  void Check(const Row& row, const std::vector<DType>& dtypes) {
    for (DType dtype : dtypes) {
      std::vector<OpRunner::Input> inputs = {Numbers(dtype, row.x)};
      if (!row.y.empty()) inputs.push_back(Numbers(dtype, row.y));
      EXPECT_EQ(runner_.Text(row.op, inputs), Numbers(dtype, row.expected).DebugString()) << row.op;
    }
  }
  OpRunner runner_;
};

TEST_F(FunctionTest, Activations) {
  const std::vector<DType> floats = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};
  for (const Row& row : {
           Row{"Relu6", {-1, 3, 7, kNan, kInf}, {}, {0, 3, 6, kNan, 6}},
           Row{"Elu", {2, 0, -kInf, kNan}, {}, {2, 0, -1, kNan}},
           Row{"Selu", {0, kInf, kNan}, {}, {0, kInf, kNan}},
           Row{"Softsign", {1, -3, 0}, {}, {0.5, -0.75, 0}},
           Row{"Relu6Grad", {5, 5, 5, kNan}, {3, 6, 0, 7}, {5, 0, 0, kNan}},
           Row{"EluGrad", {4, 4}, {3, -0.5}, {4, 2}},
           Row{"SoftplusGrad", {4, 4, 4}, {0, kInf, -kInf}, {2, 4, 0}},
           Row{"SoftsignGrad", {4, 4}, {0, 1}, {4, 1}},
       }) {
    Check(row, floats);
  }
  Check({"Relu6", {0, 3, 7}, {}, {0, 3, 6}}, {DType::kUInt8, DType::kInt64});
  EXPECT_EQ(runner_.Text("LeakyRelu", {Floats({2, -2})}, {{"alpha", 0.5f}}), "float[2] [2, -1]");
  EXPECT_EQ(runner_.Text("LeakyReluGrad", {Floats({4, 4}), Floats({2, -2})}, {{"alpha", 0.5f}}),
            "float[2] [4, 2]");
}

TEST_F(FunctionTest, Bits) {
  const std::vector<DType> integers = {DType::kInt8, DType::kUInt16, DType::kInt64, DType::kUInt64};
  for (const Row& row : {
           Row{"BitwiseAnd", {12, 5}, {10, 0}, {8, 0}},
           Row{"BitwiseOr", {12, 5}, {10, 0}, {14, 5}},
           Row{"BitwiseXor", {12, 5}, {10, 5}, {6, 0}},
           Row{"LeftShift", {3, 5, 1}, {2, 0, 6}, {12, 5, 64}},
           Row{"RightShift", {12, 5, 1}, {2, 0, 100}, {3, 5, 0}},
       }) {
    Check(row, integers);
  }
  const Tensor bytes = Numbers(DType::kInt8, {-1, 5, -128});
  EXPECT_EQ(runner_.Text("Invert", {bytes}), "int8[3] [0, -6, 127]");
  EXPECT_EQ(runner_.Text("PopulationCount", {bytes}), "uint8[3] [8, 2, 1]");
  EXPECT_EQ(runner_.Text("RightShift", {bytes, Numbers(DType::kInt8, {100, -3, 1})}),
            "int8[3] [-1, 5, -64]");
  EXPECT_EQ(runner_.Text("LeftShift", {bytes, Numbers(DType::kInt8, {100, -3, 1})}),
            "int8[3] [-128, 5, 0]");
}

TEST_F(FunctionTest, ComplexParts) {
  const Tensor z = Tensor::Vector<std::complex<double>>({{3, -4}, {-2, 0}});
  const AttrMap wide = {{"Tout", DType::kDouble}};
  EXPECT_EQ(runner_.Text("Real", {z}, wide), "double[2] [3, -2]");
  EXPECT_EQ(runner_.Text("Imag", {z}, wide), "double[2] [-4, 0]");
  EXPECT_EQ(runner_.Text("ComplexAbs", {z}, wide), "double[2] [5, 2]");
  EXPECT_EQ(runner_.Text("Conj", {z}),
            Tensor::Vector<std::complex<double>>({{3, 4}, {-2, -0.0}}).DebugString());
  EXPECT_TRUE(runner_.Text("Angle", {z}, wide).ends_with("3.141592653589793]"));
  EXPECT_TRUE(runner_.Text("Real", {z}).starts_with("INVALID_ARGUMENT: op Real of complex128"));
}

TEST_F(FunctionTest, ComplexOfItsParts) {
  EXPECT_EQ(runner_.Text("Complex", {Floats({1, 2}), Float(3)}),
            Tensor::Vector<std::complex<float>>({{1, 3}, {2, 3}}).DebugString());
  const AttrMap wide = {{"Tout", DType::kComplex128}};
  EXPECT_TRUE(runner_.Text("Complex", {Float(1), Float(3)}, wide).starts_with("INVALID_ARGUMENT"));
  EXPECT_TRUE(runner_.Text("Complex", {Floats({1, 2}), Floats({1, 2, 3})})
                  .starts_with("INVALID_ARGUMENT: Incompatible shapes"));
}

}  // namespace
}  // namespace tagflow::reference
