// Tests: bias.cc, einsum.cc, matmul.cc, matrix_decomposition.cc, softmax.cc

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/kernel_runner.h"
#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr char kBad[] = "INVALID_ARGUMENT:";

Tensor Matrix(const std::vector<double>& values) {
  return Numbers(DType::kDouble, Dims{2, 2}, values);
}

TEST(Einsum, PutsDimensionsByLabel) {
  const Tensor m = Ints(Dims{2, 2}, {1, 2, 3, 4});
  const auto equation = [](const char* text) { return AttrMap{{"equation", std::string(text)}}; };
  Check({
      {"Einsum", {m, m}, equation("ij,jk->ik"), "int32[2,2] [[7, 10], [15, 22]]"},
      {"Einsum", {m}, equation("ij->ji"), "int32[2,2] [[1, 3], [2, 4]]"},
      {"Einsum", {m}, equation("ii->"), "int32[] 5"},
      {"Einsum", {m}, equation("ii->ii"), "int32[2,2] [[1, 0], [0, 4]]"},
      {"Einsum", {m, Ints({1, 10})}, equation("ij,k->k"), "int32[2] [10, 100]"},
      {"Einsum", {m, Ints({1, 10})}, equation("...i,i->..."), "int32[2] [21, 43]"},
      {"Einsum", {Ints({1, 2}), m}, equation("...,...->..."), "int32[2,2] [[1, 4], [3, 8]]"},
      {"Einsum", {Int(5), Int(6)}, equation(",->"), "int32[] 30"},
      {"Einsum", {Empty(DType::kInt32, Dims{2, 0})}, equation("ij->i"), "int32[2] [0, 0]"},
  });
}

TEST(Einsum, Refuses) {
  const Tensor m = Ints(Dims{2, 2}, {1, 2, 3, 4});
  const Tensor wide = Empty(DType::kInt32, Dims{0, int64_t{1} << 50});
  const auto equation = [](const char* text) { return AttrMap{{"equation", std::string(text)}}; };
  Check({
      {"Einsum", {m, Ints({1, 2, 3})}, equation("ij,j->i"), kBad},
      {"Einsum", {m}, equation("ijk->i"), kBad},
      {"Einsum", {m}, equation("...i->i"), kBad},
      {"Einsum", {m}, equation("ij"), kBad},
      {"Einsum", {m, m, m}, equation("ij,jk,kl->il"), kBad},
      {"Einsum", {Strings({"a"})}, equation("i->i"), "UNIMPLEMENTED:"},
      {"Einsum", {wide}, equation("ij->j"), "RESOURCE_EXHAUSTED:"},
      {"Einsum", {wide, wide}, equation("ij,kj->"), "RESOURCE_EXHAUSTED:"},
      {"Einsum", {Ints({1})}, equation((std::string("i->") + std::string(300, 'i')).c_str()), kBad},
  });
}

TEST(BatchMatMul, OtherForms) {
  const Tensor bytes = Numbers(DType::kInt8, Dims{1, 2}, {127, 127});
  const Tensor column = Numbers(DType::kUInt8, Dims{2, 1}, {255, 1});
  const Tensor floats = Numbers(DType::kBFloat16, Dims{2, 1}, {0.5, 1});
  const Tensor batch = Ints(Dims{2, 1, 1}, {2, 3});
  Check({
      {"BatchMatMul", {batch, batch}, {}, "int32[2,1,1] [[[4]], [[9]]]"},
      {"BatchMatMul", {batch, Ints(Dims{1, 1}, {2})}, {}, kBad},
      {"BatchMatMul", {Ints({1}), Ints({1})}, {}, kBad},
      {"BatchMatMulV3", {bytes, column}, {{"Tout", DType::kInt32}}, "int32[1,1] [[32512]]"},
      {"BatchMatMulV3", {bytes, floats}, {{"Tout", DType::kBFloat16}}, "bfloat16[1,1] [[190]]"},
      {"BatchMatMulV3", {batch, batch}, {{"Tout", DType::kInt32}}, "int32[2,1,1] [[[4]], [[9]]]"},
      {"BatchMatMulV3", {floats, floats}, {{"Tout", DType::kFloat}}, "UNIMPLEMENTED:"},
  });
}

TEST(Bias, GradientSumsChannels) {
  const Tensor value = Ints(Dims{1, 2, 2}, {1, 2, 3, 4});
  Check({
      {"BiasAddV1", {value, Ints({10, 20})}, {}, "int32[1,2,2] [[[11, 22], [13, 24]]]"},
      {"BiasAddGrad", {value}, {}, "int32[2] [4, 6]"},
      {"BiasAddGrad", {value}, {{"data_format", std::string("NCHW")}}, "int32[2] [3, 7]"},
      {"BiasAddGrad", {Empty(DType::kFloat, Dims{0, 2})}, {}, "float[2] [0, 0]"},
      {"BiasAddGrad", {Ints({1})}, {}, kBad},
  });
}

