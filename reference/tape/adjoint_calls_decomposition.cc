// Calls of decompositions of matrices, at matrices whose eigenvalues and singular values lie apart.

#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

// Little numbers, with 1, 3, 5 … on the diagonals.
Tensor Graded(Numbers& numbers, const Dims& dims) {
  const Tensor drawn = numbers(dims, -0.4, 0.4);
  std::vector<double> values(drawn.flat<double>().begin(), drawn.flat<double>().end());
  const auto rows = static_cast<size_t>(dims[dims.size() - 2]);
  const auto columns = static_cast<size_t>(dims.back());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t row = i / columns % rows;
    if (row == i % columns) values[i] += static_cast<double>(2 * row + 1);
  }
  return Tensor::Of<double>(dims, values);
}

}  // namespace

AdjointCalls DecompositionCalls() {
  Numbers numbers;
  AdjointCalls calls;
  for (const Dims& dims : {Dims{2, 3, 3}, Dims{4, 2}, Dims{2, 1, 2, 4}, Dims{1, 1}}) {
    calls.push_back({"Qr", {Graded(numbers, dims)}});
  }
  for (const Dims& dims : {Dims{2, 3, 3}, Dims{4, 4}, Dims{1, 1}}) {
    for (const bool vectors : {true, false}) {
      calls.push_back({"SelfAdjointEigV2", {Graded(numbers, dims)}, {{"compute_v", vectors}}});
    }
  }
  for (const Dims& dims : {Dims{2, 3, 3}, Dims{4, 2}, Dims{2, 1, 2, 4}, Dims{1, 1}}) {
    for (const bool vectors : {true, false}) {
      calls.push_back({"Svd", {Graded(numbers, dims)}, {{"compute_uv", vectors}}});
    }
  }
  for (const Dims& dims : {Dims{3, 2}, Dims{2, 2, 3}}) {
    AdjointCall values{"Svd", {Graded(numbers, dims)}, {{"full_matrices", true}}};
    values.unused = {1, 2};
    values.orders_max = 1;  // the next asks for the vectors, and the shapes may not be known
    calls.push_back(values);
  }
  return calls;
}

AdjointCalls FullDecompositionCalls() {
  Numbers numbers;
  AdjointCalls calls;
  const AttrMap full = {{"full_matrices", true}};
  for (const Dims& dims : {Dims{2, 3, 3}, Dims{2, 3}, Dims{2, 4}}) {
    calls.push_back({"Qr", {Graded(numbers, dims)}, full});
  }
  for (const Dims& dims : {Dims{2, 3, 3}, Dims{2, 3}, Dims{3, 2}}) {
    calls.push_back({"Svd", {Graded(numbers, dims)}, full});
  }
  return calls;
}

}  // namespace tagflow::reference
