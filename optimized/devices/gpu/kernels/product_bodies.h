#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PRODUCT_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PRODUCT_BODIES_H_

// Products of matrices, element by element: for integers, and for floats where there is no cuBLAS.
// The terms of an element are added in order of the inner index: floats in double, rounded once.
//
// Tested by conformance/gpu/host_products_test.cc.

#include <cstdint>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/devices/gpu/kernels/folds.h"
#include "optimized/devices/gpu/kernels/pair_places.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// A batch of factors, of rows by columns as they are read.
struct FactorPlaces {
  const void* data;
  int64_t row_step, column_step;
  int64_t size;    // of a matrix
  bool is_single;  // one matrix for the whole batch
};
inline FactorPlaces PlacesOfFactor(const void* data, int64_t rows, int64_t columns,
                                   bool is_transposed, bool is_single) {
  return {data, is_transposed ? 1 : columns, is_transposed ? rows : 1, rows * columns, is_single};
}

struct ProductArgs {
  FactorPlaces a, b;
  void* out;
  int64_t rows, inner, columns;
  int64_t count;       // of elements of all products
  PairPlaces batches;  // which matrices are multiplied, where they are not single
};

//   i: an element of the products, in row-major order
template <typename C>
struct ProductBody {
  explicit ProductBody(const ProductArgs& all) : args(all) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t column = i % args.columns;
    const int64_t row = i / args.columns % args.rows;
    const int64_t batch = i / args.columns / args.rows;
    int64_t a_at = batch, b_at = batch;
    if (args.batches.rank > 0) args.batches.Find(batch, a_at, b_at);
    const C* const a = Matrix(args.a, a_at) + row * args.a.row_step;
    const C* const b = Matrix(args.b, b_at) + column * args.b.column_step;
    WideOf<C> sum = 0;
    for (int64_t k = 0; k < args.inner; ++k) {
      sum = Plus(sum, Times(static_cast<WideOf<C>>(a[k * args.a.column_step]),
                            static_cast<WideOf<C>>(b[k * args.b.row_step])));
    }
    static_cast<C*>(args.out)[i] = static_cast<C>(sum);
  }
  TAGFLOW_ANYWHERE static const C* Matrix(const FactorPlaces& factor, int64_t at) {
    return static_cast<const C*>(factor.data) + (factor.is_single ? 0 : at * factor.size);
  }
  ProductArgs args;
};

// Calls visit.template operator()<C>(op, dtype) for every product.
template <typename Visit>
void ForEachProduct(const Visit& visit) {
  for (const char* op : {"MatMul", "BatchMatMul", "BatchMatMulV2"}) {
    visit.template operator()<float>(op, DType::kFloat);
    visit.template operator()<double>(op, DType::kDouble);
    visit.template operator()<int32_t>(op, DType::kInt32);
    visit.template operator()<int64_t>(op, DType::kInt64);
  }
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PRODUCT_BODIES_H_
