#ifndef TAGFLOW_OPTIMIZED_KERNELS_PRODUCT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PRODUCT_H_

// The product of two matrices.
//
// Products of float and double that are large enough go to OpenBLAS, which has code for each
// processor, but those of float that panels suit (panel_product.h), and a column times a row, which
// is a loop over memory (bench: lstm_b1_grad); small ones are summed in double, in order of the
// inner index, as those of the 16-bit floats always are. Complex numbers are summed as
// std::complex<double>, integers wrap.
//
// Large products are cut over the threads of the context's session. Their bits do not depend on how
// many there are: a shape is always computed in the same way.

#include <cstdint>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"
#include "optimized/kernels/kept_panels.h"

namespace tagflow::optimized {

// A factor as it is read: row-major in memory, or, transposed, column-major.
struct Factor {
  const void* data;
  DType dtype;
  int64_t rows;
  int64_t columns;
  bool is_transposed = false;
  bool is_conjugated = false;
  // Where it is a constant of the graph: the tensor, and what the node keeps of it.
  const Tensor* constant = nullptr;
  KeptPanels* kept = nullptr;
};

// Whether factors of these dtypes have a product of that one: int16, int32, int64, floats and
// complex numbers of themselves; int8 and uint8 of int32, and with bfloat16 of bfloat16.
bool HasProduct(DType a, DType b, DType product);

// out = a b, row-major, of a.rows rows and b.columns columns.
//   Errors: RESOURCE_EXHAUSTED
// REQUIRES: a.columns == b.rows, HasProduct(a.dtype, b.dtype, product)
Status Multiply(DType product, const Factor& a, const Factor& b, void* out,
                const KernelContext& context);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PRODUCT_H_
