#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

Tensor Longs(const Dims& dims, const std::vector<int64_t>& values) {
  return Tensor::Of<int64_t>(dims, values);
}
Tensor Longs(const std::vector<int64_t>& values) { return Tensor::Vector<int64_t>(values); }

const Tensor& Places() {
  static const auto& places = *new Tensor(Longs({4, 2}, {0, 1, 1, 0, 1, 2, 2, 2}));
  return places;
}

void AddWithDense(Numbers& numbers, AdjointCalls& calls) {
  const auto draw = [&](const Dims& dims) { return numbers(dims, 0.5, 2); };
  const Tensor shape = Longs({3, 3});
  for (const bool adjoint_a : {false, true}) {
    for (const bool adjoint_b : {false, true}) {
      calls.push_back({"SparseTensorDenseMatMul",
                       {Places(), draw({4}), shape, draw(adjoint_b ? Dims{2, 3} : Dims{3, 2})},
                       {{"adjoint_a", adjoint_a}, {"adjoint_b", adjoint_b}}});
    }
  }
  for (const char* op : {"SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseDenseCwiseAdd"}) {
    for (const Dims& dims : {Dims{3, 3}, Dims{3}, Dims{3, 1}, Dims{}}) {
      calls.push_back({op, {Places(), draw({4}), shape, draw(dims)}});
    }
  }
}

}  // namespace

AdjointCalls SparseCalls() {
  Numbers numbers;
  const auto draw = [&](const Dims& dims) { return numbers(dims, 0.5, 2); };
  const Tensor places = Places();
  const Tensor mixed = Longs({3, 2}, {2, 1, 0, 0, 2, 0});
  const Tensor shape = Longs({3, 3});
  AdjointCalls calls = {
      {"SparseToDense", {places, shape, draw({4}), draw({})}},
      {"SparseToDense", {places, shape, draw({}), draw({})}},
      {"SparseToDense",
       {Longs({3, 1}, {1, 0, 1}), Longs({3}), draw({3}), draw({})},
       {{"validate_indices", false}}},
      {"SparseToDense", {Longs({2}, {0, 2}), Longs({3}), draw({2}), draw({})}},
      {"SparseToDense", {Tensor::Scalar<int64_t>(1), Longs({3}), draw({}), draw({})}},
      {"SparseReorder", {mixed, draw({3}), shape}},
      {"SparseFillEmptyRows", {mixed, draw({3}), Longs({4, 3}), draw({})}},
      {"SparseFillEmptyRowsGrad", {Longs({2, 0, 2}), draw({4})}},
      {"SparseConcat",
       {places, mixed, draw({4}), draw({3}), shape, Longs({3, 2})},
       {{"concat_dim", 1}, {"N", 2}}},
      {"SparseConcat",
       {places, mixed, draw({4}), draw({3}), shape, shape},
       {{"concat_dim", -2}, {"N", 2}}},
      {"SparseSplit", {Tensor::Scalar<int64_t>(1), places, draw({4}), shape}, {{"num_split", 2}}},
      {"SparseSlice", {places, draw({4}), shape, Longs({1, 0}), Longs({5, 2})}},
      {"SparseSliceGrad", {draw({2}), places, Longs({1, 0}), Longs({2, 2}, {0, 2, 1, 2})}},
      {"SparseSliceGrad",
       {draw({2}), Longs({4, 2}, {2, 1, 1, 0, 1, 0, 1, 0}), Longs({1, 0}),
        Longs({2, 2}, {0, 0, 0, 0})}},
      {"SparseAdd",
       {places, draw({4}), shape, Longs({2, 2}, {0, 0, 1, 2}), draw({2}), shape,
        Tensor::Scalar<double>(0)},
       {},
       {6}},
      {"SparseAddGrad",
       {draw({3}), places, Longs({2, 2}, {0, 0, 1, 2}), Longs({3, 2}, {0, 0, 1, 0, 1, 2})}},
      {"SparseTensorDenseAdd", {places, draw({4}), shape, draw({3, 3})}},
      {"SparseReduceSum", {places, draw({4}), shape, Ints({1})}},
      {"SparseReduceSum", {places, draw({4}), shape, Int(-2)}, {{"keep_dims", true}}},
      {"SparseReduceSum", {places, draw({4}), shape, Ints({0, 1, -1})}},
      {"SparseReduceMax", {places, draw({4}), shape, Ints({1})}},
      {"SparseReduceMax", {mixed, draw({3}), shape, Ints({0, 1})}, {{"keep_dims", true}}},
      {"SparseSoftmax", {places, draw({4}), shape}},
      {"SparseSoftmax", {Longs({3, 3}, {0, 0, 1, 1, 0, 0, 0, 0, 2}), draw({3}), Longs({2, 1, 3})}},
      {"SparseBincount", {places, Ints({1, 0, 1, 9}), shape, Int(3), draw({4})}},
      {"SparseBincount", {places, Ints({1, 0, 1, 9}), shape, Int(3), draw({0})}},
      {"SparseBincount", {Longs({2, 1}, {0, 2}), Ints({1, 1}), Longs({3}), Int(3), draw({2})}},
      {"SparseBincount",
       {places, Ints({1, 0, 1, 9}), shape, Int(3), draw({4})},
       {{"binary_output", true}}},
  };
  AddWithDense(numbers, calls);
  return calls;
}

}  // namespace tagflow::reference