TEST(Softmax, RowsAddUpToOne) {
  const Tensor row = Numbers(DType::kDouble, Dims{1, 2}, {1000, 1000});
  const Tensor label = Numbers(DType::kDouble, Dims{1, 2}, {1, 0});
  const Tensor infinite = Numbers(DType::kDouble, Dims{1, 2}, {-kInf, 0});
  Check({
      {"Softmax", {row}, {}, "double[1,2] [[0.5, 0.5]]"},
      {"Softmax", {infinite}, {}, "double[1,2] [[0, 1]]"},
      {"LogSoftmax", {infinite}, {}, "double[1,2] [[-inf, 0]]"},
      {"Softmax", {Empty(DType::kHalf, Dims{2, 0})}, {}, "half[2,0] [[], []]"},
      {"Softmax", {Float(1)}, {}, kBad},
      {"SoftmaxCrossEntropyWithLogits",
       {infinite, label},
       {},
       "double[1] [inf]; double[1,2] [[-1, 1]]"},
      {"SoftmaxCrossEntropyWithLogits", {Floats({1}), Floats({1})}, {}, kBad},
      {"SparseSoftmaxCrossEntropyWithLogits",
       {infinite, Ints({1})},
       {},
       "double[1] [0]; double[1,2] [[0, 0]]"},
      {"SparseSoftmaxCrossEntropyWithLogits", {row, Ints({2})}, {}, kBad},
      {"SparseSoftmaxCrossEntropyWithLogits", {row, Ints({0, 0})}, {}, kBad},
      {"SparseSoftmaxCrossEntropyWithLogits",
       {Empty(DType::kFloat, Dims{0, 0}), Ints({})},
       {},
       kBad},
  });
}

TEST(Decomposition, OfOneMatrix) {
  const Tensor m = Matrix({4, 2, 2, 3});
  const Tensor singular = Matrix({1, 2, 2, 4});
  Check({
      {"MatrixInverse", {m}, {}, "double[2,2] [[0.375, -0.25], [-0.25, 0.5]]"},
      {"MatrixInverse",
       {Matrix({1, 2, 0, 1})},
       {{"adjoint", true}},
       "double[2,2] [[1, 0], [-2, 1]]"},
      {"MatrixInverse", {Matrix({0, 1, 2, 0})}, {}, "double[2,2] [[0, 0.5], [1, 0]]"},
      {"MatrixInverse", {singular}, {}, kBad},
      {"MatrixInverse", {Empty(DType::kFloat, Dims{2, 3})}, {}, kBad},
      {"MatrixDeterminant", {singular}, {}, "double[] 0"},
      {"MatrixDeterminant", {Matrix({0, 1, 1, 0})}, {}, "double[] -1"},
      {"MatrixDeterminant", {Empty(DType::kFloat, Dims{2, 0, 0})}, {}, "float[2] [1, 1]"},
      {"LogMatrixDeterminant", {Matrix({0, 1, 1, 0})}, {}, "double[] -1; double[] 0"},
      {"MatrixDeterminant", {Floats({1})}, {}, kBad},
      {"Cholesky", {Matrix({4, 99, 2, 5})}, {}, "double[2,2] [[2, 0], [1, 2]]"},
      {"Cholesky", {Matrix({-1, 0, 0, 1})}, {}, "double[2,2] [[nan, 0], [nan, nan]]"},
      {"Cholesky", {Matrix({1, 0, 1, 1})}, {}, "double[2,2] [[nan, 0], [nan, nan]]"},
      {"Cholesky",
       {Matrix({1, 0, std::numeric_limits<double>::quiet_NaN(), 1})},
       {},
       "double[2,2] [[1, 0], [nan, nan]]"},
      {"Cholesky", {Numbers(DType::kHalf, Dims{1, 1}, {1})}, {}, "UNIMPLEMENTED:"},
  });
}

TEST(Decomposition, Solutions) {
  const Tensor m = Matrix({2, 7, 1, 4});
  const Tensor rhs = Numbers(DType::kDouble, Dims{2, 1}, {1, 2});
  const Tensor two = Numbers(DType::kDouble, Dims{2, 2, 1}, {1, 2, 2, 4});
  Check({
      {"MatrixSolve", {Matrix({0, 2, 1, 0}), rhs}, {}, "double[2,1] [[2], [0.5]]"},
      {"MatrixSolve", {m, two}, {}, kBad},
      {"MatrixSolve", {m, Numbers(DType::kDouble, Dims{1, 1}, {1})}, {}, kBad},
      {"MatrixSolve", {Matrix({1, 1, 1, 1}), rhs}, {}, kBad},
      {"MatrixTriangularSolve", {m, rhs}, {}, "double[2,1] [[0.5], [0.375]]"},
      {"MatrixTriangularSolve", {m, rhs}, {{"lower", false}}, "double[2,1] [[-1.25], [0.5]]"},
      {"MatrixTriangularSolve", {m, rhs}, {{"adjoint", true}}, "double[2,1] [[0.25], [0.5]]"},
      {"MatrixTriangularSolve", {m, two}, {}, "double[2,2,1] [[[0.5], [0.375]], [[1], [0.75]]]"},
      {"MatrixTriangularSolve", {Matrix({0, 0, 1, 4}), rhs}, {}, "double[2,1] [[inf], [-inf]]"},
  });
}

}  // namespace
}  // namespace tagflow::reference
