#include "optimized/kernels/outer_sum.h"

#include <algorithm>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/formula.h"

namespace tagflow::optimized {
namespace {

// The zero is what MatMul's sum begins with: it makes -0 of a product 0 (product.cc).
template <typename T>
TAGFLOW_CLONES void AddRows(const T* column, int64_t rows, const T* row, int64_t columns,
                            const T* term, T* out) {
  for (int64_t i = 0; i < rows; ++i, term += columns, out += columns) {
    const T factor = column[i];
    TAGFLOW_INDEPENDENT
    for (int64_t j = 0; j < columns; ++j) out[j] = term[j] + (factor * row[j] + T(0));
  }
}

template <typename T>
bool Add(const ProductPart& product, KernelContext& context, int64_t rows, int64_t columns) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& term = context.input(2);
  const T* terms = static_cast<const T*>(term.raw_data());
  const int64_t dims[] = {rows, columns};
  const Result<Tensor*> out = context.Allocate(0, product.dtype, dims, {2});
  if (!out.ok()) return false;
  AddRows(static_cast<const T*>(a.raw_data()), rows, static_cast<const T*>(b.raw_data()), columns,
          terms, static_cast<T*>((*out)->mutable_raw_data()));
  return true;
}

}  // namespace

bool AddOuterProduct(const ProductPart& product, KernelContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& term = context.input(2);
  if (a.rank() != 2 || b.rank() != 2 || term.rank() != 2) return false;
  const int64_t inner_a = a.dims()[product.transpose_a ? 0 : 1];
  const int64_t inner_b = b.dims()[product.transpose_b ? 1 : 0];
  if (inner_a != 1 || inner_b != 1) return false;
  const int64_t rows = a.num_elements(), columns = b.num_elements();
  if (rows == 0 || columns == 0) return false;
  if (term.dims()[0] != rows || term.dims()[1] != columns) return false;
  return product.dtype == DType::kFloat ? Add<float>(product, context, rows, columns)
                                        : Add<double>(product, context, rows, columns);
}

}  // namespace tagflow::optimized
