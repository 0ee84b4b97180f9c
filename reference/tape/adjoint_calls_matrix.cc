// Calls of products, solutions and diagonals of matrices.

#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

// Matrices whose diagonals outweigh the rest: definite, and far from singular.
Tensor Heavy(Numbers& numbers, const Dims& dims) {
  const Tensor drawn = numbers(dims, -1, 1);
  std::vector<double> values(drawn.flat<double>().begin(), drawn.flat<double>().end());
  const auto n = static_cast<size_t>(dims.back());
  for (size_t i = 0; i < values.size(); ++i) {
    if (i / n % n == i % n) values[i] += 3;
  }
  return Tensor::Of<double>(dims, values);
}

void AddBatchProducts(Numbers& numbers, AdjointCalls& calls, bool a, bool b) {
  const AttrMap attrs = {{"adj_x", a}, {"adj_y", b}};
  const Tensor xs = numbers(a ? Dims{2, 1, 3, 2} : Dims{2, 1, 2, 3}, -1, 1);
  const Tensor ys = numbers(b ? Dims{3, 1, 3} : Dims{3, 3, 1}, -1, 1);
  const Tensor zs = numbers(b ? Dims{2, 1, 4, 3} : Dims{2, 1, 3, 4}, -1, 1);
  calls.push_back({"BatchMatMul", {xs, zs}, attrs});
  calls.push_back({"BatchMatMulV2", {xs, ys}, attrs});
  AttrMap types = {{"Ta", DType::kDouble}, {"Tb", DType::kDouble}, {"Tout", DType::kDouble}};
  types.insert(types.end(), attrs.begin(), attrs.end());
  calls.push_back({"BatchMatMulV3", {xs, ys}, types});
}

void AddBiases(Numbers& numbers, AdjointCalls& calls) {
  calls.push_back({"BiasAdd", {numbers({2, 2, 3}, -1, 1), numbers({3}, -1, 1)}});
  calls.push_back({"BiasAddV1", {numbers({2, 3}, -1, 1), numbers({3}, -1, 1)}});
  calls.push_back(
      {"BiasAdd", {numbers({2, 3, 1, 2}, -1, 1), numbers({3}, -1, 1)}, {{"data_format", "NCHW"}}});
  calls.push_back({"BiasAddGrad", {numbers({2, 2, 3}, -1, 1)}});
  calls.push_back({"BiasAddGrad", {numbers({2, 3, 1, 2}, -1, 1)}, {{"data_format", "NCHW"}}});
}

// Those of the second and third generation.
void AddBands(Numbers& numbers, AdjointCalls& calls, const std::string& generation) {
  const Tensor none = Int(-1);
  const Tensor matrices = numbers({2, 3, 4}, -1, 1);
  for (const Tensor& k : {Ints({-1, 1}), Ints({1, 2}), Ints({-2, -1})}) {
    const int64_t longest = k.data<int32_t>()[0] == -2 ? 2 : 3;
    const int64_t count = k.data<int32_t>()[1] - k.data<int32_t>()[0] + 1;
    const Tensor diagonals = numbers({2, count, longest}, -1, 1);
    calls.push_back({"MatrixDiagPart" + generation, {matrices, k, numbers({}, 1, 2)}});
    calls.push_back({"MatrixSetDiag" + generation, {matrices, diagonals, k}});
    calls.push_back({"MatrixDiag" + generation, {diagonals, k, none, none, numbers({}, 1, 2)}});
  }
  calls.push_back({"MatrixDiagPart" + generation, {matrices, Int(1), numbers({}, 1, 2)}});
  calls.push_back({"MatrixSetDiag" + generation, {matrices, numbers({2, 3}, -1, 1), Int(1)}});
  calls.push_back(
      {"MatrixDiag" + generation, {numbers({3}, -1, 1), Int(-1), none, Int(3), numbers({}, 1, 2)}});
}

}  // namespace

AdjointCalls MatrixCalls() {
  Numbers numbers;
  AdjointCalls calls;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const Tensor x = numbers(a ? Dims{3, 2} : Dims{2, 3}, -1, 1);
      const Tensor y = numbers(b ? Dims{4, 3} : Dims{3, 4}, -1, 1);
      calls.push_back({"MatMul", {x, y}, {{"transpose_a", a}, {"transpose_b", b}}});
      AddBatchProducts(numbers, calls, a, b);
    }
  }
  calls.push_back({"Cross", {numbers({2, 3}, -1, 1), numbers({2, 3}, -1, 1)}});
  AddBiases(numbers, calls);
  return calls;
}

