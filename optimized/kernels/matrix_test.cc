// Tests: matrix_decomposition.cc einsum.cc
#include <gtest/gtest.h>

#include <complex>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

using Complex = std::complex<float>;

TEST(MatrixTest, OneMatrix) {
  const Tensor a = Floats(Dims{2, 2}, {2, 1, 4, 4});
  const Tensor turned = Floats(Dims{2, 2}, {0, 1, 1, 0}),
               singular = Floats(Dims{2, 2}, {1, 2, 2, 4});
  const Tensor i = Tensor::Of<Complex>(Dims{1, 1}, std::vector<Complex>{{0, 2}});
  Check({
      {"MatrixInverse", {a}, {}, "float[2,2] [[1, -0.25], [-1, 0.5]]"},
      {"MatrixInverse", {a}, {{"adjoint", true}}, "float[2,2] [[1, -1], [-0.25, 0.5]]"},
      {"MatrixInverse", {turned}, {}, "float[2,2] [[0, 1], [1, 0]]"},
      {"MatrixInverse", {i}, {{"adjoint", true}}, "complex64[1,1] [[(-0,0.5)]]"},
      {"MatrixInverse", {singular}, {}, "INVALID_ARGUMENT:"},
      {"MatrixInverse", {Empty(DType::kFloat, Dims{3, 0, 0})}, {}, "float[3,0,0] [[], [], []]"},
      {"MatrixDeterminant", {turned}, {}, "float[] -1"},
      {"MatrixDeterminant", {singular}, {}, "float[] 0"},
      {"MatrixDeterminant", {Empty(DType::kFloat, Dims{2, 0, 0})}, {}, "float[2] [1, 1]"},
      {"LogMatrixDeterminant", {turned}, {}, "float[] -1; float[] 0"},
      {"Cholesky", {Floats(Dims{2, 2}, {4, 9, 2, 5})}, {}, "float[2,2] [[2, 0], [1, 2]]"},
      {"Cholesky", {Floats(Dims{1, 1, 1}, {-1})}, {}, "float[1,1,1] [[[nan]]]"},
      {"Cholesky",
       {Floats(Dims{2, 2, 2}, {1, 0, 1, 1, 4, 9, 2, 5})},
       {},
       "float[2,2,2] [[[nan, 0], [nan, nan]], [[2, 0], [1, 2]]]"},
      {"Cholesky", {Floats(Dims{1, 2}, {1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"MatrixDeterminant", {Floats({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(MatrixTest, Systems) {
  const Tensor a = Floats(Dims{2, 2}, {0, 2, 4, 4}), lower = Floats(Dims{2, 2}, {2, 9, 1, 4});
  const Tensor b = Floats(Dims{2, 1}, {4, 12});
  const Tensor batch = Floats(Dims{2, 2, 1}, {4, 12, 2, 9});
  const AttrMap adjoint = {{"adjoint", true}}, upper = {{"lower", false}};
  Check({
      {"MatrixSolve", {a, b}, {}, "float[2,1] [[1], [2]]"},
      {"MatrixSolve", {a, b}, adjoint, "float[2,1] [[4], [1]]"},
      {"MatrixSolve", {a, batch}, {}, "INVALID_ARGUMENT:"},
      {"MatrixSolve", {a, Floats(Dims{3, 1}, {1, 2, 3})}, {}, "INVALID_ARGUMENT:"},
      {"MatrixSolve", {a, Floats({1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"MatrixTriangularSolve", {lower, b}, {}, "float[2,1] [[2], [2.5]]"},
      {"MatrixTriangularSolve", {lower, b}, adjoint, "float[2,1] [[0.5], [3]]"},
      {"MatrixTriangularSolve", {lower, b}, upper, "float[2,1] [[-11.5], [3]]"},
      {"MatrixTriangularSolve", {lower, batch}, {}, "float[2,2,1] [[[2], [2.5]], [[1], [2]]]"},
      {"MatrixSolve", {a, Empty(DType::kFloat, Dims{2, 0})}, {}, "float[2,0] [[], []]"},
  });
}

Row Sums(const std::string& equation, std::vector<Tensor> inputs, const std::string& expected) {
  return {"Einsum", std::move(inputs), {{"equation", equation}}, expected};
}

TEST(EinsumTest, Equations) {
  const Tensor a = Ints(Dims{2, 2}, {1, 2, 3, 4}), v = Ints({5, 6});
  const Tensor row = Ints(Dims{1, 2}, {1, 2}), batch = Ints(Dims{2, 1, 2}, {1, 2, 3, 4});
  Check({
      Sums("ij,jk->ik", {a, a}, "int32[2,2] [[7, 10], [15, 22]]"),
      Sums("ij,kj->ik", {a, a}, "int32[2,2] [[5, 11], [11, 25]]"),
      Sums("ij,jk->ki", {a, a}, "int32[2,2] [[7, 15], [10, 22]]"),
      Sums("ij->ji", {a}, "int32[2,2] [[1, 3], [2, 4]]"),
      Sums("ij->", {a}, "int32[] 10"),
      Sums("ii->i", {a}, "int32[2] [1, 4]"),
      Sums("i->ii", {v}, "int32[2,2] [[5, 0], [0, 6]]"),
      Sums("i,j->ij", {v, v}, "int32[2,2] [[25, 30], [30, 36]]"),
      Sums("a,b->", {v, v}, "int32[] 121"),
      Sums("...ij,...jk->...ik", {batch, a}, "int32[2,1,2] [[[7, 10]], [[15, 22]]]"),
      Sums("...,...->...", {row, a}, "int32[2,2] [[1, 4], [3, 8]]"),
      Sums("ij,j->i", {Empty(DType::kInt32, Dims{2, 0}), Ints({})}, "int32[2] [0, 0]"),
      Sums("ij,jk->ik", {a, row}, "INVALID_ARGUMENT:"),
      Sums("ij,jk", {a, a}, "INVALID_ARGUMENT:"),
      Sums("ijk->i", {a}, "INVALID_ARGUMENT:"),
  });
}

// A sum over a label of one input is not rounded before the product: 2049 is no half.
TEST(EinsumTest, RoundsOnce) {
  const auto half = [](float value) { return HalfFromFloat(value); };
  const Tensor x = Tensor::Vector<Half>({half(2048), half(1)}), y = Tensor::Vector<Half>({half(3)});
  Check({Sums("i,j->j", {x, y}, "half[1] [6148]")});
}

}  // namespace
}  // namespace tagflow::optimized