AdjointCalls EinsumCalls() {
  Numbers numbers;
  AdjointCalls calls;
  const auto add = [&](const char* equation, const std::vector<Dims>& dims) {
    std::vector<Tensor> inputs;
    for (const Dims& input : dims) inputs.push_back(numbers(input, -1, 1));
    calls.push_back({"Einsum", inputs, {{"equation", equation}}});
  };
  add("ij,jk->ik", {{2, 3}, {3, 4}});
  add("ij,kj->ki", {{2, 3}, {4, 3}});
  add("i,j->ij", {{2}, {3}});
  add("ij->ji", {{2, 3}});
  add("ij->", {{2, 3}});  // all is summed
  add("ijk,k->i", {{2, 3, 2}, {2}});
  add("ij,k->i", {{2, 3}, {2}});  // each has labels of its own
  add("ii->", {{3, 3}});          // diagonals: summed,
  add("ii->i", {{3, 3}});         // kept,
  add("i->ii", {{3}});            // made,
  add("iij,j->ij", {{2, 2, 3}, {3}});
  add("iij,jk->k", {{2, 2, 3}, {3, 2}});
  add("...ij,...jk->...ik", {{2, 1, 2, 3}, {4, 3, 2}});  // one repeats the other
  add("...ij,jk->...ik", {{2, 2, 3}, {3, 2}});
  add("i...,...j->j...i", {{2, 3}, {3, 2}});
  add("i...j,j...->...i", {{2, 4, 3, 2}, {2, 3}});  // one has fewer of its dimensions
  add("i...k,...->...", {{2, 3, 2}, {1}});
  add("...->...", {{2, 3}});
  return calls;
}

AdjointCalls LinalgCalls() {
  Numbers numbers;
  AdjointCalls calls;
  const Tensor matrices = Heavy(numbers, {2, 3, 3});
  const Tensor one = Heavy(numbers, {3, 3});
  for (const bool adjoint : {false, true}) {
    const AttrMap attrs = {{"adjoint", adjoint}};
    calls.push_back({"MatrixInverse", {matrices}, attrs});
    calls.push_back({"MatrixSolve", {matrices, numbers({2, 3, 2}, -1, 1)}, attrs});
    for (const bool lower : {false, true}) {
      const AttrMap triangle = {{"adjoint", adjoint}, {"lower", lower}};
      calls.push_back({"MatrixTriangularSolve", {matrices, numbers({2, 3, 2}, -1, 1)}, triangle});
      calls.push_back({"MatrixTriangularSolve", {one, numbers({2, 3, 1}, -1, 1)}, triangle});
    }
  }
  calls.push_back({"MatrixInverse", {numbers({1, 1}, 1, 2)}});
  calls.push_back({"MatrixDeterminant", {matrices}});
  calls.push_back({"LogMatrixDeterminant", {matrices}});
  calls.push_back({"Cholesky", {matrices}});
  calls.push_back({"Cholesky", {one}});
  return calls;
}

AdjointCalls DiagonalCalls() {
  Numbers numbers;
  AdjointCalls calls = {
      {"Diag", {numbers({2, 2}, -1, 1)}},
      {"DiagPart", {numbers({2, 3, 2, 3}, -1, 1)}},
      {"MatrixDiag", {numbers({2, 3}, -1, 1)}},
      {"MatrixDiagPart", {numbers({2, 3, 2}, -1, 1)}},
      {"MatrixSetDiag", {numbers({2, 2, 3}, -1, 1), numbers({2, 2}, -1, 1)}},
      {"MatrixBandPart", {numbers({2, 3, 4}, -1, 1), Int(1), Int(0)}},
      {"MatrixBandPart", {numbers({3, 3}, -1, 1), Int(-1), Int(1)}},
  };
  AddBands(numbers, calls, "V2");
  AddBands(numbers, calls, "V3");
  for (const char* align : {"LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"}) {
    const Tensor matrix = numbers({3, 4}, -1, 1);
    calls.push_back(
        {"MatrixDiagPartV3", {matrix, Ints({-2, 3}), numbers({}, 1, 2)}, {{"align", align}}});
    calls.push_back(
        {"MatrixSetDiagV3", {matrix, numbers({6, 3}, -1, 1), Ints({-2, 3})}, {{"align", align}}});
  }
  return calls;
}

}  // namespace tagflow::reference
